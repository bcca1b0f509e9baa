import type { Static } from "typebox";
import type { EnqueuedJobView } from "../api/job.js";
import type {
  PreviewBody,
  PreviewView,
  ScheduleBody,
  ScheduleDetailView,
  ScheduleItemView,
  ScheduleRunView,
  ScheduleView,
} from "../api/schedule.js";
import { pages, type Page, type PageQuery } from "./page.js";
import type { CallOptions, Transport } from "./transport.js";

/** Makes, looks at and changes schedules: `client.schedules`. */
export class SchedulesClient {
  constructor(private readonly transport: Transport) {}

  /** Makes the schedule, or makes it what is given here. */
  put(
    key: string,
    schedule: Static<typeof ScheduleBody>,
    options: CallOptions = {},
  ): Promise<ScheduleDetailView> {
    const path = pathOf(key);
    return this.transport.json({ ...options, method: "PUT", path, body: schedule, repeatable: true });
  }

  get(key: string, options: CallOptions = {}): Promise<ScheduleDetailView> {
    return this.transport.json({ ...options, method: "GET", path: pathOf(key), repeatable: true });
  }

  /** With `runs` each of them has that many of its latest runs. */
  page(
    query: PageQuery & { readonly runs?: number } = {},
    options: CallOptions = {},
  ): Promise<Page<ScheduleItemView>> {
    const path = "/v1/schedules";
    return this.transport.json({ ...options, method: "GET", path, query: { ...query }, repeatable: true });
  }

  /** All of them by key, page by page as they are asked for. */
  list(limit?: number, options: CallOptions = {}): AsyncGenerator<ScheduleView, void, undefined> {
    return pages((query) => this.page(query, options), limit);
  }

  async delete(key: string, options: CallOptions = {}): Promise<void> {
    await this.transport.text({ ...options, method: "DELETE", path: pathOf(key), repeatable: false });
  }

  pause(key: string, reason?: string, options: CallOptions = {}): Promise<ScheduleView> {
    const body = reason === undefined ? {} : { reason };
    const path = `${pathOf(key)}/pause`;
    return this.transport.json({ ...options, method: "POST", path, body, repeatable: true });
  }

  resume(key: string, options: CallOptions = {}): Promise<ScheduleView> {
    const path = `${pathOf(key)}/resume`;
    return this.transport.json({ ...options, method: "POST", path, repeatable: true });
  }

  /** Makes one job now, beside the rule. */
  run(key: string, options: CallOptions = {}): Promise<EnqueuedJobView> {
    const path = `${pathOf(key)}/run`;
    return this.transport.json({ ...options, method: "POST", path, repeatable: false });
  }

  /** Its history, newest first. */
  runs(key: string, query: PageQuery = {}, options: CallOptions = {}): Promise<Page<ScheduleRunView>> {
    const path = `${pathOf(key)}/runs`;
    return this.transport.json({ ...options, method: "GET", path, query: { ...query }, repeatable: true });
  }

  /** When an expression would fire. */
  preview(rule: Static<typeof PreviewBody>, options: CallOptions = {}): Promise<PreviewView> {
    const path = "/v1/schedules/preview";
    return this.transport.json({ ...options, method: "POST", path, body: rule, repeatable: true });
  }
}

function pathOf(key: string): string {
  return `/v1/schedules/${encodeURIComponent(key)}`;
}
