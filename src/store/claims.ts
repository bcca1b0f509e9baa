import type { ClaimedJob, Instant, LogLevel } from "../core/job.js";
import type { LeaseLossReason } from "../core/errors.js";
import type { HoldScope } from "../core/outcomes.js";
import type { JobState } from "../core/states.js";
import type { StoredError } from "../core/stored-error.js";

export interface ClaimRequest {
  readonly workerId: string;
  /** In order of preference: a later queue is asked only for what the earlier ones could not give. */
  readonly queues: readonly string[];
  /** Names of jobs that the worker can run; `null` for all. */
  readonly names: readonly string[] | null;
  readonly max: number;
  readonly leaseMs: number;
}

export interface ClaimName {
  /**
   * A name that the worker gives to its claim. The same worker asking again under it, for the same queues and
   * names, gets the same jobs as long as it holds any of them, so that an answer that was lost strands none.
   */
  readonly claimId: string;
  /**
   * Who asks, where workers do not know of each other: anybody may call itself like another one's worker. The same
   * `claimId` of another claimant is another claim. Default: nobody in particular.
   */
  readonly claimant?: string;
}

/**
 * A claim whose worker gave it a name. For other queues or names the same name is another claim: who may not
 * claim from a queue gets none of its jobs by a name either, and learns nothing of it.
 */
export type NamedClaim = Pick<ClaimRequest, "workerId" | "queues" | "names"> & ClaimName;

/** What identifies one claim of one job. */
export interface ClaimKey {
  readonly id: string;
  readonly token: number;
}

/** How a claim ends. `delayMs` counts from the store's time of the write. */
export type Settlement = ClaimKey &
  (
    | { readonly verb: "complete"; readonly result: string | null; readonly resultProblem: string | null }
    | { readonly verb: "retry"; readonly delayMs: number; readonly failure: Failure }
    | { readonly verb: "bury"; readonly failure: Failure }
    | { readonly verb: "release" }
    /** Until these jobs of its flow have ended. */
    | { readonly verb: "wait"; readonly refs: readonly string[] }
    | {
        readonly verb: "snooze";
        readonly delayMs: number;
        /** What else is not started for so long: the queue, or the key of the job. */
        readonly hold?: HoldScope;
      }
  );

/** How the claim of a failed attempt ends. */
export type FailedSettlement = Extract<Settlement, { verb: "retry" | "bury" }>;

export interface Failure {
  readonly outcome: "failed" | "timed_out" | "lost";
  readonly error: StoredError;
}

export type Settled =
  | { readonly ok: true; readonly state: JobState; readonly runAt: Instant }
  | { readonly ok: false; readonly reason: LeaseLossReason };

export type Extended =
  | { readonly ok: true; readonly leaseExpiresAt: Instant }
  | { readonly ok: false; readonly reason: LeaseLossReason };

export interface NewLogLine {
  readonly level: LogLevel;
  readonly message: string;
}

/** A running job whose lease has ended. */
export interface ExpiredClaim extends ClaimKey {
  readonly queue: string;
  readonly name: string;
  readonly workerId: string;
  readonly attempt: number;
  readonly maxAttempts: number;
  readonly failures: number;
  readonly backoff: ClaimedJob["backoff"];
}

export interface ClaimStore {
  /**
   * Takes up to `max` pending jobs of queues that are not paused: highest priority first, then the
   * oldest `runAt`, then the order of insertion. Each gets the next fencing token. Fewer than `max` when one
   * more payload of the largest size would bring their payloads beyond `MAX_CLAIM_BYTES`.
   */
  claim(request: ClaimRequest): Promise<readonly ClaimedJob[]>;

  /**
   * As `claim`, when jobs were not handed out under this name before. Else those of them that this claim still holds,
   * with their tokens and leases as they are: the name is known until the lease that was asked for has ended, or
   * until its jobs are given back.
   *
   * @returns `null`: the name is known and holds nothing any more. Whoever asks has not heard that its jobs have ended,
   *   and may not hear of new ones either.
   */
  claimAs(request: ClaimRequest & ClaimName): Promise<readonly ClaimedJob[] | null>;

  /**
   * Releases jobs whose answer never reached the worker, unless another answer of the same claim carries
   * them: each answer is given back by itself, and only the last one releases. After the lease that the
   * claim asked for has ended, nothing is released any more.
   *
   * @returns empty when nothing was released; else as `settle`, in the order of `keys`
   */
  giveBack(claim: NamedClaim, keys: readonly ClaimKey[]): Promise<readonly Settled[]>;

  /** A job that is held with this token, or why not. */
  current(key: ClaimKey): Promise<ClaimedJob | LeaseLossReason>;

  /** Makes each lease end `leaseMs` from now. Answers in the order of `keys`. */
  extend(keys: readonly ClaimKey[], leaseMs: number): Promise<readonly Extended[]>;

  /**
   * Ends claims, each for itself: a lost one does not touch the others. Answers in the same order.
   * Saying the same about the same claim again is `ok` and changes nothing.
   */
  settle(settlements: readonly Settlement[]): Promise<readonly Settled[]>;

  /** @returns why the claim is lost, or `null` when the progress was kept */
  progress(key: ClaimKey, percent: number, message: string | null): Promise<LeaseLossReason | null>;

  /**
   * Adds lines, up to the limit a job may have. With `seq`, a number that grows with every batch of this
   * claim, a batch that is said again is not kept twice.
   *
   * @returns why the claim is lost, or `null`
   */
  log(key: ClaimKey, lines: readonly NewLogLine[], seq?: number): Promise<LeaseLossReason | null>;

  /** Running jobs whose lease has ended, longest ago first. */
  expired(limit: number): Promise<readonly ExpiredClaim[]>;

  /** Like `settle`, for claims whose lease has still ended at the time of the write; others are left alone. */
  reap(settlements: readonly FailedSettlement[]): Promise<readonly Settled[]>;

  /** Makes up to `limit` due scheduled jobs pending. @returns how many there were */
  promote(limit: number): Promise<number>;

  /** When the next scheduled job is due; `null` when there is none. */
  nextDue(): Promise<Instant | null>;
}
