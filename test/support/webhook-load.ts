import { setTimeout as delay } from "node:timers/promises";
import { expect } from "vitest";
import type { PostgresStore } from "../../src/store/postgres/open.js";
import type { Sink } from "./webhook-sink.js";
import { eventually, type ServerProcess } from "./server-process.js";

/** Enqueues without an end, each job under a key, until it is told that the job is accepted. */
export class Producer {
  readonly accepted = new Set<string>();
  #stopped = false;
  readonly #ended: Promise<void>;

  constructor(
    private readonly server: ServerProcess,
    readonly sink: Sink,
  ) {
    this.#ended = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#ended;
  }

  async #run(): Promise<void> {
    for (let index = 0; !this.#stopped; index += 1) {
      const key = `key-${String(index)}`;
      const job = {
        name: "webhook.call",
        payload: { url: `${this.sink.url}/${key}` },
        backoff: { type: "fixed", delayMs: 0 },
        idempotencyKey: key,
      };
      let status = 0;
      do {
        if (status !== 0) await delay(20);
        ({ status } = await this.server.post("/v1/jobs", job));
        expect([200, 201, 503]).toContain(status);
      } while (status === 503);
      this.accepted.add(key);
    }
  }
}

/** Resolves when a job that was accepted from now on has been delivered. */
export async function goingOn({ accepted, sink }: Producer): Promise<void> {
  const before = new Set(accepted);
  await eventually(
    () => Promise.resolve([...accepted].some((key) => !before.has(key) && sink.deliveries.has(`/${key}`))),
    (is) => is,
  );
}

/** Resolves when jobs are accepted and delivered again. `KONVEIER_SHOW_TIMES=1` prints how long that took. */
export async function recovered(what: string, producer: Producer, server: ServerProcess): Promise<void> {
  const healed = performance.now();
  await goingOn(producer);
  await ready(server);
  if (process.env["KONVEIER_SHOW_TIMES"] === "1") {
    console.log(`${what}: went on after ${String(Math.round(performance.now() - healed))} ms`);
  }
}

function ready(server: ServerProcess): Promise<unknown> {
  return eventually(
    () => statusOf(server),
    (status) => status === 200,
  );
}

export function unready(server: ServerProcess): Promise<unknown> {
  return eventually(
    () => statusOf(server),
    (status) => status === 503,
  );
}

async function statusOf(server: ServerProcess): Promise<number> {
  return (await fetch(`${server.url}/readyz`)).status;
}

export async function allCompleted(store: PostgresStore, accepted: ReadonlySet<string>): Promise<void> {
  await eventually(
    () => store.queues.list(),
    ([queue]) => (queue?.counts.completed ?? 0) >= accepted.size && isStill(queue?.counts),
  );
}

function isStill(counts: Readonly<Record<string, number>> | undefined): boolean {
  return counts?.["pending"] === 0 && counts["running"] === 0 && counts["scheduled"] === 0;
}
