import type { Static } from "typebox";
import type { ClaimBody, ClaimView } from "../api/claim.js";
import type { DependencyView } from "../api/flow.js";
import type {
  AckItem,
  AckView,
  CompletedView,
  FailBody,
  FailedView,
  FoundStepView,
  HeartbeatBody,
  HeartbeatView,
  LogsBody,
  ProgressBody,
  SettledView,
  StoreStepBody,
  WaitForJobsBody,
  WaitForJobsView,
} from "../api/lease.js";
import type { FlowJobRequest } from "../core/flow-request.js";
import type { TraceContext } from "../core/trace-context.js";
import type { Page, PageQuery } from "./page.js";
import type { CallOptions, Transport } from "./transport.js";
import { wireRequest } from "./wire-request.js";

/** One claim of one job: what a claim answered is one. */
export interface Lease {
  readonly id: string;
  readonly leaseToken: string;
}

/**
 * What a worker says: `client.leases`. Everything but a claim may be said again about the same lease, so all
 * of it is repeated when an answer is lost. `RemoteWorker` does all this by itself.
 */
export class LeasesClient {
  constructor(private readonly transport: Transport) {}

  /** Takes jobs. Only a claim with a `claimId` is repeated when its answer is lost. */
  claim(request: ClaimBody, options: CallOptions = {}): Promise<ClaimView> {
    const timeoutMs = options.timeoutMs ?? this.transport.timeoutMs + (request.waitMs ?? 0);
    const repeatable = request.claimId !== undefined;
    return this.#post("/v1/claim", request, { ...options, timeoutMs }, repeatable);
  }

  /** Extends leases, each for itself. */
  heartbeat(request: Static<typeof HeartbeatBody>, options: CallOptions = {}): Promise<HeartbeatView> {
    return this.#post("/v1/heartbeat", request, options);
  }

  /** Ends up to 500 claims at once, each for itself. */
  ack(results: readonly AckItem[], options: CallOptions = {}): Promise<AckView> {
    return this.#post("/v1/ack", { results }, options);
  }

  complete(
    { id, leaseToken }: Lease,
    result?: unknown,
    options: CallOptions = {},
  ): Promise<Static<typeof CompletedView>> {
    return this.#post(pathOf(id, "complete"), { leaseToken, result }, options);
  }

  fail(
    { id, leaseToken }: Lease,
    failure: Omit<Static<typeof FailBody>, "leaseToken">,
    options: CallOptions = {},
  ): Promise<Static<typeof FailedView>> {
    return this.#post(pathOf(id, "fail"), { leaseToken, ...failure }, options);
  }

  /** Gives the job back unfinished; the attempt does not count. */
  release({ id, leaseToken }: Lease, options: CallOptions = {}): Promise<Static<typeof SettledView>> {
    return this.#post(pathOf(id, "release"), { leaseToken }, options);
  }

  /** Gives the job back to run later; the attempt does not count. */
  snooze(
    { id, leaseToken }: Lease,
    delayMs: number,
    options: CallOptions = {},
  ): Promise<Static<typeof SettledView>> {
    return this.#post(pathOf(id, "snooze"), { leaseToken, delayMs }, options);
  }

  /** Gives the job back until others of its flow have ended, or with `check` only asks whether one of them has not. */
  wait(
    { id, leaseToken }: Lease,
    wait: Omit<Static<typeof WaitForJobsBody>, "leaseToken" | "refs"> & { readonly refs: readonly string[] },
    options: CallOptions = {},
  ): Promise<WaitForJobsView> {
    return this.#post(pathOf(id, "wait"), { leaseToken, ...wait }, options);
  }

  /** Adds jobs to the flow of the job, all or none. Refs that it has already are left as they are. */
  async addFlowJobs(
    { id, leaseToken }: Lease,
    jobs: readonly FlowJobRequest[],
    { trace = null, ...options }: CallOptions & { readonly trace?: TraceContext | null } = {},
  ): Promise<void> {
    const body = { leaseToken, jobs: jobs.map(wireRequest) };
    const path = pathOf(id, "flow-jobs");
    await this.transport.text({ ...options, method: "POST", path, body, repeatable: true, trace });
  }

  /** What the job depends on or has waited for, with results. */
  dependencies(
    { id, leaseToken }: Lease,
    query: PageQuery = {},
    options: CallOptions = {},
  ): Promise<Page<DependencyView>> {
    return this.#post(pathOf(id, "dependencies"), { leaseToken, ...query }, options);
  }

  async progress(
    { id, leaseToken }: Lease,
    progress: Omit<Static<typeof ProgressBody>, "leaseToken">,
    options: CallOptions = {},
  ): Promise<void> {
    const body = { leaseToken, ...progress };
    const path = pathOf(id, "progress");
    await this.transport.text({ ...options, method: "POST", path, body, repeatable: true });
  }

  /** Adds lines to the job's log. Only with `seq` is it repeated when the answer is lost. */
  async logs(
    { id, leaseToken }: Lease,
    batch: Omit<Static<typeof LogsBody>, "leaseToken">,
    options: CallOptions = {},
  ): Promise<void> {
    const body = { leaseToken, ...batch };
    const path = pathOf(id, "logs");
    const repeatable = batch.seq !== undefined;
    await this.transport.text({ ...options, method: "POST", path, body, repeatable });
  }

  /** Whether a step of the job is done, in this attempt or an earlier one; then with what it gave. */
  findStep({ id, leaseToken }: Lease, name: string, options: CallOptions = {}): Promise<FoundStepView> {
    return this.#post(pathOf(id, "steps/find"), { leaseToken, name }, options);
  }

  /** Says that a step is done. One that is stored already keeps its result. */
  async storeStep(
    { id, leaseToken }: Lease,
    step: Omit<Static<typeof StoreStepBody>, "leaseToken">,
    options: CallOptions = {},
  ): Promise<void> {
    const body = { leaseToken, ...step };
    const path = pathOf(id, "steps");
    await this.transport.text({ ...options, method: "POST", path, body, repeatable: true });
  }

  #post<View>(path: string, body: unknown, options: CallOptions, repeatable = true): Promise<View> {
    return this.transport.json({ ...options, method: "POST", path, body, repeatable });
  }
}

function pathOf(id: string, verb: string): string {
  return `/v1/jobs/${encodeURIComponent(id)}/${verb}`;
}
