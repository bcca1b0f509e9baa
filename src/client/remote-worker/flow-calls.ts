import { LeaseLostError } from "../../core/errors.js";
import type { DependencyResult } from "../../core/flow.js";
import type { FlowJobRequest } from "../../core/flow-request.js";
import type { FlowCalls } from "../../core/job-flow.js";
import type { ClaimedJob } from "../../core/job.js";
import { traceEnqueue, type Tracer } from "../../core/tracing.js";
import type { TraceContext } from "../../core/trace-context.js";
import type { KonveierClient } from "../client.js";
import { ApiError } from "../errors.js";
import type { Lease } from "../leases.js";

/** What the handler of one run has to do with the flow of its job. Each may be said twice, so a lost answer is no harm. */
export class RemoteFlowCalls implements FlowCalls {
  constructor(
    private readonly client: KonveierClient,
    private readonly lease: Lease,
    private readonly tracer: Tracer | null,
  ) {}

  add(job: Pick<ClaimedJob, "id" | "token">, jobs: readonly FlowJobRequest[]): Promise<void> {
    const send = (trace: TraceContext | null) =>
      held(job, this.client.leases.addFlowJobs(this.lease, jobs, { trace }));
    return this.tracer === null ? send(null) : traceEnqueue(this.tracer, jobs, null, send, () => null);
  }

  async hasToWait(job: Pick<ClaimedJob, "id" | "token">, refs: readonly string[]): Promise<boolean> {
    const { waiting } = await held(job, this.client.leases.wait(this.lease, { refs, check: true }));
    return waiting;
  }

  async dependencies(job: Pick<ClaimedJob, "id" | "token">, after: string | null) {
    const place = after === null ? {} : { cursor: after };
    const { items, nextCursor } = await held(job, this.client.leases.dependencies(this.lease, place));
    return {
      items: items.map((item): DependencyResult => ({
        ...item,
        result: item.result === undefined ? null : JSON.stringify(item.result),
      })),
      next: nextCursor,
    };
  }
}

async function held<Answer>(
  { id, token }: Pick<ClaimedJob, "id" | "token">,
  call: Promise<Answer>,
): Promise<Answer> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof ApiError && error.code === "lease_lost") {
      throw new LeaseLostError(id, token, "reclaimed");
    }
    throw error;
  }
}
