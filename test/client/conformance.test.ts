import { spawn, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { JobDetailView } from "../../src/api/job.js";
import { reap } from "../../src/engine/loops/reaper.js";
import { ChildProgram, startProgram } from "../support/child-program.js";
import { API_TOKEN, startHttpServer, type HttpServer } from "../support/http-server.js";
import { LossyProxy } from "../support/lossy-proxy.js";
import { eventually } from "../support/server-process.js";

/** Long enough for a loaded machine to send heartbeats, short enough for a test to wait for its end. */
const LEASE_MS = 2_000;

type Start = (url: string, id: string) => ChildProgram<never, never>;

const startNode: Start = (url, id) =>
  startProgram(new URL("./programs/remote-worker.ts", import.meta.url), {
    url,
    token: API_TOKEN,
    id,
    leaseMs: LEASE_MS,
  });

const startPython: Start = (url, id) => {
  const program = fileURLToPath(new URL("./programs/worker.py", import.meta.url));
  const examples = fileURLToPath(new URL("../../examples/python", import.meta.url));
  const input = JSON.stringify({ url, token: API_TOKEN, id, leaseMs: LEASE_MS });
  const child = spawn("python3", ["-B", program, input, examples], {
    env: { PATH: process.env["PATH"] },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const started = new ChildProgram<never, never>(child);
  onTestFinished(async () => {
    started.kill("SIGKILL");
    await started.exited;
  });
  return started;
};

const hasPython =
  spawnSync("python3", ["-c", "import sys; sys.exit(sys.version_info < (3, 9))"]).status === 0;

describe("RemoteWorker", () => {
  conforms(startNode);
});

// Where there is no Python there is nobody to be convinced by this.
describe.skipIf(!hasPython)("the worker in Python (skipped where python3 is missing)", () => {
  conforms(startPython);
});

const stateIs = (wanted: string) => (job: JobDetailView) => job.state === wanted;

async function jobWhen(server: HttpServer, id: string, fits: (job: JobDetailView) => boolean) {
  const look = async () => {
    // The server of these tests has no background loops.
    await reap(server.context);
    await server.store.claims.promote(100);
    return (await server.get(`/v1/jobs/${id}`)).as(JobDetailView);
  };
  return eventually(look, fits);
}

/** The same work for every worker, whatever its language. */
function conforms(start: Start): void {
  /** A server and a worker that has begun a job which ends only when it is told to. */
  async function hanging(job: object = {}) {
    const server = await startHttpServer();
    const worker = start(server.url, "first");
    await server.post("/v1/jobs", { name: "hang", backoff: { type: "fixed", delayMs: 0 }, ...job });
    await worker.until(() => worker.output.includes("began 1 1"));
    return { server, worker };
  }

  test("OBS-13 learns where in a trace its job was enqueued", async () => {
    const server = await startHttpServer();
    start(server.url, "first");
    const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    const tracestate = "vendor=of the caller";
    await server.send("POST", "/v1/jobs", { json: { name: "trace" }, headers: { traceparent, tracestate } });
    await server.post("/v1/jobs", { name: "trace" });
    expect(await jobWhen(server, "1", stateIs("completed"))).toMatchObject({ traceparent });
    expect((await server.get("/v1/jobs/1/result")).json).toEqual([traceparent, tracestate]);
    expect(await jobWhen(server, "2", stateIs("completed"))).toMatchObject({ traceparent: null });
    expect((await server.get("/v1/jobs/2/result")).json).toEqual([null, null]);
  });

  test("does what it is asked: success, a failure that is retried, a failure for good", async () => {
    const server = await startHttpServer();
    start(server.url, "first");
    const backoff = { type: "fixed", delayMs: 0 };
    await server.post("/v1/jobs/batch", {
      jobs: [{ name: "double", payload: { x: 21 } }, { name: "flaky", backoff }, { name: "hopeless" }],
    });
    expect(await jobWhen(server, "1", stateIs("completed"))).toMatchObject({
      attempt: 1,
      workerId: "first",
      progress: { percent: 50, message: "half" },
    });
    expect((await server.get("/v1/jobs/1/result")).text).toBe('{"doubled":42}');
    expect((await server.get("/v1/jobs/1/logs")).body["items"]).toMatchObject([{ message: "doubling" }]);
    expect(await jobWhen(server, "2", stateIs("completed"))).toMatchObject({
      attempt: 2,
      lastError: { message: "the first attempt fails" },
    });
    expect(await jobWhen(server, "3", stateIs("dead"))).toMatchObject({ attempt: 1 });
  });

  test("skips the steps that are done, and does them once although an answer is lost", async () => {
    const server = await startHttpServer();
    const proxy = await LossyProxy.start(server.url);
    // Nothing else is answered so: the first step was stored.
    const lost = proxy.loseAnswer("204 No Content");
    const worker = start(proxy.url, "first");
    const backoff = { type: "fixed", delayMs: 0 };
    await server.post("/v1/jobs/batch", { jobs: [{ name: "steps", backoff }, { name: "unstorable" }] });
    await lost;
    expect(await jobWhen(server, "1", stateIs("completed"))).toMatchObject({ attempt: 2 });
    expect(worker.output.match(/^did .*/gm)).toEqual(["did first 1", "did second 1"]);
    const result = (await server.get("/v1/jobs/1/result")).json;
    expect(result).toEqual([{ attempt: 1 }, null, expect.stringContaining("inside of")]);
    expect((await server.get("/v1/jobs/1/steps")).body["items"]).toMatchObject([
      { seq: 1, name: "first", attempt: 1, resultBytes: 13 },
      { seq: 2, name: "second", attempt: 1, resultBytes: null },
    ]);
    const dead = await jobWhen(server, "2", stateIs("dead"));
    expect(dead.attempt).toBe(1);
    expect(dead.lastError?.message).toContain("is done, but what it gave cannot be stored");
  });

  test("adds jobs to a flow, waits for them and reads what they returned", async () => {
    const server = await startHttpServer();
    start(server.url, "first");
    await server.post("/v1/jobs", { name: "parent" });
    expect(await jobWhen(server, "1", stateIs("completed"))).toMatchObject({ attempt: 1 });
    expect((await server.get("/v1/jobs/1/result")).json).toEqual([
      ["a", "completed", { doubled: 2 }],
      ["b", "completed", { doubled: 4 }],
    ]);
  });

  test("API-09 WRK-09 stops a handler whose job is cancelled", async () => {
    const { server, worker } = await hanging();
    await server.post("/v1/jobs/1/cancel");
    await worker.until(() => worker.output.includes("stopped 1 1"));
    expect(await jobWhen(server, "1", stateIs("cancelled"))).toMatchObject({ attempt: 1 });
  });

  test("keeps a lease as long as the handler runs", async () => {
    const { server } = await hanging();
    const end = Date.now() + 2 * LEASE_MS;
    const job = await eventually(
      () => jobWhen(server, "1", () => true),
      () => Date.now() > end,
    );
    expect(job).toMatchObject({ state: "running", attempt: 1, token: 1 });
  });

  // Many of them: a handler that ends when it is stopped must never be quicker to say why than the limit is.
  test("ends attempts at their time limit, and says so", async () => {
    const server = await startHttpServer();
    start(server.url, "first");
    const jobs = Array.from({ length: 24 }, () => ({ name: "hang", timeoutMs: 100, maxAttempts: 1 }));
    await server.post("/v1/jobs/batch", { jobs });
    for (const number of jobs.keys()) {
      const { lastError } = await jobWhen(server, String(number + 1), stateIs("dead"));
      expect(lastError?.message).toContain("took longer");
    }
  });

  test("that was frozen beyond its lease stops, and changes nothing", async () => {
    const { server, worker } = await hanging();
    worker.kill("SIGSTOP");
    const second = start(server.url, "second");
    await jobWhen(server, "1", ({ attempt }) => attempt === 2);
    await second.until(() => second.output.includes("began 1 2"));
    worker.kill("SIGCONT");
    await worker.until(() => worker.output.includes("stopped 1 1"));
    worker.kill("SIGTERM");
    expect((await worker.exited).code).toBe(0);
    expect(await jobWhen(server, "1", () => true)).toMatchObject({
      state: "running",
      workerId: "second",
      attempt: 2,
    });
  });

  test("gives its job back at SIGTERM, and the attempt with it", async () => {
    const { server, worker } = await hanging();
    worker.kill("SIGTERM");
    expect(await worker.exited).toEqual({ code: 0, signal: null });
    // The token says that nobody has got it since, such as a claim of the worker that was still waiting.
    expect(await jobWhen(server, "1", () => true)).toMatchObject({ state: "pending", attempt: 0, token: 1 });
  });

  test("that is killed loses its job to the next one", async () => {
    const { server, worker } = await hanging();
    worker.kill("SIGKILL");
    await worker.exited;
    const second = start(server.url, "second");
    await jobWhen(server, "1", ({ attempt }) => attempt === 2);
    await second.until(() => second.output.includes("began 1 2"));
    expect((await server.get("/v1/jobs/1/attempts")).body["items"]).toMatchObject([
      { number: 1, outcome: "lost", workerId: "first" },
      { number: 2, workerId: "second" },
    ]);
  });

  test("WRK-01 gets its job although the answer to the claim was lost", async () => {
    const server = await startHttpServer();
    const proxy = await LossyProxy.start(server.url);
    const lost = proxy.loseAnswer("leaseToken");
    start(proxy.url, "first");
    await server.post("/v1/jobs", { name: "double", payload: { x: 1 } });
    expect(await lost).toContain('"attempt":1');
    expect(await jobWhen(server, "1", stateIs("completed"))).toMatchObject({ attempt: 1, token: 1 });
  });
}
