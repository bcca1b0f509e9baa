import type {
  CreatedFlow,
  DependencyResult,
  Flow,
  FlowDetail,
  FlowJob,
  FlowLink,
  FlowState,
} from "../core/flow.js";
import type { Dependency } from "../core/flow-request.js";
import type { LeaseLossReason } from "../core/errors.js";
import type { JobState } from "../core/states.js";
import type { ClaimKey } from "./claims.js";
import type { Idempotency, NewJob } from "./jobs.js";

/** A flow to make, complete and checked. */
export interface NewFlow {
  readonly name: string;
  /** Each behind those that it depends on. */
  readonly jobs: readonly NewFlowJob[];
  readonly idempotency: Idempotency | null;
}

export interface NewFlowJob {
  readonly ref: string;
  readonly job: NewJob;
  readonly dependsOn: readonly Dependency[];
}

export interface FlowFilter {
  readonly state?: FlowState;
  readonly name?: string;
}

export interface FlowPage {
  /** Newest first. */
  readonly items: readonly Flow[];
  /** Id of the last one, where there may be more. */
  readonly next: string | null;
}

/** Items behind the job with the id that was given, in the order of ids. */
export interface PageOfFlow<Item> {
  readonly items: readonly Item[];
  readonly next: string | null;
}

/** Part of a walk over the jobs of a flow. */
export interface FlowWalk {
  readonly changed: number;
  /** Where to go on; `null` at the end. */
  readonly after: string | null;
}

export interface FlowStore {
  /**
   * Makes a flow with all its jobs, or nothing: none of them runs before all are there.
   *
   * @throws KonveierError `idempotency_key_reused`; `store_busy` while another call makes the flow of the same key
   */
  create(flow: NewFlow): Promise<CreatedFlow>;

  /**
   * Adds jobs to the flow of a claimed job, all or none; one that is in no flow begins one, as `root`. Refs that the
   * flow has already are left as they are.
   *
   * @returns refs that are neither in the flow nor among the jobs, by place of the job that names them; or why the
   *   claim is lost
   */
  add(key: ClaimKey, jobs: readonly NewFlowJob[]): Promise<readonly UnknownRef[] | LeaseLossReason>;

  /** Those of the refs that the flow of a job has. */
  members(jobId: string, refs: readonly string[]): Promise<readonly FlowMember[]>;

  get(id: string): Promise<FlowDetail | null>;
  list(filter: FlowFilter, limit: number, after: string | null): Promise<FlowPage>;
  /** `null`: no such flow. */
  jobs(id: string, limit: number, after: string | null): Promise<PageOfFlow<FlowJob> | null>;
  /** What a job depends on, with results; `null`: no such job. */
  dependencies(
    jobId: string,
    limit: number,
    after: string | null,
  ): Promise<PageOfFlow<DependencyResult> | null>;
  /**
   * What a job still waits for.
   *
   * @param most of those that are told
   */
  openDependencies(jobId: string, most: number): Promise<OpenDependencies>;
  /** What depends on a job; `null`: no such job. */
  dependants(jobId: string, limit: number, after: string | null): Promise<PageOfFlow<FlowLink> | null>;

  /** Cancels jobs of the flow that have not ended, from a job on. `null`: no such flow. */
  cancel(id: string, after: string | null, limit: number): Promise<FlowWalk | null>;
  /** Starts dead and cancelled jobs over, from a job on; those wait again that depend on others. `null`: no such flow. */
  retry(id: string, after: string | null, limit: number): Promise<FlowWalk | null>;

  /**
   * Goes on with what one transaction left to do: tells jobs that what they wait for has ended, and opens flows.
   *
   * @returns how much was done, about `limit` when there may be more
   */
  goOn(limit: number): Promise<number>;

  /** Removes flows whose making was broken off longer ago than this. @returns how many jobs were removed */
  removeUnmade(olderThanMs: number, limit: number): Promise<number>;
}

export interface OpenDependencies {
  readonly count: number;
  /** Those that need a retry by hand before the others, then by id. */
  readonly first: readonly FlowLink[];
}

/** A job of a flow. */
export interface FlowMember {
  readonly id: string;
  readonly ref: string;
  readonly state: JobState;
  /** Whether the job that asks depends on it or has waited for it. */
  readonly awaited: boolean;
}

export interface UnknownRef {
  /** Of the job that names it, in the call. */
  readonly place: number;
  readonly ref: string;
}
