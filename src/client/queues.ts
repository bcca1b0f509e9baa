import type { QueueLimitsChange } from "../core/queue-limits.js";
import type { QueueDetailView, QueueView } from "../api/queue.js";
import type { CallOptions, Transport } from "./transport.js";

/** Looks at queues, pauses and resumes them: `client.queues`. */
export class QueuesClient {
  constructor(private readonly transport: Transport) {}

  async list(options: CallOptions = {}): Promise<readonly QueueView[]> {
    const { items } = await this.transport.json<{ items: QueueView[] }>({
      ...options,
      method: "GET",
      path: "/v1/queues",
      repeatable: true,
    });
    return items;
  }

  get(name: string, options: CallOptions = {}): Promise<QueueDetailView> {
    return this.transport.json({ ...options, method: "GET", path: pathOf(name), repeatable: true });
  }

  /** Nothing of the queue is handed out until it is resumed. */
  pause(name: string, reason?: string, options: CallOptions = {}): Promise<QueueView> {
    const body = reason === undefined ? {} : { reason };
    const path = `${pathOf(name)}/pause`;
    return this.transport.json({ ...options, method: "POST", path, body, repeatable: true });
  }

  /** Changes the limits of the queue: what is left out stays, `null` takes a limit away. */
  limit(name: string, change: QueueLimitsChange, options: CallOptions = {}): Promise<QueueView> {
    return this.transport.json({
      ...options,
      method: "PATCH",
      path: pathOf(name),
      body: change,
      repeatable: true,
    });
  }

  resume(name: string, options: CallOptions = {}): Promise<QueueView> {
    return this.transport.json({
      ...options,
      method: "POST",
      path: `${pathOf(name)}/resume`,
      repeatable: true,
    });
  }
}

function pathOf(name: string): string {
  return `/v1/queues/${encodeURIComponent(name)}`;
}
