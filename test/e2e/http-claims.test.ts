import { once } from "node:events";
import Database from "better-sqlite3";
import { Type } from "typebox";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { ClaimView } from "../../src/api/claim.js";
import { JobDetailView } from "../../src/api/job.js";
import { Problem } from "../../src/api/problem.js";
import { WorkerView } from "../../src/api/worker.js";
import type { ClaimedJob } from "../../src/core/job.js";
import { EventLog } from "../support/event-log.js";
import { FakeClock } from "../support/fake-clock.js";
import { API_TOKEN, startHttpServer, type HttpServer } from "../support/http-server.js";
import { connectTo, happened } from "../support/raw-http.js";
import { settled } from "../support/settled.js";
import { ON_POSTGRES } from "../support/test-database.js";
import { issueToken } from "../support/tokens.js";

/** A server whose own clock stands still: no timer wakes anybody, only the store's changes do. */
function startStill(): Promise<HttpServer> {
  return startHttpServer({ clock: new FakeClock() });
}

/** Resolves when a claim has looked and found nothing, so that it waits now. Call before the claim is sent. */
async function looked(server: HttpServer): Promise<void> {
  const { claims } = server.store;
  const claim = claims.claim.bind(claims);
  await new Promise<void>((resolve) => {
    const spy = vi.spyOn(claims, "claim").mockImplementation(async (request) => {
      const jobs = await claim(request);
      spy.mockRestore();
      resolve();
      return jobs;
    });
  });
  await settled();
}

function claim(server: HttpServer, body: object = {}, signal?: AbortSignal) {
  return server.send("POST", "/v1/claim", {
    json: { workerId: "w", queues: ["default"], ...body },
    ...(signal && { signal }),
  });
}

describe("POST /v1/claim", () => {
  test("hands out a job with all that its worker needs", async () => {
    const server = await startHttpServer();
    await server.post("/v1/jobs", {
      name: "a",
      payload: { x: [1] },
      priority: 7,
      maxAttempts: 3,
      timeoutMs: 500,
    });
    const answer = await claim(server, { leaseMs: 10_000 });
    expect(answer.status).toBe(200);
    const { jobs, serverTime, heartbeatMs, draining } = answer.as(ClaimView);
    expect([heartbeatMs, draining]).toEqual([3_333, false]);
    expect(jobs).toEqual([
      {
        id: "1",
        queue: "default",
        name: "a",
        priority: 7,
        payload: { x: [1] },
        attempt: 1,
        maxAttempts: 3,
        failures: 0,
        createdAt: expect.any(String) as string,
        runAt: expect.any(String) as string,
        startedAt: expect.any(String) as string,
        token: 1,
        leaseToken: expect.stringMatching(/^lt_1_[\w-]{22}$/) as string,
        leaseExpiresAt: expect.any(String) as string,
        timeoutMs: 500,
        backoff: null,
        schedule: null,
        flow: null,
        traceparent: null,
        tracestate: null,
      },
    ]);
    const leaseMs = Date.parse(jobs[0]!.leaseExpiresAt) - Date.parse(serverTime);
    expect(leaseMs).toBeGreaterThan(0);
    expect(leaseMs).toBeLessThanOrEqual(10_000);
    expect((await server.get("/v1/jobs/1")).as(JobDetailView)).toMatchObject({
      state: "running",
      workerId: "w",
    });
  });

  test("answers an empty list when there is nothing", async () => {
    const server = await startHttpServer();
    expect((await claim(server)).as(ClaimView).jobs).toEqual([]);
  });

  test("takes up to max, by priority and age, from the queues in their order, of the names served", async () => {
    const server = await startHttpServer();
    await server.post("/v1/jobs/batch", {
      jobs: [
        { name: "a", queue: "low" },
        { name: "b", queue: "high" },
        { name: "a", queue: "high" },
        { name: "a", queue: "high", priority: 9 },
        { name: "a", queue: "other" },
      ],
    });
    const body = { queues: ["high", "low"], names: ["a"], max: 2 };
    const first = (await claim(server, body)).as(ClaimView).jobs;
    expect(first.map(({ id }) => id)).toEqual(["4", "3"]);
    const second = (await claim(server, body)).as(ClaimView).jobs;
    expect(second.map(({ id }) => id)).toEqual(["1"]);
    expect(second[0]!.token).toBeGreaterThan(first[1]!.token);
    expect((await claim(server, body)).as(ClaimView).jobs).toEqual([]);
  });

  test("takes nothing of a paused queue", async () => {
    const server = await startHttpServer();
    await server.post("/v1/jobs", { name: "a" });
    await server.post("/v1/queues/default/pause");
    expect((await claim(server)).as(ClaimView).jobs).toEqual([]);
    await server.post("/v1/queues/default/resume");
    expect((await claim(server)).as(ClaimView).jobs).toHaveLength(1);
  });

  test("gives each job once to many who ask at the same time", async () => {
    const server = await startHttpServer();
    await server.post("/v1/jobs/batch", { jobs: Array.from({ length: 100 }, () => ({ name: "a" })) });
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        claim(server, { workerId: `w${index}`, max: 5, waitMs: 60_000 }),
      ),
    );
    const ids = answers.flatMap((answer) => answer.as(ClaimView).jobs.map(({ id }) => id));
    expect(ids).toHaveLength(100);
    expect(new Set(ids).size).toBe(100);
  });

  test.each([
    ["max", ["0", "-1", "1001", "1.5", '"5"', "null", "true", "[5]", "{}", '""']],
    ["waitMs", ["-1", "60001", "1.5", '"5"', "null", "1e300"]],
    ["leaseMs", ["0", "-1", "99", "86400001", "1e12", '"10"', "null", "0.5"]],
  ] as const)("takes only whole numbers in range as %s", async (field, values) => {
    const server = await startHttpServer();
    await server.post("/v1/jobs", { name: "a" });
    for (const value of values) {
      const raw = `{"workerId":"w","queues":["default"],"${field}":${value}}`;
      const answer = await server.send("POST", "/v1/claim", { raw });
      expect(answer.as(Problem).errors, value).toEqual([
        expect.objectContaining({ pointer: `/${field}`, code: "out_of_range" }),
      ]);
    }
    expect((await server.get("/v1/jobs/1")).as(JobDetailView).state).toBe("pending");
  });

  test.each([
    [{ workerId: undefined }, "/workerId", "required"],
    [{ workerId: "" }, "/workerId", "invalid_key"],
    [{ claimId: "" }, "/claimId", "invalid_key"],
    [{ claimId: null }, "/claimId", "invalid_key"],
    [{ queues: undefined }, "/queues", "required"],
    [{ queues: [] }, "/queues", "out_of_range"],
    [{ queues: "default" }, "/queues", "wrong_type"],
    [{ queues: ["a", "b c"] }, "/queues/1", "invalid_name"],
    [{ names: [] }, "/names", "out_of_range"],
    [{ names: [1] }, "/names/0", "invalid_name"],
    [{ worker: "x" }, "/worker", "unknown_field"],
  ])("refuses %j", async (change, pointer, code) => {
    const server = await startHttpServer();
    const answer = await claim(server, change);
    expect(answer.status).toBe(422);
    expect(answer.as(Problem).errors).toEqual([expect.objectContaining({ pointer, code })]);
  });
});

describe("a waiting claim", () => {
  test("is woken by an enqueue", async () => {
    const server = await startStill();
    const waits = looked(server);
    const answer = claim(server, { waitMs: 60_000 });
    await waits;
    await server.post("/v1/jobs", { name: "a" });
    expect((await answer).as(ClaimView).jobs).toMatchObject([{ id: "1", attempt: 1 }]);
  });

  test("is woken by what makes a job claimable: retry, run-now, release, resume", async () => {
    const server = await startStill();
    await server.post("/v1/jobs", { name: "a", delayMs: 600_000 });
    const next = async (act: () => Promise<unknown>): Promise<string> => {
      const waits = looked(server);
      const answer = claim(server, { waitMs: 60_000 });
      await waits;
      await act();
      const [job] = (await answer).as(ClaimView).jobs;
      expect(job?.id).toBe("1");
      return job!.leaseToken;
    };
    let leaseToken = await next(() => server.post("/v1/jobs/1/run-now"));
    leaseToken = await next(() => server.post("/v1/jobs/1/release", { leaseToken }));
    await server.post("/v1/jobs/1/fail", { leaseToken, error: { message: "x" }, retry: "never" });
    leaseToken = await next(() => server.post("/v1/jobs/1/retry"));
    await server.post("/v1/queues/default/pause");
    await server.post("/v1/jobs/1/release", { leaseToken });
    await next(() => server.post("/v1/queues/default/resume"));
  });

  test("is woken by an enqueue in another process", async () => {
    const server = await startStill();
    const other = await startHttpServer({ database: server.database });
    const waits = looked(server);
    const answer = claim(server, { waitMs: 60_000 });
    await waits;
    await other.post("/v1/jobs", { name: "a" });
    expect((await answer).as(ClaimView).jobs).toHaveLength(1);
  });

  test("holds no transaction: others write meanwhile", async () => {
    const server = await startStill();
    const waits = looked(server);
    const answer = claim(server, { waitMs: 60_000, queues: ["never"] });
    await waits;
    expect((await server.post("/v1/jobs", { name: "a" })).status).toBe(201);
    server.server.drain();
    expect((await answer).as(ClaimView).jobs).toEqual([]);
  });

  test("whose client hangs up is assigned nothing", async () => {
    const server = await startStill();
    const connection = server.nextConnection();
    const client = new AbortController();
    const waits = looked(server);
    const answer = claim(server, { waitMs: 60_000 }, client.signal);
    const closed = happened(await connection, "close");
    await waits;
    client.abort();
    await expect(answer).rejects.toThrow();
    await closed;

    await server.post("/v1/jobs", { name: "a" });
    await settled();
    expect((await server.get("/v1/jobs/1")).as(JobDetailView)).toMatchObject({
      state: "pending",
      attempt: 0,
      token: null,
    });
    expect((await claim(server, { workerId: "next" })).as(ClaimView).jobs).toMatchObject([
      { id: "1", attempt: 1 },
    ]);
  });

  test("whose client hangs up while the job is on its way gives it back", async () => {
    const server = await startStill();
    const events = new EventLog(server.context.events);
    await server.post("/v1/jobs", { name: "a" });
    const connection = server.nextConnection();
    const { claims } = server.store;
    const take = claims.claim.bind(claims);
    const client = await connectTo(server.url);
    const serverSide = await connection;
    vi.spyOn(claims, "claim").mockImplementationOnce(async (request): Promise<readonly ClaimedJob[]> => {
      const jobs = await take(request);
      expect(jobs).toHaveLength(1);
      // The job is assigned, and nobody is left to hear of it.
      const closed = happened(serverSide, "close");
      client.destroy();
      await closed;
      return jobs;
    });
    client.write(claimBytes({ workerId: "gone", queues: ["default"] }));
    await happened(client, "close");
    await vi.waitFor(() => {
      expect(events.about("1")).toEqual(["job.released"]);
    });
    expect((await claim(server, { workerId: "next" })).as(ClaimView).jobs).toMatchObject([
      { id: "1", attempt: 1 },
    ]);
  });

  test("whose answer cannot be written to the end gives all of it back", async () => {
    const server = await startStill();
    const payload = "x".repeat(200_000);
    for (let batch = 0; batch < 4; batch += 1) {
      await server.post("/v1/jobs/batch", {
        jobs: Array.from({ length: 20 }, () => ({ name: "a", payload })),
      });
    }
    const connection = server.nextConnection();
    const client = await connectTo(server.url);
    const serverSide = await connection;
    client.write(claimBytes({ workerId: "gone", queues: ["default"], max: 80 }));
    // It reads the beginning of 16 MB, which no socket buffers, and goes.
    await happened(client, "readable", "data");
    const closed = happened(serverSide, "close");
    client.destroy();
    await closed;

    await vi.waitFor(async () => {
      expect((await server.get("/v1/queues/default")).body).toMatchObject({
        counts: { pending: 80, running: 0 },
      });
    });
    const { jobs } = (await claim(server, { max: 80 })).as(ClaimView);
    expect(new Set(jobs.map(({ attempt }) => attempt))).toEqual(new Set([1]));
  });

  test("keeps its jobs when the connection ends after the answer", async () => {
    const server = await startStill();
    const events = new EventLog(server.context.events);
    await server.post("/v1/jobs", { name: "a" });
    const connection = server.nextConnection();
    const client = await connectTo(server.url);
    const closed = happened(await connection, "close");
    client.write(claimBytes({ workerId: "w", queues: ["default"] }));
    const [answer] = (await once(client, "data")) as [Buffer];
    expect(answer.toString()).toContain("leaseToken");
    client.destroy();
    await closed;
    await settled();
    expect(events.names).toEqual([]);
    expect((await server.get("/v1/jobs/1")).as(JobDetailView).state).toBe("running");
  });
});

describe("a claim with a claimId", () => {
  const NAME = { workerId: "w", claimId: "c-1", max: 2 };

  test("WRK-01 hands out the same jobs and lease tokens again, on every server of the database", async () => {
    const server = await startHttpServer();
    const other = await startHttpServer({ database: server.database });
    await server.post("/v1/jobs/batch", { jobs: [{ name: "a" }, { name: "a" }, { name: "a" }] });
    const first = (await claim(server, NAME)).as(ClaimView).jobs;
    expect(first).toHaveLength(2);
    expect((await claim(server, NAME)).as(ClaimView).jobs).toEqual(first);
    expect((await claim(other, { ...NAME, waitMs: 60_000 })).as(ClaimView).jobs).toEqual(first);
    expect((await claim(other, { ...NAME, claimId: "c-2" })).as(ClaimView).jobs).toMatchObject([{ id: "3" }]);
  });

  test("survives a restart", async () => {
    const server = await startHttpServer();
    await server.post("/v1/jobs/batch", { jobs: [{ name: "a" }, { name: "a" }] });
    const first = (await claim(server, { ...NAME, max: 1 })).as(ClaimView).jobs;
    await server.server.close();
    await server.store.close();
    const restarted = await startHttpServer({ database: server.database });
    expect((await claim(restarted, { ...NAME, max: 1 })).as(ClaimView).jobs).toEqual(first);
  });

  /** A claim whose job is assigned and whose connection ends before the answer is written. */
  async function loseAnswer(server: HttpServer, meanwhile: () => Promise<void>): Promise<void> {
    const connection = server.nextConnection();
    const { claims } = server.store;
    const take = claims.claimAs.bind(claims);
    const client = await connectTo(server.url);
    const serverSide = await connection;
    const spy = vi.spyOn(claims, "claimAs").mockImplementationOnce(async (request) => {
      const jobs = await take(request);
      expect(jobs).toHaveLength(1);
      await meanwhile();
      const closed = happened(serverSide, "close");
      client.destroy();
      await closed;
      return jobs;
    });
    client.write(claimBytes({ queues: ["default"], ...NAME }));
    await happened(client, "close");
    await settled();
    spy.mockRestore();
  }

  test("asked again before the first connection ends keeps its jobs", async () => {
    const server = await startStill();
    await server.post("/v1/jobs", { name: "a" });
    let second: readonly unknown[] = [];
    await loseAnswer(server, async () => {
      second = (await claim(server, NAME)).as(ClaimView).jobs;
    });
    expect(second).toMatchObject([{ id: "1", attempt: 1, token: 1 }]);
    // The end of the first connection gave nothing back.
    expect((await server.get("/v1/jobs/1")).as(JobDetailView)).toMatchObject({ state: "running", token: 1 });
    expect((await claim(server, NAME)).as(ClaimView).jobs).toEqual(second);
  });

  test("asked again after the first connection ended is a new claim of the job that was given back", async () => {
    const server = await startStill();
    await server.post("/v1/jobs", { name: "a" });
    await loseAnswer(server, () => Promise.resolve());
    await vi.waitFor(async () => {
      expect((await server.get("/v1/jobs/1")).as(JobDetailView)).toMatchObject({
        state: "pending",
        attempt: 0,
      });
    });
    const { jobs } = (await claim(server, NAME)).as(ClaimView);
    expect(jobs).toMatchObject([{ id: "1", attempt: 1, token: 2 }]);
    expect((await server.get("/v1/jobs/1")).as(JobDetailView).state).toBe("running");
  });
});

/** Counts every statement that SQLite runs in this process from now on, whoever asks for it. */
function countStatements(): () => number {
  const database = new Database(":memory:");
  const prototype = Object.getPrototypeOf(database.prepare("SELECT 1")) as Database.Statement;
  database.close();
  const methods = (["run", "get", "all", "iterate"] as const).map((method) => vi.spyOn(prototype, method));
  onTestFinished(() => {
    for (const spy of methods) spy.mockRestore();
  });
  return () => methods.reduce((sum, { mock }) => sum + mock.calls.length, 0);
}

describe("many waiting claims", () => {
  test("WRK-03 one job goes to one of 500, and a constant number of them ask for it", async () => {
    const server = await startStill();
    const claims = vi.spyOn(server.store.claims, "claimAs");
    const agents: Promise<ClaimView>[] = [];
    for (let index = 0; index < 500; index += 1) {
      const body = { workerId: `w${index}`, claimId: `c${index}`, waitMs: 60_000 };
      agents.push(claim(server, body).then((answer) => answer.as(ClaimView)));
    }
    await vi.waitFor(() => {
      const found = claims.mock.settledResults.filter(({ type }) => type === "fulfilled");
      expect(found.length).toBeGreaterThanOrEqual(500);
      expect(found).toHaveLength(claims.mock.calls.length);
    }, 20_000);
    await settled();
    claims.mockClear();
    const statements = countStatements();
    await server.post("/v1/jobs", { name: "a" });
    const { jobs } = await Promise.race(agents);
    expect(jobs).toMatchObject([{ id: "1", attempt: 1 }]);
    await settled();
    expect(claims.mock.calls.length).toBeLessThanOrEqual(3);
    if (!ON_POSTGRES) {
      // All of them, also those of the enqueue itself, of the journal and of the audit log.
      expect(statements()).toBeGreaterThan(5);
      expect(statements()).toBeLessThan(100);
    }
    server.server.drain();
    const answers = await Promise.all(agents);
    expect(answers.filter(({ jobs: got }) => got.length > 0)).toHaveLength(1);
    expect(answers.filter(({ draining }) => draining)).toHaveLength(499);
  });

  test("WRK-02 the next one gets the job when the first has hung up", async () => {
    const server = await startStill();
    const connection = server.nextConnection();
    const client = new AbortController();
    let waits = looked(server);
    const first = claim(server, { workerId: "gone", waitMs: 60_000 }, client.signal);
    const closed = happened(await connection, "close");
    await waits;
    waits = looked(server);
    const second = claim(server, { workerId: "next", waitMs: 60_000 });
    await waits;
    client.abort();
    await expect(first).rejects.toThrow();
    await closed;
    await server.post("/v1/jobs", { name: "a" });
    expect((await second).as(ClaimView).jobs).toMatchObject([{ id: "1", attempt: 1 }]);
  });

  test("WRK-17 are not served from a queue that is paused meanwhile, and are when it resumes", async () => {
    const server = await startStill();
    const waits = looked(server);
    const answer = claim(server, { waitMs: 60_000 });
    await waits;
    await server.post("/v1/queues/default/pause");
    await server.post("/v1/jobs", { name: "a" });
    await settled();
    expect((await server.get("/v1/jobs/1")).as(JobDetailView).state).toBe("pending");
    await server.post("/v1/queues/default/resume");
    expect((await answer).as(ClaimView).jobs).toMatchObject([{ id: "1" }]);
  });
});

describe("a server that drains", () => {
  test("answers who waits, refuses new claims, and lets workers finish", async () => {
    const server = await startStill();
    await server.post("/v1/jobs", { name: "a" });
    const { jobs } = (await claim(server)).as(ClaimView);
    const { leaseToken } = jobs[0]!;
    const waits = looked(server);
    const waiting = claim(server, { waitMs: 60_000 });
    await waits;
    const before = await server.get("/readyz");
    expect([before.status, before.headers.get("connection")]).toEqual([200, "keep-alive"]);

    server.server.drain();
    const answer = await waiting;
    expect(answer.as(ClaimView).jobs).toEqual([]);
    // So that the client's next request goes to another server.
    expect(answer.headers.get("connection")).toBe("close");
    const refused = await claim(server);
    expect([refused.status, refused.as(Problem).code, refused.headers.get("retry-after")]).toEqual([
      503,
      "draining",
      "1",
    ]);
    const ready = await server.get("/readyz");
    expect([ready.status, ready.json]).toEqual([503, { status: "unavailable" }]);
    expect((await server.get("/healthz")).status).toBe(200);
    const beat = await server.post("/v1/heartbeat", { workerId: "w", leases: [{ id: "1", leaseToken }] });
    expect(beat.body).toMatchObject({ results: [{ ok: true }], draining: true });
    expect((await server.post("/v1/jobs", { name: "b" })).status).toBe(201);
    expect((await server.post("/v1/jobs/1/complete", { leaseToken })).body).toMatchObject({
      state: "completed",
    });
  });

  test("and closes answers what is on its way, then takes no connection", async () => {
    const server = await startStill();
    const waits = looked(server);
    const waiting = claim(server, { waitMs: 60_000 });
    await waits;
    await Promise.all([server.server.close(), server.server.close()]);
    const answer = await waiting;
    expect(answer.as(ClaimView).jobs).toEqual([]);
    expect(answer.headers.get("connection")).toBe("close");
    await expect(server.get("/healthz")).rejects.toThrow();
  });

  test("and closes cuts off a request that never ends", async () => {
    const clock = new FakeClock();
    const server = await startHttpServer({ clock });
    const client = await connectTo(server.url);
    const closed = happened(client, "close");
    const connection = once(server.server.app.server, "request");
    client.write(
      `POST /v1/jobs HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${API_TOKEN}\r\nContent-Length: 9\r\n`,
    );
    client.write("Content-Type: application/json\r\n\r\n{");
    await connection;
    const closing = server.server.close();
    await settled();
    await clock.advance(5_000);
    await closing;
    await closed;
  });
});

// Workers are written down beside the answers, and only SQLite has then done it when the event loop is idle. What the
// store keeps of them is part of its contract.
describe.skipIf(ON_POSTGRES)("workers that claim over HTTP", () => {
  const Workers = Type.Object({ items: Type.Array(WorkerView) });

  test("are listed, and what they serve is handled", async () => {
    const server = await startHttpServer();
    await server.post("/v1/jobs/batch", { jobs: [{ name: "a" }, { name: "b" }, { name: "b" }] });
    expect((await server.get("/v1/queues/default")).body["unhandled"]).toEqual([
      { name: "a", pending: 1 },
      { name: "b", pending: 2 },
    ]);
    const { jobs } = (await claim(server, { names: ["b"], max: 5 })).as(ClaimView);
    await settled();
    expect((await server.get("/v1/workers")).as(Workers).items).toMatchObject([
      {
        id: "w",
        host: "127.0.0.1",
        pid: null,
        queues: ["default"],
        names: ["b"],
        concurrency: 5,
        state: "active",
      },
    ]);
    await server.post("/v1/jobs/batch", { jobs: [{ name: "b" }] });
    expect((await server.get("/v1/queues/default")).body["unhandled"]).toEqual([{ name: "a", pending: 1 }]);
    expect(jobs).toHaveLength(2);
  });

  test("are not written down when they have too many queues and names together, and get jobs", async () => {
    const clock = new FakeClock();
    const server = await startHttpServer({ clock });
    const queues = Array.from({ length: 1_000 }, (_, index) => `queue-${index}`);
    for (let index = 0; index < 51; index += 1) await claim(server, { workerId: `w${index}`, queues });
    await server.post("/v1/jobs", { name: "a" });
    expect((await claim(server, { workerId: "late" })).as(ClaimView).jobs).toHaveLength(1);
    await settled();
    const listed = (await server.get("/v1/workers")).as(Workers).items;
    expect(listed).toHaveLength(50);
    // What a worker asks for again takes no more room.
    await clock.advance(30_000);
    for (let index = 0; index < 50; index += 1) await claim(server, { workerId: `w${index}`, queues });
    await settled();
    await clock.advance(31_000);
    expect((await server.get("/v1/workers")).as(Workers).items).toHaveLength(50);
    // Silent workers are forgotten.
    await clock.advance(61_000);
    for (let index = 0; index < 50; index += 1) await claim(server, { workerId: `next${index}`, queues });
    await settled();
    const ids = (await server.get("/v1/workers")).as(Workers).items.map(({ id }) => id);
    expect(ids).toContain("next49");
  });

  /** What is shown of the workers, by their queues. */
  async function listed(server: HttpServer): Promise<Record<string, unknown>[]> {
    await settled();
    const { items } = (await server.get("/v1/workers")).as(Workers);
    return items.map(({ id, queues, names, concurrency }) => ({ id, queues, names, concurrency }));
  }

  test("are one worker with the queues and names of all their claims, from the first claim on", async () => {
    const server = await startStill();
    await server.post("/v1/jobs/batch", {
      jobs: ["a", "b", "c"].map((queue) => ({ name: `of-${queue}`, queue })),
    });
    const unhandled = async (queue: string) =>
      (await server.get(`/v1/queues/${queue}`)).body["unhandled"] as unknown[];
    for (const queue of ["a", "b"]) {
      expect(await unhandled(queue)).toHaveLength(1);
      // Not of these names, so that the jobs stay.
      await claim(server, { queues: [queue], names: [`other-${queue}`] });
      await claim(server, { workerId: "v", queues: [queue], names: [`of-${queue}`], max: 2 });
      await server.post("/v1/jobs", { name: `of-${queue}`, queue });
      await settled();
      expect(await unhandled(queue)).toEqual([]);
    }
    expect(await unhandled("c")).toHaveLength(1);
    expect(await listed(server)).toEqual([
      { id: "v", queues: ["a", "b"], names: ["of-a", "of-b"], concurrency: 2 },
      { id: "w", queues: ["a", "b"], names: ["other-a", "other-b"], concurrency: 1 },
    ]);
    await claim(server, { queues: ["c"] });
    expect(await listed(server)).toContainEqual({
      id: "w",
      queues: ["a", "b", "c"],
      names: null,
      concurrency: 1,
    });
  });

  test("lose a queue that they do not claim from for two minutes, but not while they do not claim at all", async () => {
    const clock = new FakeClock();
    const server = await startHttpServer({ clock });
    await claim(server, { queues: ["left"] });
    await claim(server, { queues: ["kept"], names: ["x"] });
    const leases = [{ id: "1", leaseToken: "x" }];
    for (let minute = 0; minute < 5; minute += 1) {
      await clock.advance(50_000);
      await server.post("/v1/heartbeat", { workerId: "w", leases });
    }
    const both = { id: "w", queues: ["left", "kept"], names: null, concurrency: 1 };
    expect(await listed(server)).toEqual([both]);
    await claim(server, { queues: ["left"] });
    await claim(server, { queues: ["kept"], names: ["x"] });
    for (let half = 0; half < 4; half += 1) {
      await clock.advance(30_000);
      await claim(server, { queues: ["kept"], names: ["x"] });
      expect(await listed(server)).toEqual([both]);
    }
    await clock.advance(10_000);
    await claim(server, { queues: ["kept"], names: ["x"] });
    // No claim waits for it.
    await vi.waitFor(async () => {
      expect(await listed(server)).toEqual([{ id: "w", queues: ["kept"], names: ["x"], concurrency: 1 }]);
    });
  });

  test("are written down now and then, not with every claim", async () => {
    const clock = new FakeClock();
    const server = await startHttpServer({ clock });
    const seen = vi.spyOn(server.store.workers, "seen");
    await server.post("/v1/jobs", { name: "a" });
    const leases = (await claim(server)).as(ClaimView).jobs.map(({ id, leaseToken }) => ({ id, leaseToken }));
    for (let times = 0; times < 4; times += 1) await claim(server);
    expect(seen).toHaveBeenCalledTimes(1);
    await clock.advance(10_000);
    const beat = { workerId: "w", leases };
    await server.post("/v1/heartbeat", beat);
    await server.post("/v1/heartbeat", beat);
    expect(seen).toHaveBeenCalledTimes(2);
    expect(seen).toHaveBeenLastCalledWith(expect.objectContaining({ id: "w", running: 1 }));
  });
});

function claimBytes(body: object): string {
  const json = JSON.stringify(body);
  return [
    "POST /v1/claim HTTP/1.1",
    "Host: x",
    `Authorization: Bearer ${API_TOKEN}`,
    "Content-Type: application/json",
    `Content-Length: ${Buffer.byteLength(json)}`,
    "",
    json,
  ].join("\r\n");
}

test("A worker is listed all the time between two of the longest waiting claims", async () => {
  const clock = new FakeClock();
  const server = await startHttpServer({ clock, storeClock: clock });
  const claim = () => server.post("/v1/claim", { workerId: "w", queues: ["q"] });
  await claim();
  // Too soon for another report.
  clock.block(9_900);
  await claim();
  clock.block(60_000 + 5_000);
  // It is written down beside the answers.
  await vi.waitFor(async () => {
    const { items } = (await server.get("/v1/workers")).json as { items: { id: string }[] };
    expect(items.map(({ id }) => id)).toEqual(["w"]);
  });
});

describe.skipIf(ON_POSTGRES)("a worker that is too busy to claim", () => {
  const clock = new FakeClock();

  async function listed(server: HttpServer) {
    await settled();
    const { items } = (await server.get("/v1/workers")).json as { items: object[] };
    return items;
  }

  async function beat(server: HttpServer, ...leases: readonly object[]) {
    const answer = await server.post("/v1/heartbeat", { workerId: "w", leaseMs: 60_000, leases });
    return (answer.json as { results: { ok: boolean }[] }).results.map(({ ok }) => ok);
  }

  test("stays listed by the heartbeats of its leases, whichever server gets them", async () => {
    const first = await startHttpServer({ clock, storeClock: clock });
    const second = await startHttpServer({ clock, storeClock: clock, database: first.database });
    await first.post("/v1/jobs/batch", {
      jobs: [
        { name: "a", queue: "q" },
        { name: "a", queue: "q" },
      ],
    });
    const claimed = await claim(first, { queues: ["q"], names: ["a"], leaseMs: 60_000 });
    const [{ id, leaseToken } = { id: "", leaseToken: "" }] = claimed.as(ClaimView).jobs;
    for (let minutes = 0; minutes < 3; minutes += 1) {
      clock.block(30_000);
      expect(await beat(second, { id, leaseToken })).toEqual([true]);
      await settled();
      clock.block(30_000);
      expect(await beat(second, { id, leaseToken })).toEqual([true]);
      expect(await listed(second)).toMatchObject([{ id: "w", queues: ["q"], names: ["a"], running: 1 }]);
    }
    expect((await second.get("/v1/queues/q")).body["unhandled"]).toEqual([]);
    clock.block(91_000);
    // Whose leases are over is not known to work.
    expect(await beat(second, { id, leaseToken: "lt_1_AAAAAAAAAAAAAAAAAAAAAA" })).toEqual([false]);
    expect(await listed(second)).toEqual([]);
  });

  test("is not listed by the heartbeats of another token", async () => {
    const first = await startHttpServer({ clock, storeClock: clock });
    const second = await startHttpServer({ clock, storeClock: clock, database: first.database });
    await first.post("/v1/jobs", { name: "a", queue: "q" });
    const [{ id, leaseToken } = { id: "", leaseToken: "" }] = (
      await claim(first, { queues: ["q"], leaseMs: 600_000 })
    ).as(ClaimView).jobs;
    const { token } = await issueToken(second, ["worker"]);
    clock.block(91_000);
    const json = { workerId: "w", leaseMs: 60_000, leases: [{ id, leaseToken }] };
    await second.send("POST", "/v1/heartbeat", { token, json });
    expect(await listed(second)).toEqual([]);
  });
});
