import type { Instant } from "../core/job.js";

/** The dead jobs of one queue and name that died of one kind of error. There is none without a job. */
export interface DeadGroup {
  /** See `kindOfError`. */
  readonly fingerprint: string;
  readonly queue: string;
  readonly name: string;
  /** Of the error. */
  readonly type: string;
  /** Of the error, without what varies. */
  readonly message: string;
  /** Jobs that are dead now. */
  readonly count: number;
  /** When the job of these died that died first. */
  readonly firstAt: Instant;
  readonly lastAt: Instant;
  /** The job that died last. */
  readonly latestJobId: string;
}

export interface DeadGroupFilter {
  readonly queue?: string;
  readonly name?: string;
}

/** `count`: most jobs first; `latest`: by `lastAt`, latest first. */
export type DeadGroupOrder = "count" | "latest";

/** Dead jobs by what they died of. */
export interface DeadStore {
  /**
   * Costs by the number of groups, not of jobs.
   *
   * @param queueGlobs only of queues that match one of these, `*` standing for any characters
   */
  groups(
    filter: DeadGroupFilter,
    queueGlobs: readonly string[] | null,
    order: DeadGroupOrder,
    limit: number,
  ): Promise<readonly DeadGroup[]>;
}
