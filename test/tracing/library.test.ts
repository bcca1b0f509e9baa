import { join } from "node:path";
import { propagation, trace } from "@opentelemetry/api";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { defineJob, Konveier, NonRetryableError, Snooze, type Tracer } from "../../src/index.js";
import { openTelemetry } from "../../src/otel/index.js";
import { eventually } from "../support/server-process.js";
import { tempDirectory } from "../support/temp-directory.js";
import { endedSpans, exporter, traceparent } from "./spans.js";

const tracer = trace.getTracer("of the test");
const AT_ONCE = { type: "fixed", delayMs: 0 } as const;

beforeEach(() => {
  exporter.reset();
});

async function open(tracing: Tracer = openTelemetry()): Promise<Konveier> {
  const konveier = await Konveier.open(`sqlite:${join(tempDirectory(), "jobs.db")}`, { tracing });
  onTestFinished(() => konveier.close({ graceMs: 0 }));
  return konveier;
}

const spansOf = (name: string, count = 1) =>
  eventually(
    () => Promise.resolve(endedSpans(name)),
    (spans) => spans.length >= count,
  );

describe("a traced Konveier", () => {
  test("OBS-13 keeps the span of the enqueue with the job, and links the one of its processing", async () => {
    const konveier = await open();
    const work = defineJob("email.send", {
      queue: "mail",
      handler: ({ job }) => {
        tracer.startSpan("inside").end();
        return job.traceparent;
      },
    });
    const { id, requestSpan } = await tracer.startActiveSpan("request", async (span) => {
      const job = await konveier.enqueue(work, { secret: "payload" });
      span.end();
      return { id: job.id, requestSpan: span.spanContext() };
    });
    await konveier.worker({ jobs: [work], queues: ["mail"], id: "w1" }).start();
    const [processed] = await spansOf("process mail");
    const [enqueued] = await spansOf("enqueue mail");
    const [inside] = await spansOf("inside");

    expect(enqueued).toMatchObject({
      kind: "PRODUCER",
      traceId: requestSpan.traceId,
      parentId: requestSpan.spanId,
      attributes: {
        "messaging.system": "konveier",
        "messaging.destination.name": "mail",
        "messaging.operation.name": "enqueue",
        "messaging.operation.type": "send",
        "messaging.message.id": id,
        "konveier.job.name": "email.send",
      },
    });
    expect(processed).toMatchObject({
      kind: "CONSUMER",
      parentId: null,
      links: [traceparent(enqueued!)],
      status: { code: 0 },
      attributes: {
        "messaging.system": "konveier",
        "messaging.destination.name": "mail",
        "messaging.operation.name": "process",
        "messaging.operation.type": "process",
        "messaging.message.id": id,
        "messaging.client.id": "w1",
        "konveier.job.name": "email.send",
        "konveier.job.attempt": 1,
        "konveier.job.max_attempts": 20,
        "konveier.job.outcome": "completed",
      },
    });
    expect(processed!.traceId).not.toBe(enqueued!.traceId);
    expect(inside).toMatchObject({ traceId: processed!.traceId, parentId: processed!.spanId });
    const job = await eventually(
      () => konveier.jobs.get(id),
      (found) => found?.state === "completed",
    );
    expect(job?.traceparent).toBe(traceparent(enqueued!));
    expect(await konveier.jobs.result(id)).toBe(traceparent(enqueued!));
    expect(
      exporter
        .getFinishedSpans()
        .map((span) => JSON.stringify(span.attributes))
        .join(),
    ).not.toContain("payload");
  });

  test("every attempt is a span of its own that links to the enqueue, and tells no message", async () => {
    const konveier = await open();
    const work = defineJob("work", {
      backoff: AT_ONCE,
      handler: ({ job }) => {
        if (job.attempt === 1) throw new TypeError("ada@example.com is wrong");
        throw new NonRetryableError("ada@example.com is dead");
      },
    });
    await konveier.enqueue(work, null);
    await konveier.worker({ jobs: [work] }).start();
    const attempts = await spansOf("process default", 2);
    const [enqueued] = await spansOf("enqueue default");
    expect(attempts).toMatchObject([
      { attributes: { "konveier.job.attempt": 1, "error.type": "TypeError" } },
      { attributes: { "konveier.job.attempt": 2, "error.type": "NonRetryableError" } },
    ]);
    expect(new Set(attempts.map(({ traceId }) => traceId)).size).toBe(2);
    for (const attempt of attempts) {
      expect(attempt.links).toEqual([traceparent(enqueued!)]);
      expect(attempt.attributes["konveier.job.outcome"]).toBe("failed");
      expect(attempt.status.code).toBe(2);
      expect(attempt.text).not.toContain("ada@");
    }
  });

  test("attempts that time out, are cancelled, snoozed or given back end their spans", async () => {
    const konveier = await open();
    const hang = defineJob("hang", {
      handler: ({ signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => {
            reject(signal.reason as Error);
          });
        }),
    });
    const snooze = defineJob("snooze", {
      handler: () => {
        throw new Snooze(60_000);
      },
    });
    const outcome = async (id: string) => {
      const of = () =>
        endedSpans("process default").filter((span) => span.attributes["messaging.message.id"] === id);
      const [span] = await eventually(
        () => Promise.resolve(of()),
        (spans) => spans.length > 0,
      );
      return [span!.attributes["konveier.job.outcome"], span!.attributes["error.type"]];
    };
    // A short lease makes its heartbeat tell of the cancel soon.
    const worker = konveier.worker({ jobs: [hang, snooze], leaseMs: 300, pollMs: 10 });
    await worker.start();
    const { id: late } = await konveier.enqueue(hang, null, { timeoutMs: 1, maxAttempts: 1 });
    expect(await outcome(late)).toEqual(["timed_out", "JobTimeoutError"]);
    const { id: snoozed } = await konveier.enqueue(snooze, null);
    expect(await outcome(snoozed)).toEqual(["snoozed", undefined]);
    const running = async (id: string) =>
      eventually(
        () => konveier.jobs.get(id),
        (job) => job?.state === "running",
      );
    const { id: cancelled } = await konveier.enqueue(hang, null);
    await running(cancelled);
    await konveier.jobs.cancel(cancelled);
    expect(await outcome(cancelled)).toEqual(["cancelled", "LeaseLostError"]);
    const { id: released } = await konveier.enqueue(hang, null);
    await running(released);
    await worker.stop({ graceMs: 0 });
    expect(await outcome(released)).toEqual(["released", undefined]);
  });

  test("a batch is one span, which all its jobs link to; a refused one says why", async () => {
    const konveier = await open();
    await konveier.enqueueMany([{ name: "a" }, { name: "b", queue: "mail" }]);
    const [batch] = await spansOf("enqueue");
    expect(batch!.attributes).toMatchObject({ "messaging.batch.message_count": 2 });
    for (const id of ["1", "2"]) {
      expect((await konveier.jobs.get(id))?.traceparent).toBe(traceparent(batch!));
    }
    await expect(konveier.enqueue("ada@example.com", null)).rejects.toThrow();
    const [refused] = await spansOf("enqueue default");
    expect(refused).toMatchObject({ status: { code: 2 }, attributes: { "error.type": "validation_failed" } });
    expect(refused!.text).not.toContain("ada@");
  });

  test("baggage is neither kept nor handed to handlers", async () => {
    const konveier = await open();
    const seen: unknown[] = [];
    const work = defineJob("work", {
      handler: () => {
        seen.push(propagation.getActiveBaggage());
      },
    });
    await konveier.enqueue(work, null);
    await konveier.worker({ jobs: [work] }).start();
    await spansOf("process default");
    expect(seen).toEqual([undefined]);
  });

  test.each(["enqueue", "process", "accepted", "run", "ended", "nothing is returned"] as const)(
    "a tracer that fails (%s) loses no job and runs it once",
    async (part) => {
      const fail = (): never => {
        throw new Error("the tracer is broken");
      };
      const broken: Tracer = {
        enqueue: () => {
          if (part === "enqueue") fail();
          if (part === "nothing is returned") return undefined as never;
          return {
            context: { traceparent: "no header", tracestate: "x".repeat(1_000) },
            accepted: () => {
              if (part === "accepted") fail();
            },
            failed: fail,
          };
        },
        process: () => {
          if (part === "process") fail();
          if (part === "nothing is returned") return undefined as never;
          return {
            run: (handler) => {
              if (part === "run") fail();
              return handler();
            },
            ended: fail,
          };
        },
      };
      const konveier = await open(broken);
      const problems: unknown[] = [];
      konveier.on("internal.error", ({ error, during }) => problems.push(`${during}: ${String(error)}`));
      let runs = 0;
      const work = defineJob("work", {
        handler: () => {
          runs += 1;
          return runs;
        },
      });
      const { id } = await konveier.enqueue(work, null);
      await konveier.worker({ jobs: [work] }).start();
      const job = await eventually(
        () => konveier.jobs.get(id),
        (found) => found?.state === "completed",
      );
      expect(job).toMatchObject({ attempt: 1, traceparent: null });
      expect(runs).toBe(1);
      if (part !== "nothing is returned") expect(problems).toEqual(["tracing: Error: the tracer is broken"]);
    },
  );
});
