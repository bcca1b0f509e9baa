import { once } from "node:events";
import { connect } from "node:net";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { openStore } from "../../src/open-store.js";
import type { JobDetail } from "../../src/core/job.js";
import { eventually, startServer, TOKEN, type ServerProcess } from "../support/server-process.js";
import { tempDirectory } from "../support/temp-directory.js";
import { startReceiver } from "../support/webhook.js";

// Each test starts processes, which takes its time where many tests run at once.
vi.setConfig({ testTimeout: 120_000 });

let cwd: string;
let receiver: PatientReceiver;

beforeEach(async () => {
  cwd = tempDirectory();
  receiver = new PatientReceiver();
  await receiver.listen();
});

/** A request that waits for its answer: the job that sent it is running as long as the test wants. */
interface Arrival {
  readonly jobId: string | undefined;
  answer(status: number): void;
}

class PatientReceiver {
  url = "";
  readonly #arrived: Arrival[] = [];
  readonly #news = new EventTarget();

  async listen(): Promise<void> {
    const receiver = await startReceiver((request, response) => {
      const jobId = request.headers["webhook-id"]?.toString().replace("job_", "");
      this.#arrived.push({ jobId, answer: (status) => response.writeHead(status).end() });
      this.#news.dispatchEvent(new Event("arrival"));
    });
    onTestFinished(() => receiver[Symbol.asyncDispose]());
    this.url = receiver.url;
  }

  get count(): number {
    return this.#arrived.length;
  }

  async arrivals(count: number): Promise<readonly Arrival[]> {
    while (this.#arrived.length < count) await once(this.#news, "arrival");
    return this.#arrived;
  }
}

const LOOPBACK = { KONVEIER_WEBHOOK_ALLOW_CIDRS: "127.0.0.1/32" };

function start(env: Readonly<Record<string, string>> = {}): Promise<ServerProcess> {
  return startServer({ cwd, env: { ...LOOPBACK, ...env } });
}

/** Enqueues a job whose receiver answers when the test says so. @returns its id */
async function call(server: ServerProcess, settings: object = {}): Promise<string> {
  const { body } = await server.post<{ id: string }>("/v1/jobs", {
    name: "webhook.call",
    payload: { url: receiver.url },
    ...settings,
  });
  return body.id;
}

/** Jobs as the server left them in its database. */
async function jobsLeft(...ids: readonly string[]): Promise<(JobDetail | null)[]> {
  const store = await openStore(`sqlite:${join(cwd, "data", "konveier.db")}`);
  onTestFinished(() => store.close());
  return Promise.all(ids.map((id) => store.jobs.detail(id)));
}

describe("a stop", () => {
  it.each(["SIGTERM", "SIGINT"] as const)("by %s ends an idle server with 0", async (signal) => {
    const server = await start();
    server.kill(signal);
    expect(await server.exited).toEqual({ code: 0, signal: null });
    expect(server.log.map(({ event }) => event).slice(-3)).toEqual([
      "server.stopping",
      "worker.stopped",
      "server.stopped",
    ]);
  });

  it("lets running jobs finish, and records those that fail meanwhile", async () => {
    const server = await start();
    const ids = [await call(server), await call(server), await call(server)];
    const [first, second, third] = await receiver.arrivals(3);
    server.kill("SIGTERM");
    await server.logged("server.stopping");
    const ready = () => fetch(`${server.url}/readyz`).then(({ status }) => status);
    await eventually(ready, (status) => status === 503);

    first?.answer(200);
    second?.answer(503);
    third?.answer(400);
    expect(await server.exited).toEqual({ code: 0, signal: null });
    const jobs = await jobsLeft(...ids);
    const byArrival = [first, second, third].map((arrival) => jobs.find((job) => job?.id === arrival?.jobId));
    expect(byArrival).toMatchObject([
      { state: "completed", attempt: 1, resultBytes: expect.any(Number) as number },
      { state: "scheduled", attempt: 1, lastError: { message: expect.stringContaining("503") as string } },
      { state: "dead", attempt: 1, lastError: { message: expect.stringContaining("400") as string } },
    ]);
  });

  it("gives back what does not finish in its grace, with the attempt", async () => {
    const server = await start({ KONVEIER_SHUTDOWN_GRACE_MS: "100" });
    const ids = await Promise.all(Array.from({ length: 10 }, () => call(server)));
    await receiver.arrivals(10);
    expect(await server.stop()).toEqual({ code: 0, signal: null });
    for (const job of await jobsLeft(...ids)) expect(job).toMatchObject({ state: "pending", attempt: 0 });
    expect(await server.logged("worker.stopped")).toMatchObject({ released: 10 });
  });

  it("first says so, then answers who waits, and takes ends of jobs until its own have ended", async () => {
    const server = await start();
    await call(server);
    const [arrival] = await receiver.arrivals(1);
    await server.post("/v1/jobs", { name: "remote", queue: "remote" });
    const claim = { workerId: "w", queues: ["remote"] };
    const { body } = await server.post<{ jobs: { id: string; leaseToken: string }[] }>("/v1/claim", claim);
    const [remote] = body.jobs;
    const headers = { authorization: `Bearer ${TOKEN}` };
    const stream = await fetch(`${server.url}/v1/events`, { headers });
    const waiting = server.post<{ jobs: unknown[]; draining: boolean }>("/v1/claim", {
      ...claim,
      waitMs: 30_000,
    });
    const metrics = async () => (await fetch(`${server.url}/metrics`, { headers })).text();
    await eventually(metrics, (text) => text.includes("konveier_claim_waiters 1"));

    server.kill("SIGTERM");
    expect((await waiting).body).toMatchObject({ jobs: [], draining: true });
    expect((await fetch(`${server.url}/readyz`)).status).toBe(503);
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    // Ends by itself: the server closes it.
    await stream.text();
    const { leaseToken } = remote!;
    const ended = await server.post(`/v1/jobs/${remote!.id}/complete`, { leaseToken, result: 1 });
    expect(ended.status).toBe(200);
    expect(server.log.map(({ event }) => event)).not.toContain("server.stopped");

    arrival?.answer(200);
    expect(await server.exited).toEqual({ code: 0, signal: null });
    expect(await jobsLeft(remote!.id)).toMatchObject([{ state: "completed", attempt: 1 }]);
  });

  it("only says so for KONVEIER_STOP_DELAY_MS, and serves everybody, claims too", async () => {
    const server = await start({ KONVEIER_STOP_DELAY_MS: "60000" });
    const claim = { workerId: "w", queues: ["remote"] };
    const waiting = server.post<{ jobs: unknown[]; draining: boolean }>("/v1/claim", {
      ...claim,
      waitMs: 60_000,
    });
    const headers = { authorization: `Bearer ${TOKEN}` };
    const metrics = async () => (await fetch(`${server.url}/metrics`, { headers })).text();
    await eventually(metrics, (text) => text.includes("konveier_claim_waiters 1"));
    server.kill("SIGTERM");
    await server.logged("server.stopping");
    const ready = await fetch(`${server.url}/readyz`);
    expect([ready.status, ready.headers.get("connection")]).toEqual([503, "close"]);
    const health = await fetch(`${server.url}/healthz`);
    expect([health.status, health.headers.get("connection")]).toEqual([200, "close"]);
    // The built-in worker goes on too.
    await call(server);
    const [arrival] = await receiver.arrivals(1);
    expect((await server.post("/v1/jobs", { name: "remote", queue: "remote" })).status).toBe(201);
    expect((await waiting).body).toMatchObject({ jobs: [{ name: "remote" }], draining: false });
    expect((await server.post("/v1/jobs", { name: "remote", queue: "remote" })).status).toBe(201);
    const last = await server.post("/v1/claim", claim);
    expect(last.body).toMatchObject({ jobs: [{ name: "remote" }], draining: false });
    arrival?.answer(200);
    // Again, until one is late enough to count.
    await signalUntil(server, () => server.stderr.includes("server.stop_forced"));
    expect(await server.exited).toEqual({ code: 1, signal: null });
  });

  it("goes on by itself when that time is over", async () => {
    const server = await start({ KONVEIER_STOP_DELAY_MS: "500" });
    const began = performance.now();
    server.kill("SIGTERM");
    expect(await server.exited).toEqual({ code: 0, signal: null });
    // Timers count whole milliseconds of their own clock.
    expect(performance.now() - began).toBeGreaterThanOrEqual(498);
  });

  it("takes no new work", async () => {
    const server = await start();
    await call(server);
    const [arrival] = await receiver.arrivals(1);
    server.kill("SIGTERM");
    await server.logged("server.stopping");
    const late = await server.post<{ id: string }>("/v1/jobs", {
      name: "webhook.call",
      payload: { url: receiver.url },
    });
    arrival?.answer(200);
    await server.exited;
    // Accepted or refused, but never begun.
    expect([201, 503]).toContain(late.status);
    if (late.status === 201) {
      expect(await jobsLeft(late.body.id)).toMatchObject([{ state: "pending", attempt: 0 }]);
    }
    expect(receiver.count).toBe(1);
  });
});

describe("a second signal", () => {
  it("in the same second changes nothing; later it forces", async () => {
    const server = await start({ KONVEIER_SHUTDOWN_GRACE_MS: "60000" });
    const id = await call(server);
    await receiver.arrivals(1);
    const began = performance.now();
    server.kill("SIGTERM");
    await server.logged("server.stopping");
    server.kill("SIGTERM");
    server.kill("SIGINT");
    // Again, until one is late enough to count.
    await signalUntil(server, () => server.stderr.includes("server.stop_forced"));
    expect(performance.now() - began).toBeGreaterThan(990);
    expect(await server.exited).toEqual({ code: 1, signal: null });
    expect(await jobsLeft(id)).toMatchObject([{ state: "pending", attempt: 0 }]);
  });

  it("is followed by a third that kills, when a connection does not close", async () => {
    const server = await start();
    const socket = connect(Number(new URL(server.url).port), "127.0.0.1");
    onTestFinished(() => {
      socket.destroy();
    });
    socket.on("error", () => undefined);
    await once(socket, "connect");
    // Half a request: the server waits for the rest of it.
    const head = ["POST /v1/jobs HTTP/1.1", "Host: h", `Authorization: Bearer ${TOKEN}`];
    const body = ["Content-Type: application/json", "Content-Length: 100", "", "{"];
    socket.write([...head, ...body].join("\r\n"));
    await server.get("/v1/queues");

    await signalUntil(server, () => server.stderr.includes("server.stop_forced"));
    let ended = false;
    const exit = server.exited.finally(() => {
      ended = true;
    });
    await signalUntil(server, () => ended);
    expect(await exit).toEqual({ code: null, signal: "SIGKILL" });
  });
});

/** Sends the signal again and again, like somebody who has lost patience. */
async function signalUntil(server: ServerProcess, condition: () => boolean): Promise<void> {
  await eventually(() => {
    server.kill("SIGTERM");
    return Promise.resolve(condition());
  }, Boolean);
}
