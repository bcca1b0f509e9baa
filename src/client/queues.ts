import type { QueueDetailView, QueueView } from "../api/queue.js";
import type { QueueEdit } from "../core/queue-limits.js";
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

  /** Pauses or resumes the queue and changes its limits, all at once; what is left out stays, `null` takes a limit away. */
  edit(name: string, edit: QueueEdit, options: CallOptions = {}): Promise<QueueView> {
    return this.transport.json({
      ...options,
      method: "PATCH",
      path: pathOf(name),
      body: edit,
      repeatable: true,
    });
  }

  /** Nothing of the queue is handed out until it is resumed. */
  pause(name: string, reason?: string, options: CallOptions = {}): Promise<QueueView> {
    const body = reason === undefined ? {} : { reason };
    const path = `${pathOf(name)}/pause`;
    return this.transport.json({ ...options, method: "POST", path, body, repeatable: true });
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
