import type { AttemptView, JobDetailView, JobView, LogLineView } from "../api/job.js";
import type { JobListQuery } from "../api/job-list.js";
import type { CallOptions, Transport } from "./transport.js";

/** Which jobs of a list are wanted. */
export type JobQuery = Omit<JobListQuery, "cursor">;

export interface Page<Item> {
  readonly items: readonly Item[];
  /** Hand it to the call for the next page; `null` after the last one. */
  readonly nextCursor: string | null;
}

/** Looks at jobs and changes them by hand: `client.jobs`. */
export class JobsClient {
  constructor(private readonly transport: Transport) {}

  get(id: string, options: CallOptions = {}): Promise<JobDetailView> {
    return this.transport.json({ ...options, method: "GET", path: pathOf(id), repeatable: true });
  }

  /** One page of jobs. */
  page(query: JobListQuery = {}, options: CallOptions = {}): Promise<Page<JobView>> {
    return this.transport.json({ ...options, method: "GET", path: "/v1/jobs", query, repeatable: true });
  }

  /** All jobs that match, page by page as they are asked for. */
  async *list(query: JobQuery = {}, options: CallOptions = {}): AsyncGenerator<JobView, void, undefined> {
    let cursor: string | null = null;
    do {
      const page: Page<JobView> = await this.page({ ...query, ...(cursor !== null && { cursor }) }, options);
      yield* page.items;
      cursor = page.nextCursor;
    } while (cursor !== null);
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

  #change(path: string, repeatable: boolean, options: CallOptions): Promise<JobView> {
    return this.transport.json({ ...options, method: "POST", path, repeatable });
  }
}

function pathOf(id: string): string {
  return `/v1/jobs/${encodeURIComponent(id)}`;
}
