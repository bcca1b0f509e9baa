import type { Attempt, Job, JobDetail, JobStep, LogLine } from "./core/job.js";
import type { JobWaits } from "./engine/events/job-waits.js";
import { cancel } from "./engine/cancel.js";
import type { EngineContext } from "./engine/context.js";
import { deleteJob } from "./engine/delete.js";
import { retry, retryMany } from "./engine/retry.js";
import { runNow } from "./engine/run-now.js";
import type { JobCursor, JobFilter, JobPage } from "./store/jobs.js";

/** Looks at single jobs and changes them by hand: `konveier.jobs`. */
export class Jobs {
  constructor(
    private readonly context: EngineContext,
    private readonly waits: JobWaits,
  ) {}

  /** `null` when there is no such job. */
  get(id: string): Promise<JobDetail | null> {
    return this.context.store.jobs.detail(id);
  }

  /**
   * Resolves with the job once it has finished, in whichever process. Look at its `state`: it is not
   * finished when `timeoutMs` have passed (default: no limit) or this Konveier is closed meanwhile.
   *
   * @throws KonveierError `job_not_found`, also when the job is deleted meanwhile
   */
  async waitFor(
    id: string,
    { timeoutMs = Number.POSITIVE_INFINITY, signal }: { timeoutMs?: number; signal?: AbortSignal } = {},
  ): Promise<JobDetail> {
    const job = await this.waits.untilFinished(id, timeoutMs, signal);
    signal?.throwIfAborted();
    return job;
  }

  async payload(id: string): Promise<unknown> {
    return parse(await this.context.store.jobs.payload(id));
  }

  /** What the handler returned; `undefined` when there is nothing. */
  async result(id: string): Promise<unknown> {
    return parse(await this.context.store.jobs.result(id));
  }

  /** Oldest first. */
  attempts(id: string): Promise<readonly Attempt[]> {
    return this.context.store.jobs.attempts(id);
  }

  /** Log lines after `afterSeq`, oldest first. */
  logs(id: string, { afterSeq = 0, limit = 1_000 } = {}): Promise<readonly LogLine[]> {
    return this.context.store.jobs.logs(id, afterSeq, limit);
  }

  /** Steps that its handler has done, in their order. */
  steps(id: string): Promise<readonly JobStep[]> {
    return this.context.store.steps.list(id);
  }

  /** What a step gave, by its `seq`; `undefined` when there is nothing. */
  async stepResult(id: string, seq: number): Promise<unknown> {
    return parse(await this.context.store.steps.result(id, seq));
  }

  /** A page of jobs; hand `next` of one page to the call for the following one. */
  list(
    filter: JobFilter = {},
    { limit = 50, after = null }: { limit?: number; after?: JobCursor | null } = {},
  ): Promise<JobPage> {
    return this.context.store.jobs.list(filter, limit, after);
  }

  cancel(id: string): Promise<Job> {
    return cancel(this.context, id);
  }

  retry(id: string): Promise<Job> {
    return retry(this.context, id);
  }

  /** Retries every dead job that matches. @returns how many */
  retryMany(filter: Pick<JobFilter, "queue" | "name" | "tag">): Promise<number> {
    return retryMany(this.context, filter);
  }

  runNow(id: string): Promise<Job> {
    return runNow(this.context, id);
  }

  delete(id: string, options?: { force?: boolean }): Promise<void> {
    return deleteJob(this.context, id, options);
  }
}

function parse(text: string | null): unknown {
  return text === null ? undefined : JSON.parse(text);
}
