import type { Backoff } from "../core/backoff.js";
import type { Attempt, Enqueued, Instant, Job, JobDetail, LogLine, Origin } from "../core/job.js";
import type { JobQuery } from "../core/job-query/query.js";
import type { JobState } from "../core/states.js";
import type { TraceContext } from "../core/trace-context.js";
import type { CheckedUnique } from "../core/unique.js";

/** A job to insert, complete and checked. */
export interface NewJob {
  readonly queue: string;
  readonly name: string;
  /** JSON text. */
  readonly payload: string;
  readonly priority: number;
  /** `null`: now. A past instant counts as now for the state, but keeps its place in the order. */
  readonly runAt: Instant | null;
  /** Added to the store's time of insertion; 0 with a `runAt`. */
  readonly delayMs: number;
  readonly maxAttempts: number;
  readonly backoff: Backoff | null;
  readonly timeoutMs: number | null;
  readonly tags: readonly string[];
  readonly unique: CheckedUnique | null;
  readonly expiresAt: Instant | null;
  /** Counted from the store's time of insertion; excludes `expiresAt`. */
  readonly expiresInMs: number | null;
  readonly idempotency: Idempotency | null;
  readonly schedule: Origin | null;
  /** Not part of the definition that an idempotency key stands for. */
  readonly trace: TraceContext | null;
  /** See `keysText`. */
  readonly keys: string | null;
}

export interface Idempotency {
  readonly key: string;
  /** Of the definition that the caller gave; the same key with another one is refused. */
  readonly fingerprint: string;
}

export interface JobFilter {
  readonly state?: JobState;
  readonly queue?: string;
  readonly name?: string;
  readonly tag?: string;
}

/** Where a page ends: the sort value and id of its last job. */
export interface JobCursor {
  readonly sort: number;
  readonly id: string;
}

export interface JobPage {
  readonly items: readonly Job[];
  readonly next: JobCursor | null;
}

/**
 * What was looked at to answer a query that no index answers.
 *
 * - `examined`: jobs that were looked at
 * - `until`: where in the order that ended, as the instant by which the list is sorted (`createdAt` for a
 *   list by id); `null` at the end of the list
 * - `complete`: whether the end of the list was reached
 */
export interface JobScan {
  readonly examined: number;
  readonly until: Instant | null;
  readonly complete: boolean;
}

/** `next` goes on where the scan ended: a page may have few jobs, or none, and still have a next one. */
export interface JobSearchPage extends JobPage {
  /** `null` when an index gave the answer. */
  readonly scan: JobScan | null;
}

export interface JobCount {
  readonly count: number;
  /** Whether there are more than were counted. */
  readonly capped: boolean;
  /** `null` when an index or the kept counters gave the answer. When it is not complete, there may be more. */
  readonly scan: JobScan | null;
}

/** How many jobs of each state match. */
export interface JobStateCounts {
  /** `capped`: there are more than were counted, or there may be. */
  readonly states: Readonly<Record<JobState, { readonly count: number; readonly capped: boolean }>>;
  /** `null` when indexes or the kept counters gave the answer. */
  readonly scan: Pick<JobScan, "examined" | "complete"> | null;
}

export interface MatchingIds {
  /** Ascending. */
  readonly ids: readonly string[];
  /** Where to go on; `null` when no job behind it can match. */
  readonly lastExaminedId: string | null;
}

export interface JobStore {
  /**
   * Inserts all jobs or none. One whose idempotency key is known, or whose unique key is taken, is answered with the
   * job that has it; its own idempotency key stays unused then.
   *
   * @throws KonveierError `idempotency_key_reused`, `unique_conflict`, `queue_full`
   */
  insertMany(jobs: readonly NewJob[]): Promise<readonly Enqueued[]>;

  get(id: string): Promise<Job | null>;
  detail(id: string): Promise<JobDetail | null>;
  /** JSON text. */
  payload(id: string): Promise<string | null>;
  /** JSON text; `null` when there is no such job or it has no result. */
  result(id: string): Promise<string | null>;
  /** Oldest first, the present one last. */
  attempts(id: string): Promise<readonly Attempt[]>;
  /** Lines after `afterSeq`, oldest first. */
  logs(id: string, afterSeq: number, limit: number): Promise<readonly LogLine[]>;

  /**
   * A page of jobs. The order depends on the state asked for: `scheduled` by `runAt`, soonest first;
   * finished ones by `finishedAt`, newest first; all others by id, newest first.
   */
  list(filter: JobFilter, limit: number, after: JobCursor | null): Promise<JobPage>;

  /**
   * A page of the jobs that match, in the order of `list` when the query asks for one state only, else by id,
   * newest first. Relative times are counted from the store's time; `resolveTimes` fixes them for a whole walk.
   *
   * @param queueGlobs only jobs of queues that match one of these, `*` standing for any characters
   * @param budgetMs how long jobs may be looked at in vain; the event loop goes on meanwhile
   */
  search(
    query: JobQuery,
    queueGlobs: readonly string[] | null,
    limit: number,
    after: JobCursor | null,
    budgetMs: number,
  ): Promise<JobSearchPage>;

  /** How many jobs match. Exact when the query asks only for queues, names and states; else counted to `cap`. */
  count(
    query: JobQuery,
    queueGlobs: readonly string[] | null,
    cap: number,
    budgetMs: number,
  ): Promise<JobCount>;

  /**
   * As `count`, for each state by itself; `query` asks for no state.
   *
   * @param budgetMs for all states together; states with few jobs are counted first, and leave the rest of their
   *   share to the others
   */
  countByState(
    query: JobQuery,
    queueGlobs: readonly string[] | null,
    cap: number,
    budgetMs: number,
  ): Promise<JobStateCounts>;

  /**
   * Ids above `afterId` of jobs that match, ascending: for walks that change the jobs they meet. A job that
   * exists during the whole walk and matches is met once.
   *
   * @param examineAtMost jobs that are looked at for one answer; fewer where that takes more than some milliseconds
   */
  matching(
    query: JobQuery,
    queueGlobs: readonly string[] | null,
    afterId: string | null,
    limit: number,
    examineAtMost: number,
  ): Promise<MatchingIds>;

  /** Ends a job that is not finished. The claim of a running one is no longer current. */
  cancel(id: string): Promise<JobChange>;
  /** Gives a dead or cancelled job a fresh budget and makes it claimable. */
  revive(id: string): Promise<JobChange>;
  /**
   * Revives up to `limit` jobs that match and were dead at the instant `by`, oldest first; the answer is
   * how many there were. A job that dies again is not met twice.
   */
  reviveMany(filter: Omit<JobFilter, "state">, by: Instant, limit: number): Promise<number>;
  /** Makes a scheduled job claimable. */
  runNow(id: string): Promise<JobChange>;
  /** Removes a job and all that belongs to it. A running one only with `force`. */
  delete(id: string, force: boolean): Promise<JobChange>;
}

/**
 * What became of a change by hand: `changed`, `unchanged` (it was in the wanted state already),
 * `refused` (its state does not allow it), or `missing`.
 */
export type JobChange =
  | { readonly outcome: "changed" | "unchanged" | "refused"; readonly job: Job }
  | { readonly outcome: "missing" };
