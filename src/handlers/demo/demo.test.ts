import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { EventLog } from "../../../test/support/event-log.js";
import { FakeClock } from "../../../test/support/fake-clock.js";
import { settled } from "../../../test/support/settled.js";
import { checkBooks } from "../../../test/support/recount.js";
import { createContext, type EngineContext } from "../../engine/context.js";
import { enqueue } from "../../engine/enqueue.js";
import { Background } from "../../engine/loops/background.js";
import { openSqliteStore } from "../../store/sqlite/open.js";
import { Worker } from "../../worker/worker.js";
import { webhookCall } from "../webhook/webhook-call.js";
import { startDemo } from "./demo.js";
import { demoJobs } from "./jobs.js";
import { DEMO_QUEUES } from "./queues.js";
import { seedDemo } from "./seed.js";
import { seedRequests } from "./seed-requests.js";

/** Jobs of the demo's flows. */
const FLOW_JOBS = 21;

let clock: FakeClock;
let context: EngineContext;
let events: EventLog;

beforeEach(() => {
  clock = new FakeClock();
  context = createContext(openSqliteStore(":memory:", { clock }), { clock, random: () => 0.5 });
  events = new EventLog(context.events);
});

afterEach(async () => {
  await context.store.close();
});

/** A worker with everything that the server has; no name is ever looked up truly. */
async function runWorker(): Promise<() => Promise<void>> {
  const lookup = (host: string, _options: unknown, callback: (error: Error, answer: []) => void) => {
    callback(new Error(`${host} does not exist`), []);
  };
  const webhook = webhookCall({ allowCidrs: [], signingSecrets: [], clock, lookup });
  const worker = new Worker(context, {
    jobs: [webhook, ...demoJobs(clock)],
    queues: ["default", ...DEMO_QUEUES],
    concurrency: 20,
  });
  const background = new Background(context);
  await worker.start();
  background.start();
  return async () => {
    const stopped = worker.stop({ graceMs: 0 });
    await clock.advance(1_000);
    await stopped;
    await background.stop();
  };
}

async function totals(): Promise<Record<string, number>> {
  const sums: Record<string, number> = {};
  for (const { counts } of await context.store.queues.list()) {
    for (const [state, count] of Object.entries(counts)) sums[state] = (sums[state] ?? 0) + count;
  }
  return sums;
}

describe("the demo", () => {
  it("shows every state that a job can have", async () => {
    const seeding = seedDemo(context);
    await settled();
    expect(await seeding).toBe(seedRequests().length + FLOW_JOBS);
    const stop = await runWorker();
    await clock.advance(60_000);
    const sums = await totals();
    for (const state of ["blocked", "scheduled", "pending", "running", "completed", "dead", "cancelled"]) {
      expect(sums[state], state).toBeGreaterThanOrEqual(4);
    }
    await stop();
    await checkBooks(context.store);
    expect(events.of("internal.error")).toEqual([]);
  });

  it("has jobs that wait for another attempt, a paused queue, and a name that nobody handles", async () => {
    await seedDemo(context);
    const stop = await runWorker();
    await clock.advance(60_000);
    const { items } = await context.store.jobs.list({ state: "scheduled" }, 100, null);
    expect(items.filter(({ attempt }) => attempt > 0).length).toBeGreaterThanOrEqual(10);
    const newsletter = await context.store.queues.get("newsletter");
    expect(newsletter).toMatchObject({ pauseReason: "Waits for the final text", counts: { pending: 60 } });
    const reports = await context.store.queues.get("reports");
    expect(reports).toMatchObject({ pausedAt: null, counts: { pending: 24 } });
    await stop();
  });

  it("has schedules: one to watch, one in another zone, one that is paused", async () => {
    await seedDemo(context);
    const { items } = await context.store.schedules.list(10, null);
    expect(items.map(({ key, pausedAt }) => [key, pausedAt !== null])).toEqual([
      ["email.digest", false],
      ["images.nightly", false],
      ["newsletter.monthly", true],
      ["report.weekly", false],
    ]);
    const stop = await runWorker();
    await clock.advance(121_000);
    expect(events.of("schedule.fired").map(({ key }) => key)).toEqual(["email.digest"]);
    await stop();
  });

  it("has flows: one that completes, one that takes long, one that fails, and one that gets stuck", async () => {
    await seedDemo(context);
    const stop = await runWorker();
    await clock.advance(60_000);
    const { items } = await context.store.flows.list({}, 10, null);
    const stuck = await Promise.all(items.map(async ({ id }) => (await context.store.flows.get(id))?.stuck));
    expect(items.map(({ name, state }, index) => [name, state, stuck[index]])).toEqual([
      ["invoice.send", "running", true],
      ["newsletter.issue", "failed", false],
      ["album.publish", "running", false],
      ["photo.publish", "completed", false],
    ]);
    await stop();
  });

  it("is not seeded twice, neither after a restart nor by two servers at once", async () => {
    const seeded = await Promise.all([seedDemo(context), seedDemo(context)]);
    const later = await seedDemo(context);
    const total = Object.values(await totals()).reduce((sum, count) => sum + count, 0);
    expect(total).toBe(seedRequests().length + FLOW_JOBS);
    expect(seeded.toSorted((a, b) => a - b)).toEqual([0, total]);
    expect(later).toBe(0);
  });

  it("leaves a database alone that has jobs of its own", async () => {
    await enqueue(context, { name: "mine" });
    expect(await seedDemo(context)).toBe(0);
    expect((await totals())["pending"]).toBe(1);
  });

  it("goes on with a job now and then, but not when nobody works", async () => {
    const starting = startDemo(context);
    await settled();
    const demo = await starting;
    const before = await count("emails");
    await clock.advance(20_000);
    // Nobody works: the queue is full of seeded jobs already.
    expect(await count("emails")).toBe(before);
    const stop = await runWorker();
    await clock.advance(60_000);
    expect(await count("emails")).toBeGreaterThanOrEqual(before + 10);
    await demo.stop();
    await stop();
    expect(clock.pendingTimers).toBe(0);
  });
});

async function count(queue: string): Promise<number> {
  const found = await context.store.queues.get(queue);
  return Object.values(found?.counts ?? {}).reduce<number>((sum, each) => sum + each, 0);
}

describe("seedRequests", () => {
  it("have keys that differ, and fit into one call", () => {
    const keys = seedRequests().map(({ request }) => request.idempotencyKey);
    expect(new Set(keys).size).toBe(keys.length);
    expect(keys.length).toBeGreaterThan(150);
    expect(keys.length).toBeLessThanOrEqual(1_000);
  });

  it("lead to nobody: every address is a reserved one", () => {
    const text = JSON.stringify(seedRequests());
    const hosts = [...text.matchAll(/(?:@|:\/\/)([\w.-]+)/g)].map(([, host]) => host);
    expect(new Set(hosts)).toEqual(new Set(["example.com", "hooks.example.invalid"]));
  });
});
