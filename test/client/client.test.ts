import { describe, expect, test } from "vitest";
import { ApiError, ConnectionError, KonveierClient, KonveierError } from "../../src/client/index.js";
import { FakeClock } from "../support/fake-clock.js";
import { API_TOKEN, startHttpServer } from "../support/http-server.js";
import { settled } from "../support/settled.js";

async function setUp() {
  const server = await startHttpServer();
  return { server, client: new KonveierClient({ url: `${server.url}/`, token: API_TOKEN }) };
}

describe("KonveierClient", () => {
  test("enqueues jobs and looks at them", async () => {
    const { client } = await setUp();
    const job = await client.enqueue({ name: "a", payload: { x: 1.5 }, runAt: new Date("2020-01-01") });
    expect(job).toMatchObject({ id: "1", state: "pending", runAt: "2020-01-01T00:00:00.000Z" });
    const again = { name: "a", idempotencyKey: "k" };
    await client.enqueue(again);
    expect(await client.enqueue(again)).toMatchObject({ id: "2", deduplicated: true });
    expect(await client.enqueueMany([{ name: "b" }, { name: "b", runAt: Date.now() + 1e9 }])).toMatchObject([
      { state: "pending" },
      { state: "scheduled" },
    ]);
    expect(await client.jobs.get("1")).toMatchObject({ name: "a", payloadBytes: 9 });
    expect(await client.jobs.payload("1")).toEqual({ x: 1.5 });
    expect(await client.jobs.payloadText("1")).toBe('{"x":1.5}');
    expect(await client.jobs.attempts("1")).toEqual([]);
    await expect(client.jobs.result("1")).rejects.toMatchObject({ code: "not_found" });
  });

  test("walks over a list page by page", async () => {
    const { client } = await setUp();
    await client.enqueueMany(Array.from({ length: 7 }, () => ({ name: "a" })));
    const ids: string[] = [];
    for await (const { id } of client.jobs.list({ queue: "default", limit: 3 })) ids.push(id);
    expect(ids).toEqual(["7", "6", "5", "4", "3", "2", "1"]);
    const page = await client.jobs.page({ limit: 3 });
    expect(page.nextCursor).not.toBeNull();
  });

  test("changes jobs by hand", async () => {
    const { client } = await setUp();
    await client.enqueue({ name: "a", delayMs: 60_000 });
    expect(await client.jobs.runNow("1")).toMatchObject({ state: "pending" });
    expect(await client.jobs.cancel("1")).toMatchObject({ state: "cancelled" });
    expect(await client.jobs.retry("1")).toMatchObject({ state: "pending" });
    await client.leases.claim({ workerId: "w", queues: ["default"] });
    await expect(client.jobs.delete("1")).rejects.toMatchObject({ code: "invalid_state" });
    await client.jobs.delete("1", { force: true });
    await expect(client.jobs.get("1")).rejects.toMatchObject({ code: "job_not_found", status: 404 });
  });

  test("pauses and resumes queues, and lists workers", async () => {
    const { client } = await setUp();
    expect(await client.queues.pause("a:b", "why")).toMatchObject({ name: "a:b", pauseReason: "why" });
    expect(await client.queues.get("a:b")).toMatchObject({ unhandled: [] });
    expect(await client.queues.resume("a:b")).toMatchObject({ pausedAt: null });
    expect((await client.queues.list()).map(({ name }) => name)).toContain("a:b");
    await client.leases.claim({ workerId: "w", queues: ["a:b"] });
    await settled();
    expect(await client.workers()).toMatchObject([{ id: "w", queues: ["a:b"] }]);
  });

  test("makes, reads and changes schedules", async () => {
    const { client } = await setUp();
    const { schedules } = client;
    const rule = { cron: "0 8 * * *", job: { name: "a" } };
    expect(await schedules.put("daily", rule)).toMatchObject({ key: "daily", version: 1 });
    expect(await schedules.get("daily")).toMatchObject({ cron: "0 8 * * *" });
    expect((await schedules.page()).items).toHaveLength(1);
    expect(await schedules.pause("daily", "why")).toMatchObject({ pauseReason: "why" });
    expect(await schedules.resume("daily")).toMatchObject({ pausedAt: null });
    expect(await schedules.run("daily")).toMatchObject({ name: "a" });
    expect((await schedules.runs("daily")).items).toMatchObject([{ manual: true }]);
    expect((await schedules.preview({ cron: "* * * * *", count: 2 })).next).toHaveLength(2);
    await schedules.delete("daily");
    await expect(schedules.get("daily")).rejects.toMatchObject({ code: "schedule_not_found" });
  });

  test("speaks the protocol of workers", async () => {
    const { client } = await setUp();
    const { leases } = client;
    await client.enqueueMany(Array.from({ length: 5 }, () => ({ name: "a" })));
    const request = { workerId: "w", claimId: "c", queues: ["default"], max: 5 };
    const { jobs } = await leases.claim(request);
    expect((await leases.claim(request)).jobs).toEqual(jobs);
    const [first, second, third, fourth, fifth] = jobs;
    await leases.progress(first!, { percent: 10 });
    await leases.logs(first!, { seq: 1, lines: [{ message: "hello" }] });
    await leases.logs(first!, { seq: 1, lines: [{ message: "hello" }] });
    expect(await client.jobs.logs("1")).toMatchObject([{ message: "hello" }]);
    await leases.storeStep(first!, { name: "charge", result: [7] });
    expect(await leases.findStep(first!, "charge")).toEqual({ found: true, result: [7] });
    expect(await client.jobs.steps("1")).toMatchObject([{ seq: 1, name: "charge" }]);
    expect(await client.jobs.stepResult("1", 1)).toEqual([7]);
    const beat = { workerId: "w", leases: jobs.map(({ id, leaseToken }) => ({ id, leaseToken })) };
    expect((await leases.heartbeat(beat)).results.every(({ ok }) => ok)).toBe(true);
    expect(await leases.complete(first!, [1])).toMatchObject({ state: "completed" });
    expect(await leases.fail(second!, { error: { message: "x" }, retry: "never" })).toMatchObject({
      state: "dead",
    });
    expect(await leases.release(third!)).toMatchObject({ state: "pending" });
    expect(await leases.snooze(fourth!, 1_000)).toMatchObject({ state: "scheduled" });
    const { id, leaseToken } = fifth!;
    expect((await leases.ack([{ id, leaseToken, outcome: "completed" }])).results).toMatchObject([
      { ok: true },
    ]);
    expect(await client.jobs.resultText("1")).toBe("[1]");
  });

  test("tells every fault, with the request id of the server's log", async () => {
    const { client } = await setUp();
    const error: unknown = await client
      .enqueue({ name: "a b", priority: 99 })
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(KonveierError);
    expect(error).toMatchObject({
      code: "validation_failed",
      status: 422,
      retryable: false,
      faults: [{ pointer: "/name" }, { pointer: "/priority" }],
      requestId: expect.stringMatching(/./) as string,
    });
  });
});

const PROBLEM = { type: "x", title: "x", status: 503, detail: "busy", instance: "/", requestId: "r" };

function problem(more: object, headers: Record<string, string> = {}): Response {
  const body = { ...PROBLEM, code: "store_busy", retryable: true, ...more };
  return new Response(JSON.stringify(body), { status: body.status, headers });
}

/** A client whose server answers in this order; the last answer is given for ever. */
function against(...answers: readonly (() => Response | Promise<Response>)[]) {
  const clock = new FakeClock();
  const times: number[] = [];
  const began = clock.monotonic();
  const client = new KonveierClient({
    url: "http://server.test",
    token: "t",
    clock,
    random: () => 1,
    fetch: (_input, init) => {
      times.push(clock.monotonic() - began);
      const answer = answers[Math.min(times.length, answers.length) - 1]!;
      return new Promise((resolve, reject) => {
        init?.signal?.addEventListener("abort", () => {
          reject(init.signal!.reason as Error);
        });
        Promise.resolve().then(answer).then(resolve, reject);
      });
    },
  });
  return { client, clock, times };
}

const ok = () => new Response('{"items":[]}');
const busy = () => problem({});
const cut = () => Promise.reject(new TypeError("fetch failed", { cause: new Error("ECONNRESET") }));
const silence = () => new Promise<Response>(() => undefined);

describe("a request that fails", () => {
  test("is tried again after growing pauses when it is safe to repeat", async () => {
    const { client, clock, times } = against(busy, cut, busy, ok);
    const answer = client.queues.list();
    await clock.advance(60_000);
    expect(await answer).toEqual([]);
    expect(times).toEqual([0, 500, 1_500, 3_500]);
  });

  test("waits as long as the server asks for", async () => {
    const { client, clock, times } = against(() => problem({}, { "retry-after": "7" }), ok);
    const answer = client.queues.list();
    await clock.advance(60_000);
    await answer;
    expect(times).toEqual([0, 7_500]);
  });

  test("is given up after some tries", async () => {
    const { client, clock, times } = against(cut);
    const answer = client.queues.list().catch((error: unknown) => error);
    await clock.advance(600_000);
    expect(await answer).toBeInstanceOf(ConnectionError);
    expect(String(await answer)).toContain("ECONNRESET");
    expect(times).toHaveLength(5);
  });

  test.each([
    ["an enqueue without a key", (client: KonveierClient) => client.enqueue({ name: "a" }), 1],
    [
      "an enqueue with a key",
      (client: KonveierClient) => client.enqueue({ name: "a", idempotencyKey: "k" }),
      5,
    ],
    ["a run of a schedule", (client: KonveierClient) => client.schedules.run("a"), 1],
    ["a claim", (client: KonveierClient) => client.leases.claim({ workerId: "w", queues: ["q"] }), 1],
    [
      "a claim with a claimId",
      (client: KonveierClient) => client.leases.claim({ workerId: "w", queues: ["q"], claimId: "c" }),
      5,
    ],
    ["an end of a claim", (client: KonveierClient) => client.leases.release({ id: "1", leaseToken: "x" }), 5],
    [
      "log lines",
      (client: KonveierClient) => client.leases.logs({ id: "1", leaseToken: "x" }, { lines: [] }),
      1,
    ],
  ])("repeats %s only when that is safe", async (_what, call, tries) => {
    const { client, clock, times } = against(cut);
    const answer = call(client).catch((error: unknown) => error);
    await clock.advance(600_000);
    expect(await answer).toBeInstanceOf(ConnectionError);
    expect(times).toHaveLength(tries);
  });

  test("is not repeated when that would not help, and unknown codes pass through", async () => {
    const { client, times } = against(() => problem({ status: 418, code: "teapot", retryable: false }));
    const error: unknown = await client.queues.list().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ code: "teapot", retryable: false, message: "busy" });
    expect(times).toHaveLength(1);
  });

  test("says so when something else than Konveier answers", async () => {
    const { client } = against(() => new Response("<html>", { status: 404 }));
    await expect(client.queues.list()).rejects.toThrow("http://server.test answered 404");
  });

  test("ends at its time limit, and at once when its signal aborts", async () => {
    const { client, clock, times } = against(silence);
    const late = client.enqueue({ name: "a" }, { timeoutMs: 100 }).catch((error: unknown) => error);
    await clock.advance(100);
    expect(String(await late)).toContain("within 100 ms");
    const caller = new AbortController();
    const aborted = client.queues.list({ signal: caller.signal }).catch((error: unknown) => error);
    await settled();
    const reason = new Error("enough");
    caller.abort(reason);
    expect(await aborted).toBe(reason);
    expect(times).toHaveLength(2);
  });

  test("ends in a pause when its signal aborts", async () => {
    const { client, clock, times } = against(cut);
    const caller = new AbortController();
    const reason = new Error("enough");
    const aborted = client.queues.list({ signal: caller.signal }).catch((error: unknown) => error);
    await clock.advance(100);
    caller.abort(reason);
    expect(await aborted).toBe(reason);
    expect(times).toHaveLength(1);
    expect(clock.pendingTimers).toBe(0);
  });
});
