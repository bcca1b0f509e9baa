import type { Enqueued, Instant } from "../core/job.js";
import type {
  OverlapPolicy,
  Schedule,
  ScheduleDefinition,
  ScheduleRun,
  ScheduleSource,
  Slot,
} from "../core/schedule.js";
import type { NewJob } from "./jobs.js";

/** A new schedule, or a new definition of one. */
export interface ScheduleWrite {
  readonly key: string;
  readonly definition: ScheduleDefinition;
  readonly source: ScheduleSource;
  /** `"keep"`: the slots are the same as before, so the one that is due or overdue stays. */
  readonly next: Slot | null | "keep";
  /** Version of the schedule that this replaces; 0 for one that is not there. */
  readonly expectedVersion: number;
}

/** What is to become of a due schedule. */
export interface Firing {
  readonly key: string;
  /** What was read; if either has changed since, nothing happens: somebody else fired or edited it. */
  readonly version: number;
  readonly slot: Instant;
  /** How long after `slot` this was due: its jitter. */
  readonly delayMs: number;
  /** The latest slot that this decides about: neither it nor an earlier one ever fires again. */
  readonly last: Instant;
  readonly next: Slot | null;
  /** Slots that make no job because nobody was there to fire them; at most one range. */
  readonly missed: { readonly from: Instant; readonly through: Instant } | null;
  /** Oldest slot first. */
  readonly jobs: readonly NewJobOfSlot[];
  readonly overlap: OverlapPolicy;
}

export interface NewJobOfSlot {
  readonly slot: Instant;
  readonly job: NewJob;
}

/** What became of one slot. */
export interface Fired {
  readonly key: string;
  readonly slot: Instant;
  readonly outcome: "enqueued" | "waiting" | "skipped";
  readonly jobId: string | null;
}

export interface SchedulePage {
  readonly items: readonly Schedule[];
  /** Key to go on after. */
  readonly next: string | null;
}

export interface ScheduleStore {
  get(key: string): Promise<Schedule | null>;
  /** By key. */
  list(limit: number, after: string | null): Promise<SchedulePage>;

  /**
   * Inserts or replaces.
   *
   * @returns `null`, and nothing was written, when the version is another one by now, or when a new `next` is no
   *   longer in the future: the schedule may have fired that very instant under its old definition
   */
  write(write: ScheduleWrite): Promise<Schedule | null>;
  /**
   * With its history; its jobs stay.
   *
   * @param version what the caller has seen; `null`, the default: whatever is there
   */
  delete(key: string, version?: number | null): Promise<"deleted" | "missing" | "changed">;
  /** No slot fires until `resume`. @returns `null` when there is no such schedule */
  pause(key: string, reason: string | null): Promise<Schedule | null>;
  /** Goes on with `next`. @returns `null` when the version is another one by now */
  resume(key: string, version: number, next: Slot | null): Promise<Schedule | null>;

  /** Up to `limit` schedules that are not paused and whose next slot is due, longest first. */
  due(limit: number): Promise<readonly Schedule[]>;
  /** Up to `limit` schedules that have a problem and will not fire, by key. */
  stopped(limit: number): Promise<readonly Schedule[]>;
  /** When the next one is due; `null` when none is. */
  nextDue(): Promise<Instant | null>;
  /** Schedules with a waiting slot whose jobs have all ended. */
  unblocked(limit: number): Promise<readonly Schedule[]>;

  /**
   * Fires slots: moves each schedule on and makes its jobs, for each schedule in one transaction. A firing
   * whose schedule was fired, edited or paused meanwhile does nothing, so any number of processes may try.
   *
   * @returns for each firing what became of its slots, or `null` when it did nothing
   */
  fire(firings: readonly Firing[]): Promise<readonly (readonly Fired[] | null)[]>;
  /** Makes the job of the slot that waits, unless a job of the schedule runs again or another process did. */
  fireWaiting(key: string, waiting: NewJobOfSlot): Promise<Fired | null>;
  /** Makes a job now, whatever the policies say; the next slot stays. @returns `null` when there is no such schedule */
  runNow(key: string, job: NewJobOfSlot): Promise<Enqueued | null>;
  /** Stops a schedule that cannot go on, if it is still the one that was read. */
  stop(key: string, version: number, problem: string): Promise<boolean>;

  /** History, newest first, of entries before `beforeSeq`. */
  runs(key: string, limit: number, beforeSeq: number | null): Promise<readonly ScheduleRun[]>;
  /** The latest entries of each history, up to `limit`, newest first. Keys without any may be left out. */
  latestRuns(keys: readonly string[], limit: number): Promise<ReadonlyMap<string, readonly ScheduleRun[]>>;
}
