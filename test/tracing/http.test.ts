import { trace } from "@opentelemetry/api";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { ClaimView } from "../../src/api/claim.js";
import { JobDetailView } from "../../src/api/job.js";
import { defineJob, KonveierClient, NonRetryableError, RemoteWorker } from "../../src/client/index.js";
import { openTelemetry } from "../../src/otel/index.js";
import { API_TOKEN, startHttpServer, type HttpServer } from "../support/http-server.js";
import { eventually } from "../support/server-process.js";
import { endedSpans, exporter, traceparent } from "./spans.js";

const GIVEN = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
const tracer = trace.getTracer("of the test");

beforeEach(() => {
  exporter.reset();
});

async function claimed(server: HttpServer, max = 1) {
  const answer = await server.post("/v1/claim", { workerId: "w", queues: ["default"], max });
  return answer.as(ClaimView).jobs;
}

const spansOf = (name: string, count = 1) =>
  eventually(
    () => Promise.resolve(endedSpans(name)),
    (spans) => spans.length >= count,
  );

describe("headers of W3C Trace Context", () => {
  test("are kept with a job and with all jobs of a batch, and handed to their workers", async () => {
    const server = await startHttpServer();
    const headers = { traceparent: GIVEN, tracestate: "a=1,b=2" };
    await server.send("POST", "/v1/jobs", { json: { name: "work" }, headers });
    await server.send("POST", "/v1/jobs/batch", { json: { jobs: [{ name: "a" }, { name: "b" }] }, headers });
    for (const job of await claimed(server, 3)) expect(job).toMatchObject(headers);
    expect((await server.get("/v1/jobs/1")).as(JobDetailView).traceparent).toBe(GIVEN);
  });

  test.each([
    ["", ""],
    ["nonsense", "a=1"],
    [`00-${"0".repeat(32)}-b7ad6b7169203331-01`, ""],
    [`${GIVEN}-more`, "a=1"],
    ["x".repeat(5_000), "y".repeat(5_000)],
  ])("are ignored when they are faulty: %.60s", async (faulty, tracestate) => {
    const server = await startHttpServer();
    const headers = { traceparent: faulty, tracestate };
    const one = await server.send("POST", "/v1/jobs", { json: { name: "work" }, headers });
    const batch = await server.send("POST", "/v1/jobs/batch", { json: { jobs: [{ name: "a" }] }, headers });
    expect([one.status, batch.status]).toEqual([201, 201]);
    for (const job of await claimed(server, 2)) {
      expect(job).toMatchObject({ traceparent: null, tracestate: null });
    }
  });

  test("keep the context when only tracestate is faulty", async () => {
    const server = await startHttpServer();
    const headers = { traceparent: GIVEN, tracestate: "x".repeat(513) };
    await server.send("POST", "/v1/jobs", { json: { name: "work" }, headers });
    expect(await claimed(server)).toMatchObject([{ traceparent: GIVEN, tracestate: null }]);
  });

  test("are kept as they are by a traced server, whose span becomes their child", async () => {
    const server = await startHttpServer({ tracing: openTelemetry() });
    const headers = { traceparent: GIVEN };
    await server.send("POST", "/v1/jobs", { json: { name: "work" }, headers });
    await server.post("/v1/jobs", { name: "work" });
    const [given, own] = await spansOf("enqueue default", 2);
    expect(given).toMatchObject({ kind: "SERVER", parentId: "b7ad6b7169203331" });
    expect(own).toMatchObject({ kind: "PRODUCER", parentId: null });
    const jobs = await claimed(server, 2);
    expect(jobs.map((job) => job.traceparent)).toEqual([GIVEN, traceparent(own!)]);
  });
});

describe("a traced client and remote worker", () => {
  test("OBS-13 link the processing to the enqueue, through a server that knows of no tracing", async () => {
    const server = await startHttpServer();
    const tracing = openTelemetry();
    const client = new KonveierClient({ url: server.url, token: API_TOKEN, tracing });
    let attempts = 0;
    const work = defineJob("work", {
      handler: () => {
        tracer.startSpan("inside").end();
        attempts += 1;
        if (attempts === 1) throw new TypeError("ada@example.com is wrong");
        throw new NonRetryableError("ada@example.com is dead");
      },
    });
    const worker = new RemoteWorker({ client, jobs: [work], id: "w1", tracing });
    onTestFinished(async () => {
      await worker.stop({ graceMs: 0 });
      server.server.app.server.closeAllConnections();
    });
    await worker.start();
    const { id } = await client.enqueue({ name: "work", backoff: { type: "fixed", delayMs: 0 } });
    // The server of these tests has no background loops.
    await eventually(
      async () => {
        await server.store.claims.promote(10);
        return endedSpans("process default");
      },
      (spans) => spans.length >= 2,
    );
    const [enqueued] = await spansOf("enqueue default");
    expect(enqueued).toMatchObject({ kind: "PRODUCER", attributes: { "messaging.message.id": id } });
    const processed = endedSpans("process default");
    for (const [index, span] of processed.entries()) {
      expect(span).toMatchObject({
        kind: "CONSUMER",
        parentId: null,
        links: [traceparent(enqueued!)],
        attributes: { "konveier.job.attempt": index + 1, "konveier.job.outcome": "failed" },
      });
      expect(span.text).not.toContain("ada@");
    }
    expect(endedSpans("inside").map(({ parentId }) => parentId)).toEqual(
      processed.map(({ spanId }) => spanId),
    );
  });

  test("send the context of a batch, and end the span of a call that failed", async () => {
    const server = await startHttpServer();
    const client = new KonveierClient({ url: server.url, token: API_TOKEN, tracing: openTelemetry() });
    await client.enqueueMany([{ name: "a" }, { name: "b" }]);
    const [batch] = await spansOf("enqueue default");
    const jobs = await claimed(server, 2);
    expect(jobs.map((job) => job.traceparent)).toEqual([traceparent(batch!), traceparent(batch!)]);
    exporter.reset();
    await expect(client.enqueue({ name: "work", priority: 99 })).rejects.toThrow();
    expect(await spansOf("enqueue default")).toMatchObject([
      { status: { code: 2 }, attributes: { "error.type": "validation_failed" } },
    ]);
  });

  test("work as without a tracer when it fails", async () => {
    const broken = () => {
      throw new Error("the tracer is broken");
    };
    const tracing = { enqueue: broken, process: broken };
    const server = await startHttpServer();
    const client = new KonveierClient({ url: server.url, token: API_TOKEN, tracing });
    const problems: string[] = [];
    const worker = new RemoteWorker({
      client,
      jobs: [defineJob("work", { handler: () => "done" })],
      tracing,
      onProblem: (error, during) => problems.push(`${during}: ${String(error)}`),
    });
    onTestFinished(async () => {
      await worker.stop({ graceMs: 0 });
      server.server.app.server.closeAllConnections();
    });
    await worker.start();
    const { id } = await client.enqueue({ name: "work" });
    const job = await eventually(
      () => client.jobs.get(id),
      ({ state }) => state === "completed",
    );
    expect(job).toMatchObject({ attempt: 1, traceparent: null });
    expect(problems).toEqual(["tracing: Error: the tracer is broken"]);
  });
});
