import type { StatEvent } from "../../store/stats.js";

/** What happened, each thing counted in one place only: `failed` means that the handler threw. */
export interface Activity {
  readonly enqueued: number;
  readonly started: number;
  readonly retried: number;
  /** Attempts that ended, by how. */
  readonly attempts: {
    readonly succeeded: number;
    readonly failed: number;
    readonly timedOut: number;
    readonly lost: number;
    readonly released: number;
    readonly snoozed: number;
    /** Their running job was cancelled or deleted. */
    readonly cancelled: number;
  };
  /** Jobs that came to a final state. */
  readonly jobs: { readonly completed: number; readonly dead: number; readonly cancelled: number };
}

export function activityOf(events: Readonly<Record<StatEvent, number>>): Activity {
  return {
    enqueued: events.enqueued,
    started: events.started,
    retried: events.retried,
    attempts: {
      succeeded: events.completed,
      failed: events.failed - events.timed_out - events.lost,
      timedOut: events.timed_out,
      lost: events.lost,
      released: events.released,
      snoozed: events.snoozed,
      cancelled: events.aborted,
    },
    jobs: { completed: events.completed, dead: events.dead, cancelled: events.cancelled },
  };
}
