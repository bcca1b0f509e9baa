/**
 * The state machine of a job: the one table of what may become what.
 * Stores record every change through `assertTransition`, and docs/state-machine.md draws this table.
 */

export const JOB_STATES = [
  "blocked",
  "scheduled",
  "pending",
  "running",
  "completed",
  "dead",
  "cancelled",
] as const;

/**
 * - `blocked`: waits for other jobs of its flow
 * - `scheduled`: waits for its `runAt`, before the first run or between attempts
 * - `pending`: can be claimed
 * - `running`: claimed, its worker holds the lease
 * - `completed`, `dead`, `cancelled`: finished
 */
export type JobState = (typeof JOB_STATES)[number];

export const FINISHED_STATES = ["completed", "dead", "cancelled"] as const satisfies JobState[];
export type FinishedState = (typeof FINISHED_STATES)[number];

export function isFinished(state: JobState): state is FinishedState {
  return (FINISHED_STATES as readonly JobState[]).includes(state);
}

interface Transition {
  readonly from: readonly JobState[];
  readonly to: readonly JobState[];
}

export const TRANSITIONS = {
  /** The job's `runAt` has come. */
  promote: { from: ["scheduled"], to: ["pending"] },
  /** A worker takes the job. Counts the attempt. */
  claim: { from: ["pending"], to: ["running"] },
  complete: { from: ["running"], to: ["completed"] },
  /** The attempt failed and the budget has another one. */
  retry: { from: ["running"], to: ["scheduled", "pending"] },
  /** The attempt failed and was the last one, or failed for good. */
  bury: { from: ["running"], to: ["dead"] },
  /** The worker gives the job back unfinished, at shutdown. The attempt is not counted. */
  release: { from: ["running"], to: ["pending"] },
  /** The handler asks to be called later. The attempt is not counted. */
  snooze: { from: ["running"], to: ["scheduled", "pending"] },
  cancel: { from: ["blocked", "scheduled", "pending", "running"], to: ["cancelled"] },
  /** It had not started by its `expiresAt`. */
  expire: { from: ["blocked", "scheduled", "pending"], to: ["cancelled"] },
  /** Its queue was full, and it was the oldest one that waited in it. */
  drop: { from: ["pending"], to: ["cancelled"] },
  /** Another request with its unique key gave it a new definition. */
  replace: { from: ["scheduled", "pending"], to: ["scheduled", "pending"] },
  /** Another request with its unique key gave it a new `runAt`. */
  reschedule: { from: ["scheduled", "pending"], to: ["scheduled", "pending"] },
  /** The handler waits for other jobs of its flow. The attempt is not counted. */
  wait: { from: ["running"], to: ["blocked", "pending"] },
  /** What the job waited for has ended. */
  unblock: { from: ["blocked"], to: ["scheduled", "pending"] },
  /** By hand: a fresh budget of attempts. With its flow it may have to wait again. */
  revive: { from: ["dead", "cancelled"], to: ["pending", "blocked"] },
  /** By hand: do not wait for `runAt`. */
  "run-now": { from: ["scheduled"], to: ["pending"] },
} as const satisfies Record<string, Transition>;

export type TransitionName = keyof typeof TRANSITIONS;

/** Throws when the state machine does not know this change: a defect of the caller, never of the user. */
export function assertTransition(name: TransitionName, from: JobState, to: JobState): void {
  const transition: Transition = TRANSITIONS[name];
  if (!transition.from.includes(from) || !transition.to.includes(to)) {
    throw new Error(`Illegal transition "${name}": ${from} -> ${to}`);
  }
}
