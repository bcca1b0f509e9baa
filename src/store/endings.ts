import type { JobState, TransitionName } from "../core/states.js";
import type { FailedSettlement, Failure, Settlement } from "./claims.js";
import type { JobRow } from "./rows.js";
import type { StatEvent } from "./stats.js";

export type Completion = Extract<Settlement, { verb: "complete" }>;

/** What a settlement makes of the job. */
export interface Ending {
  readonly transition: TransitionName;
  readonly state: JobState;
  readonly runAt: number;
  /** Released and snoozed attempts are given back. */
  readonly attempt: number;
  readonly startedAt: number | null;
  readonly finishedAt: number | null;
}

/** A claim that ends because its handler waits for other jobs. */
export type Wait = Extract<Settlement, { verb: "wait" }>;

export type UnfinishedSettlement = Exclude<Settlement, Completion | Wait>;

export function isCompletion(settlement: Settlement): settlement is Completion {
  return settlement.verb === "complete";
}

export function endingOf(row: JobRow, settlement: UnfinishedSettlement, now: number): Ending {
  const { attempt, run_at: runAt, started_at: startedAt } = row;
  switch (settlement.verb) {
    case "bury":
      return { transition: "bury", state: "dead", runAt, attempt, startedAt, finishedAt: now };
    case "retry":
      return {
        transition: "retry",
        ...waiting(now, settlement.delayMs),
        attempt,
        startedAt,
        finishedAt: null,
      };
    case "snooze":
      return {
        transition: "snooze",
        ...waiting(now, settlement.delayMs),
        attempt: attempt - 1,
        startedAt,
        finishedAt: null,
      };
    case "release":
      // As if it had never been claimed: it goes back to its place in the queue, and has not started. By this it is
      // known from a snooze afterwards.
      return {
        transition: "release",
        state: "pending",
        runAt,
        attempt: attempt - 1,
        startedAt: null,
        finishedAt: null,
      };
  }
}

/** What a wait makes of the job: it runs again when those have ended, or at once when there are none. */
export function waitingFor(row: JobRow, count: number, now: number): Ending {
  return {
    transition: "wait",
    state: count > 0 ? "blocked" : "pending",
    runAt: now,
    attempt: row.attempt - 1,
    startedAt: row.started_at,
    finishedAt: null,
  };
}

/** A job that waits for one that waits for it would wait for ever. */
export function deadlock({ id, token, refs }: Wait): FailedSettlement {
  const message = `It waits for ${refs.join(", ")}, and one of those waits for it`;
  return {
    verb: "bury",
    id,
    token,
    failure: { outcome: "failed", error: { type: "FlowCycle", message, stack: null } },
  };
}

function waiting(now: number, delayMs: number): { state: JobState; runAt: number } {
  return { state: delayMs > 0 ? "scheduled" : "pending", runAt: now + delayMs };
}

export function eventsOf(settlement: UnfinishedSettlement | Wait): readonly StatEvent[] {
  switch (settlement.verb) {
    case "retry":
      return [...FAILURE_EVENTS[settlement.failure.outcome], "retried"];
    case "bury":
      return [...FAILURE_EVENTS[settlement.failure.outcome], "dead"];
    case "release":
      return ["released"];
    case "snooze":
    case "wait":
      return ["snoozed"];
  }
}

const FAILURE_EVENTS = {
  failed: ["failed"],
  timed_out: ["failed", "timed_out"],
  lost: ["failed", "lost"],
} as const satisfies Record<Failure["outcome"], readonly StatEvent[]>;

/**
 * Whether a settlement says what ended this claim before: a repeat, because the first answer was lost.
 *
 * @param row the job as it is now
 * @param recorded the outcome that is recorded for this claim, if any
 */
export function isRepeat(settlement: Settlement, row: JobRow, recorded: string | undefined): boolean {
  // After the next claim nothing is known of this one but a failure. Token 0 is that of no claim.
  if (row.token === settlement.token && row.token !== 0 && row.state !== "running") {
    if (settlement.verb === "complete") return row.state === "completed";
    if (settlement.verb === "release" || settlement.verb === "snooze" || settlement.verb === "wait") {
      const isGivenBack = row.finished_at === null && recorded === undefined;
      return isGivenBack && (row.started_at === null) === (settlement.verb === "release");
    }
  }
  if (settlement.verb !== "retry" && settlement.verb !== "bury") return false;
  return recorded === settlement.failure.outcome;
}
