import { once } from "node:events";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import type { Attempt } from "../../src/core/job.js";
import { openStore } from "../../src/open-store.js";
import { checkBooks } from "../support/recount.js";
import { eventually, startServer, type ServerProcess } from "../support/server-process.js";
import { tempDirectory } from "../support/temp-directory.js";
import { startReceiver } from "../support/webhook.js";

const JOBS = 2_000;
const KILL_AFTER = 700;
const CONCURRENCY = 20;

/** One request as it came in. */
interface Delivery {
  readonly webhookId: string;
  readonly attempt: number;
  readonly status: number;
  readonly order: number;
}

/** Fails the first delivery of every third order with 503, and keeps a record of everything. */
class FlakyReceiver {
  readonly deliveries: Delivery[] = [];
  url = "";
  readonly #seen = new Set<number>();
  readonly #news = new EventTarget();

  async listen(): Promise<void> {
    const receiver = await startReceiver((request, response) => {
      const order = Number(new URL(request.url ?? "", "http://receiver").searchParams.get("order"));
      const status = order % 3 === 0 && !this.#seen.has(order) ? 503 : 200;
      this.#seen.add(order);
      const webhookId = String(request.headers["webhook-id"]);
      this.deliveries.push({
        webhookId,
        attempt: Number(request.headers["konveier-attempt"]),
        status,
        order,
      });
      response.writeHead(status).end(`order ${order}`);
      this.#news.dispatchEvent(new Event("delivery"));
    });
    onTestFinished(() => receiver[Symbol.asyncDispose]());
    this.url = receiver.url;
  }

  async reached(count: number): Promise<void> {
    while (this.deliveries.length < count) await once(this.#news, "delivery");
  }
}

let cwd: string;
let receiver: FlakyReceiver;

beforeEach(async () => {
  cwd = tempDirectory();
  receiver = new FlakyReceiver();
  await receiver.listen();
});

function start(): Promise<ServerProcess> {
  return startServer({
    cwd,
    env: {
      KONVEIER_WEBHOOK_ALLOW_CIDRS: "127.0.0.1/32",
      KONVEIER_CONCURRENCY: String(CONCURRENCY),
      KONVEIER_LEASE_MS: "1000",
    },
  });
}

/** Enqueues a job for each order, in batches as large as they may be. @returns ids in the order of the orders */
async function enqueueOrders(server: ServerProcess): Promise<string[]> {
  const ids: string[] = [];
  for (let from = 0; from < JOBS; from += 1_000) {
    const { status, body } = await server.post<{ items: { id: string }[] }>("/v1/jobs/batch", {
      jobs: Array.from({ length: 1_000 }, (_, index) => ({
        name: "webhook.call",
        payload: { url: `${receiver.url}/?order=${from + index}`, body: { order: from + index } },
        backoff: { type: "fixed", delayMs: 50 },
      })),
    });
    expect(status).toBe(201);
    ids.push(...body.items.map(({ id }) => id));
  }
  return ids;
}

async function completed(server: ServerProcess): Promise<number> {
  const { body } = await server.get<{ items: { counts: { completed: number } }[] }>("/v1/queues");
  return body.items.reduce((sum, { counts }) => sum + counts.completed, 0);
}

describe("webhook.call through kill -9", () => {
  it(`delivers and completes all of ${JOBS} jobs`, { timeout: 180_000 }, async () => {
    const first = await start();
    const ids = await enqueueOrders(first);
    await receiver.reached(KILL_AFTER);
    first.kill("SIGKILL");
    await first.exited;
    const before = receiver.deliveries.length;
    expect(before).toBeLessThan(JOBS);

    const second = await start();
    await eventually(
      () => completed(second),
      (count) => count === JOBS,
      120_000,
    );
    expect(await second.stop()).toEqual({ code: 0, signal: null });

    const attempts = await attemptsOf(ids);
    for (const [order, id] of ids.entries()) checkOrder(order, id, attempts.get(id) ?? []);
    const lost = [...attempts.values()].flat().filter(({ outcome }) => outcome === "lost");
    expect(lost.length).toBeGreaterThan(0);
    expect(lost.length).toBeLessThanOrEqual(CONCURRENCY);
  });
});

/** Read from the file, with everything else in it checked. */
async function attemptsOf(ids: readonly string[]): Promise<Map<string, readonly Attempt[]>> {
  const store = await openStore(`sqlite:${join(cwd, "data", "konveier.db")}`);
  onTestFinished(() => store.close());
  await checkBooks(store);
  const entries = ids.map(async (id) => [id, await store.jobs.attempts(id)] as const);
  return new Map(await Promise.all(entries));
}

/** What must hold for each job: what was delivered is explained by its attempts. */
function checkOrder(order: number, id: string, attempts: readonly Attempt[]): void {
  const deliveries = receiver.deliveries.filter((delivery) => delivery.order === order);
  const where = `order ${order}: ${JSON.stringify({ deliveries, attempts })}`;
  expect(new Set(deliveries.map(({ webhookId }) => webhookId)), where).toEqual(new Set([`job_${id}`]));
  expect(attempts.at(-1)?.outcome, where).toBe("completed");
  expect(attempts.filter(({ outcome }) => outcome === "completed").length, where).toBe(1);

  // No attempt was made twice, and each delivery belongs to one.
  const delivered = deliveries.map(({ attempt }) => attempt);
  expect(new Set(delivered).size, where).toBe(delivered.length);
  for (const { number, outcome } of attempts) {
    if (outcome === "lost") continue;
    const status = deliveries.find(({ attempt }) => attempt === number)?.status;
    expect(status, where).toBe(outcome === "completed" ? 200 : 503);
  }
  // More than needed only where the kill took the attempt before its end was kept.
  const lost = attempts.filter(({ outcome }) => outcome === "lost").length;
  const needed = order % 3 === 0 ? 2 : 1;
  expect(delivered.length, where).toBeGreaterThanOrEqual(needed);
  expect(delivered.length, where).toBeLessThanOrEqual(needed + lost);
  expect(attempts.length, where).toBeLessThanOrEqual(needed + lost);
}
