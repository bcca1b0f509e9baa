import { describe, expect, onTestFinished, test } from "vitest";
import {
  defineJob,
  KonveierClient,
  LeaseLostError,
  NonRetryableError,
  RemoteWorker,
  RetryAfter,
  Snooze,
  type AnyJobDefinition,
  type JobContext,
  type RemoteWorkerOptions,
} from "../../src/client/index.js";
import { JobDetailView } from "../../src/api/job.js";
import { reap } from "../../src/engine/loops/reaper.js";
import { API_TOKEN, startHttpServer, type HttpServer } from "../support/http-server.js";
import { eventually } from "../support/server-process.js";

interface Rig {
  readonly server: HttpServer;
  readonly worker: RemoteWorker;
  readonly problems: string[];
  /** Requests that the worker has sent. */
  readonly requests: string[];
}

async function setUp(
  jobs: readonly AnyJobDefinition[],
  options: Partial<RemoteWorkerOptions> & { fetch?: typeof fetch } = {},
): Promise<Rig> {
  const server = await startHttpServer();
  const problems: string[] = [];
  const requests: string[] = [];
  const { fetch: send = fetch, ...more } = options;
  const client = new KonveierClient({
    url: server.url,
    token: API_TOKEN,
    fetch: (input, init) => {
      requests.push(new URL(input).pathname);
      return send(input, init);
    },
  });
  const worker = new RemoteWorker({
    client,
    jobs,
    id: "w",
    onProblem: (error, during) => problems.push(`${during}: ${String(error)}`),
    ...more,
  });
  onTestFinished(async () => {
    await worker.stop({ graceMs: 0 });
    // `fetch` opens a new connection for one that it gave up, and may never use it.
    server.server.app.server.closeAllConnections();
  });
  return { server, worker, problems, requests };
}

const job = async ({ server }: Rig, id = "1") => (await server.get(`/v1/jobs/${id}`)).as(JobDetailView);

const jobIn = (rig: Rig, state: string, id = "1") =>
  eventually(
    () => job(rig, id),
    (found) => found.state === state,
  );

const throwing = (thrown: unknown) =>
  defineJob("a", {
    handler: () => {
      throw thrown;
    },
  });

describe("a remote worker", () => {
  test.each([
    ["Snooze", new Snooze(60_000), { state: "scheduled", attempt: 0 }],
    ["RetryAfter", new RetryAfter(60_000), { state: "scheduled", attempt: 1 }],
    ["NonRetryableError", new NonRetryableError("x"), { state: "dead", attempt: 1 }],
    ["anything else", "text", { state: "scheduled", lastError: { type: "string", message: "text" } }],
  ])("tells what %s means", async (_what, thrown, wanted) => {
    const rig = await setUp([throwing(thrown)]);
    await rig.server.post("/v1/jobs", { name: "a" });
    await rig.worker.start();
    await jobIn(rig, wanted.state);
    expect(await job(rig)).toMatchObject(wanted);
  });

  test("uses a backoff that is code, and a schema", async () => {
    const failing = defineJob("a", {
      backoff: ({ failures }) => failures * 3_600_000,
      handler: () => {
        throw new Error("x");
      },
    });
    const picky = defineJob("b", {
      schema: {
        "~standard": { version: 1, vendor: "test", validate: () => ({ issues: [{ message: "no" }] }) },
      },
      handler: () => undefined,
    });
    const rig = await setUp([failing, picky]);
    await rig.server.post("/v1/jobs/batch", { jobs: [{ name: "a" }, { name: "b" }] });
    await rig.worker.start();
    const { runAt } = await jobIn(rig, "scheduled");
    expect(Date.parse(runAt) - Date.now()).toBeGreaterThan(3_000_000);
    expect(await jobIn(rig, "dead", "2")).toMatchObject({
      lastError: { message: expect.stringContaining("/payload no") as string },
    });
  });

  test("completes a job whose result cannot be sent, and says so", async () => {
    const rig = await setUp([defineJob("a", { handler: () => 10n })]);
    await rig.server.post("/v1/jobs", { name: "a" });
    await rig.worker.start();
    await jobIn(rig, "completed");
    expect(rig.problems).toEqual([expect.stringContaining("keeping the result of job 1")]);
    const { body } = await rig.server.get("/v1/jobs/1");
    expect(body["resultProblem"]).toBe("$ is a BigInt, which JSON cannot hold.");
  });

  test("gives its handlers what the library's worker does", async () => {
    let seen: unknown;
    const rig = await setUp([
      defineJob("a", {
        handler: ({ job: claimed, payload, token, signal }) => {
          seen = [claimed.id, claimed.failures, claimed.startedAt > 0, payload, token, signal.aborted];
        },
      }),
    ]);
    await rig.server.post("/v1/jobs", { name: "a", payload: [1] });
    await rig.worker.start();
    await jobIn(rig, "completed");
    expect(seen).toEqual(["1", 0, true, [1], 1, false]);
  });

  test("keeps log lines in order, also those that nobody awaited before the end", async () => {
    const rig = await setUp([
      defineJob("a", {
        handler: ({ log }) => {
          for (let line = 1; line <= 20; line += 1) log(`line ${line}`).catch(() => undefined);
        },
      }),
    ]);
    await rig.server.post("/v1/jobs", { name: "a" });
    await rig.worker.start();
    await jobIn(rig, "completed");
    const lines = (await rig.server.get("/v1/jobs/1/logs")).body["items"] as { message: string }[];
    expect(lines.map(({ message }) => message)).toEqual(
      Array.from({ length: 20 }, (_, index) => `line ${index + 1}`),
    );
    expect(rig.requests.filter((path) => path.endsWith("/logs")).length).toBeLessThan(5);
  });

  test("stores a step before it gives the job back at a stop", async () => {
    let arrived!: () => void;
    let goOn!: () => void;
    const storing = new Promise<void>((resolve) => (arrived = resolve));
    const held = new Promise<void>((resolve) => (goOn = resolve));
    const handler = async ({ step, signal }: JobContext) => {
      const stopped = new Promise((_resolve, reject) => {
        signal.addEventListener("abort", reject);
      });
      await Promise.race([step("charge", () => 7), stopped]);
    };
    const rig = await setUp([defineJob("a", { handler })], {
      fetch: async (input, init) => {
        const { url } = input instanceof Request ? input : new Request(input);
        if (url.endsWith("/steps")) {
          arrived();
          await held;
        }
        return fetch(input, init);
      },
    });
    await rig.server.post("/v1/jobs", { name: "a" });
    await rig.worker.start();
    await storing;
    const stopped = rig.worker.stop({ graceMs: 0 });
    // An acknowledgement that did not wait for the step would be on its way after some turns.
    for (let turns = 0; turns < 10; turns += 1) await new Promise((resolve) => setImmediate(resolve));
    goOn();
    await stopped;
    expect(rig.requests.filter((path) => /steps$|ack$/.test(path))).toEqual(["/v1/jobs/1/steps", "/v1/ack"]);
    expect((await rig.server.get("/v1/jobs/1/steps")).body["items"]).toMatchObject([{ name: "charge" }]);
    expect(await job(rig)).toMatchObject({ state: "pending", attempt: 0 });
  });

  test("acknowledges many jobs with few requests, while a claim waits", async () => {
    const rig = await setUp([defineJob("a", { handler: () => 1 })], { concurrency: 200 });
    await rig.server.post("/v1/jobs/batch", { jobs: Array.from({ length: 200 }, () => ({ name: "a" })) });
    await rig.worker.start();
    await eventually(
      () => rig.server.store.queues.get("default"),
      (queue) => queue?.counts.completed === 200,
    );
    expect(rig.requests.filter((path) => path === "/v1/ack").length).toBeLessThan(20);
  });

  test("says its outcomes again when the server did not answer", async () => {
    let failures = 2;
    const rig = await setUp([defineJob("a", { handler: () => 1 })], {
      random: () => 0,
      fetch: async (input, init) => {
        const answer = await fetch(input, init);
        if (!(input as string).endsWith("/v1/ack") || failures === 0) return answer;
        failures -= 1;
        throw new TypeError("fetch failed");
      },
    });
    await rig.server.post("/v1/jobs", { name: "a" });
    await rig.worker.start();
    await jobIn(rig, "completed");
    await eventually(
      () => Promise.resolve(rig.requests.filter((path) => path === "/v1/ack").length),
      (count) => count === 3,
    );
    expect(await rig.worker.stop()).toBe(0);
  });

  test("gives back what a claim brought that was interrupted by the stop", async () => {
    let release = (): void => undefined;
    const assigned = new Promise<void>((resolve) => {
      release = resolve;
    });
    const rig = await setUp([defineJob("a", { handler: () => 1 })], {
      fetch: async (input, init) => {
        const answer = await fetch(input, init);
        if (!(input as string).endsWith("/v1/claim") || init?.signal?.aborted === true) return answer;
        release();
        // The answer is on its way for ever; only a second question can bring it.
        if (rig.requests.filter((path) => path === "/v1/claim").length > 1) return answer;
        return new Promise((_resolve, reject) => {
          init?.signal?.addEventListener("abort", () => {
            reject(new Error("aborted"));
          });
        });
      },
    });
    await rig.server.post("/v1/jobs", { name: "a" });
    await rig.worker.start();
    await assigned;
    expect(await rig.worker.stop()).toBe(1);
    expect(await job(rig)).toMatchObject({ state: "pending", attempt: 0 });
  });

  test("stops a handler whose lease ends while the server cannot be reached, and goes on afterwards", async () => {
    let down = false;
    const reasons: unknown[] = [];
    const patient = defineJob("a", {
      handler: async ({ signal, job: { attempt } }) => {
        if (attempt > 1) return;
        down = true;
        await new Promise((resolve) => {
          signal.addEventListener("abort", resolve);
        });
        reasons.push(signal.reason);
        down = false;
        throw signal.reason;
      },
    });
    const rig = await setUp([patient], {
      leaseMs: 600,
      random: () => 0,
      fetch: (input, init) =>
        down
          ? Promise.reject(new TypeError("fetch failed", { cause: new Error("down") }))
          : fetch(input, init),
    });
    await rig.server.post("/v1/jobs", { name: "a", backoff: { type: "fixed", delayMs: 0 } });
    await rig.worker.start();
    const done = await eventually(
      async () => {
        await reap(rig.server.context);
        return job(rig);
      },
      ({ state }) => state === "completed",
    );
    expect(done.attempt).toBe(2);
    expect(reasons).toEqual([expect.any(LeaseLostError)]);
    expect(rig.problems.join()).toContain("down");
  });

  test("does not start with a token that the server does not take", async () => {
    const server = await startHttpServer();
    const client = new KonveierClient({ url: server.url, token: "wrong" });
    const worker = new RemoteWorker({ client, jobs: [throwing("x")] });
    await expect(worker.start()).rejects.toMatchObject({ code: "unauthorized", status: 401 });
  });

  test("stops with a clear error when its token is revoked", async () => {
    let revoked = false;
    const rig = await setUp([throwing("x")], {
      leaseMs: 1_000,
      fetch: (input, init) => {
        if (!revoked) return fetch(input, init);
        const headers = new Headers(init?.headers);
        headers.set("authorization", "Bearer revoked");
        return fetch(input, { ...init, headers });
      },
    });
    await rig.worker.start();
    revoked = true;
    await expect(rig.worker.finished).rejects.toMatchObject({ code: "unauthorized" });
  });

  test("names every option that is wrong", () => {
    const client = new KonveierClient({ url: "http://x", token: "t" });
    const options = { client, jobs: [], queues: [], concurrency: 0, leaseMs: 1, id: "" };
    expect(() => new RemoteWorker(options)).toThrow(
      expect.objectContaining({
        faults: ["/jobs", "/queues", "/concurrency", "/leaseMs", "/id"].map(
          (pointer) => expect.objectContaining({ pointer }) as unknown,
        ),
      }) as Error,
    );
  });
});
