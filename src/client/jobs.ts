import type { WaitView } from "../api/event.js";
import type { ExplanationView } from "../api/explanation.js";
import type { DependencyView, FlowLinkView } from "../api/flow.js";
import type { AttemptView, JobDetailView, JobView, LogLineView, StepView } from "../api/job.js";
import type {
  CountQuery,
  JobCountView,
  JobListQuery,
  JobPageView,
  StateCountsQuery,
  StateCountsView,
} from "../api/job-list.js";
import { pages, type Page } from "./page.js";
import type { CallOptions, Transport } from "./transport.js";

/** The longest wait that one request may ask for; below what proxies allow a silent connection. */
const WAIT_MS = 25_000;

/** Which jobs of a list are wanted. */
export type JobQuery = Omit<JobListQuery, "cursor">;

/** Looks at jobs and changes them by hand: `client.jobs`. */
export class JobsClient {
  constructor(private readonly transport: Transport) {}

  get(id: string, options: CallOptions = {}): Promise<JobDetailView> {
    return this.transport.json({ ...options, method: "GET", path: pathOf(id), repeatable: true });
  }

  /** Why the job is not running, or that it is, or how it ended. `reason` says which facts there are. */
  explain(id: string, options: CallOptions = {}): Promise<ExplanationView> {
    return this.transport.json({
      ...options,
      method: "GET",
      path: `${pathOf(id)}/explain`,
      repeatable: true,
    });
  }

  /** One page of jobs. `scan` says how far the server looked where no index gave the answer. */
  page(query: JobListQuery = {}, options: CallOptions = {}): Promise<JobPageView> {
    return this.transport.json({ ...options, method: "GET", path: "/v1/jobs", query, repeatable: true });
  }

  /** All jobs that match, page by page as they are asked for. */
  list(query: JobQuery = {}, options: CallOptions = {}): AsyncGenerator<JobView, void, undefined> {
    return pages((place) => this.page({ ...query, ...place }, options));
  }

  /** How many match. `capped`: there are more. `scan`: how far the server looked where no index gave the answer. */
  count(query: CountQuery = {}, options: CallOptions = {}): Promise<JobCountView> {
    return this.transport.json({
      ...options,
      method: "GET",
      path: "/v1/jobs/count",
      query,
      repeatable: true,
    });
  }

  /** How many of each state match. `capped`: there are more, or there may be. */
  countByState(query: StateCountsQuery = {}, options: CallOptions = {}): Promise<StateCountsView> {
    const path = "/v1/jobs/counts";
    return this.transport.json({ ...options, method: "GET", path, query, repeatable: true });
  }

  /**
   * Waits until the job has finished, for as long as it takes or for `withinMs`.
   *
   * @returns the job with its result; `finished` is false when the time is over
   */
  async wait(
    id: string,
    { withinMs = Number.POSITIVE_INFINITY, ...options }: CallOptions & { readonly withinMs?: number } = {},
  ): Promise<WaitView> {
    const { clock } = this.transport;
    const end = clock.monotonic() + withinMs;
    for (;;) {
      const timeoutMs = Math.max(0, Math.min(WAIT_MS, Math.round(end - clock.monotonic())));
      const job = await this.#waitOnce(id, timeoutMs, options);
      if (job.finished || clock.monotonic() >= end) return job;
    }
  }

  async payload(id: string, options: CallOptions = {}): Promise<unknown> {
    return JSON.parse(await this.payloadText(id, options)) as unknown;
  }

  /** The JSON text as it is stored, for who reads numbers otherwise than JavaScript does. */
  payloadText(id: string, options: CallOptions = {}): Promise<string> {
    return this.transport.text({
      ...options,
      method: "GET",
      path: `${pathOf(id)}/payload`,
      repeatable: true,
    });
  }

  /** What the handler returned. @throws ApiError `not_found` when there is nothing */
  async result(id: string, options: CallOptions = {}): Promise<unknown> {
    return JSON.parse(await this.resultText(id, options)) as unknown;
  }

  /** Like `payloadText`, of the result. */
  resultText(id: string, options: CallOptions = {}): Promise<string> {
    return this.transport.text({ ...options, method: "GET", path: `${pathOf(id)}/result`, repeatable: true });
  }

  /** Oldest first. */
  async attempts(id: string, options: CallOptions = {}): Promise<readonly AttemptView[]> {
    const path = `${pathOf(id)}/attempts`;
    const page = await this.transport.json<Page<AttemptView>>({
      ...options,
      method: "GET",
      path,
      repeatable: true,
    });
    return page.items;
  }

  /** Log lines after line number `after`, oldest first. */
  async logs(
    id: string,
    query: { after?: number; limit?: number } = {},
    options: CallOptions = {},
  ): Promise<readonly LogLineView[]> {
    const path = `${pathOf(id)}/logs`;
    const page = await this.transport.json<Page<LogLineView>>({
      ...options,
      method: "GET",
      path,
      query,
      repeatable: true,
    });
    return page.items;
  }

  /** Steps that the job's handler has done, in their order. */
  async steps(id: string, options: CallOptions = {}): Promise<readonly StepView[]> {
    const path = `${pathOf(id)}/steps`;
    const page = await this.transport.json<Page<StepView>>({
      ...options,
      method: "GET",
      path,
      repeatable: true,
    });
    return page.items;
  }

  /** What a step gave, by its `seq`. @throws ApiError `not_found` when there is nothing */
  async stepResult(id: string, seq: number, options: CallOptions = {}): Promise<unknown> {
    return JSON.parse(await this.stepResultText(id, seq, options)) as unknown;
  }

  /** Like `payloadText`, of a step. */
  stepResultText(id: string, seq: number, options: CallOptions = {}): Promise<string> {
    const path = `${pathOf(id)}/steps/${seq}/result`;
    return this.transport.text({ ...options, method: "GET", path, repeatable: true });
  }

  /** What the job depends on or has waited for, with results, by id, page by page as they are asked for. */
  dependencies(id: string, options: CallOptions = {}): AsyncGenerator<DependencyView, void, undefined> {
    return this.#links(`${pathOf(id)}/dependencies`, options);
  }

  /** What depends on the job or waits for it, by id, page by page as they are asked for. */
  dependants(id: string, options: CallOptions = {}): AsyncGenerator<FlowLinkView, void, undefined> {
    return this.#links(`${pathOf(id)}/dependants`, options);
  }

  /** Gives a dead or cancelled job a fresh budget. */
  retry(id: string, options: CallOptions = {}): Promise<JobView> {
    return this.#change(`${pathOf(id)}/retry`, false, options);
  }

  cancel(id: string, options: CallOptions = {}): Promise<JobView> {
    return this.#change(`${pathOf(id)}/cancel`, true, options);
  }

  /** Makes a scheduled job claimable. */
  runNow(id: string, options: CallOptions = {}): Promise<JobView> {
    return this.#change(`${pathOf(id)}/run-now`, false, options);
  }

  /** Removes a job with all that belongs to it; a running one only with `force`. */
  async delete(
    id: string,
    { force, ...options }: CallOptions & { readonly force?: boolean } = {},
  ): Promise<void> {
    await this.transport.text({
      ...options,
      method: "DELETE",
      path: pathOf(id),
      query: { force },
      repeatable: false,
    });
  }

  #waitOnce(id: string, timeoutMs: number, options: CallOptions): Promise<WaitView> {
    return this.transport.json({
      ...options,
      method: "GET",
      path: `${pathOf(id)}/wait`,
      query: { timeoutMs },
      timeoutMs: (options.timeoutMs ?? this.transport.timeoutMs) + timeoutMs,
      repeatable: true,
    });
  }

  #links<Link>(path: string, options: CallOptions): AsyncGenerator<Link, void, undefined> {
    return pages((query) =>
      this.transport.json<Page<Link>>({
        ...options,
        method: "GET",
        path,
        query: { ...query },
        repeatable: true,
      }),
    );
  }

  #change(path: string, repeatable: boolean, options: CallOptions): Promise<JobView> {
    return this.transport.json({ ...options, method: "POST", path, repeatable });
  }
}

function pathOf(id: string): string {
  return `/v1/jobs/${encodeURIComponent(id)}`;
}
