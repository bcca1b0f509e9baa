import type { Instant } from "./job.js";
import type { JobState, TransitionName } from "./states.js";

/** Of what an event can tell. A new type needs its interface here, its schema in `src/api/event.ts`, and a writer. */
export const EVENT_TYPES = ["job", "queue", "schedule", "operation"] as const;

/** A job came, changed its state, or was removed. Never its payload or result. */
export interface JobEvent {
  readonly type: "job";
  readonly id: string;
  readonly queue: string;
  readonly name: string;
  readonly transition: TransitionName | "enqueue" | "delete";
  /** `null`: it is new. */
  readonly from: JobState | null;
  /** `null`: it is gone. */
  readonly to: JobState | null;
  /** Attempts that are counted after the change. */
  readonly attempt: number;
}

export interface QueueEvent {
  readonly type: "queue";
  readonly name: string;
  /** `edited`: its limits. */
  readonly action: "paused" | "resumed" | "edited";
}

/**
 * - `written`: made, or given a new definition
 * - `stopped`: it cannot go on, and has a problem
 * - `fired`: a slot, or somebody by hand, made a job
 * - `waiting`, `skipped`, `missed`: what else became of a slot
 */
export const SCHEDULE_ACTIONS = [
  "written",
  "deleted",
  "paused",
  "resumed",
  "stopped",
  "fired",
  "waiting",
  "skipped",
  "missed",
] as const;

export interface ScheduleEvent {
  readonly type: "schedule";
  readonly key: string;
  /** Of its jobs. */
  readonly queue: string;
  readonly action: (typeof SCHEDULE_ACTIONS)[number];
  /** The slot that it is about. */
  readonly slot: Instant | null;
  /** The job that was made. */
  readonly jobId: string | null;
}

/** A bulk operation began, went a step on, or is over. */
export interface OperationEvent {
  readonly type: "operation";
  readonly id: string;
  readonly action: "started" | "progressed" | "completed" | "cancelled";
  /** Jobs that it has changed so far. */
  readonly changed: number;
}

/** What a writer reports. */
export type JournalEntry = JobEvent | QueueEvent | ScheduleEvent | OperationEvent;

/** An entry with its place: numbers grow in the order of the commits, over all processes. */
export type JournalEvent = JournalEntry & { readonly seq: number; readonly at: Instant };

/**
 * The queue that an event belongs to: who may not see the queue must not see the event. `null`: it is about
 * several, and for those who may see all.
 */
export function queueOf(event: JournalEntry): string | null {
  if (event.type === "operation") return null;
  return event.type === "queue" ? event.name : event.queue;
}
