import { MAX_SCHEDULE_RUNS_KEPT } from "../core/defaults.js";
import type { Instant } from "../core/job.js";
import type { ScheduleRunOutcome } from "../core/schedule.js";
import type { Fired, Firing } from "./schedules.js";

/** An entry of a schedule's history before it has its number. */
export interface NewRun {
  readonly slot: Instant;
  readonly through: Instant;
  readonly manual: boolean;
  readonly outcome: ScheduleRunOutcome;
  readonly jobId: string | null;
}

/**
 * What becomes of each slot of a firing, oldest first.
 *
 * @param waits whether a slot waits already: it still has to make its job, and goes first
 * @param busy whether a job of the schedule has not ended
 */
export function outcomesOf({ overlap, jobs }: Firing, waits: boolean, busy: boolean): Fired["outcome"][] {
  if (overlap === "allow") return jobs.map(() => "enqueued");
  // The job of the first slot has not ended when the second one comes.
  const held = waits || busy ? 0 : 1;
  const waiting = overlap === "queue" && !waits ? held : -1;
  return jobs.map((_, index) => {
    if (index < held) return "enqueued";
    return index === waiting ? "waiting" : "skipped";
  });
}

/** The entries of a firing in the history, oldest slot first. */
export function runsOf({ missed }: Firing, fired: readonly Fired[]): NewRun[] {
  const runs = fired.map(({ slot, outcome, jobId }): NewRun => ({
    slot,
    through: slot,
    manual: false,
    outcome,
    jobId,
  }));
  if (missed === null) return runs;
  const { from, through } = missed;
  return [{ slot: from, through, manual: false, outcome: "missed", jobId: null }, ...runs];
}

/** One firing may write more entries than are kept; it is shown whole until the next one. */
export function runsKept(written: number): number {
  return Math.max(MAX_SCHEDULE_RUNS_KEPT, written);
}

export function runByHand(slot: Instant, jobId: string): NewRun {
  return { slot, through: slot, manual: true, outcome: "enqueued", jobId };
}
