import { describe, expect, test } from "vitest";
import { FakeClock, T0 } from "../../test/support/fake-clock.js";
import { SqliteFile } from "../../test/support/sqlite-file.js";
import type { JobRequest } from "../core/job-request.js";
import type { WorkerRecord } from "../store/workers.js";
import { cancel } from "./cancel.js";
import { completion } from "./complete.js";
import { createContext } from "./context.js";
import { enqueue, enqueueMany } from "./enqueue.js";
import { explain, type Explanation } from "./explain.js";
import { failure } from "./fail.js";
import { createFlow } from "./flows/make.js";
import { retry } from "./retry.js";
import { settle } from "./settle.js";
import { pauseQueue } from "./queues.js";
import { WORKER_TIMEOUT_MS } from "./worker-timeout.js";

const RETRIES = { type: "fixed", delayMs: 60_000 } as const;

function setUp() {
  const clock = new FakeClock();
  const store = new SqliteFile().open({ clock });
  const context = createContext(store, { clock, random: () => 0 });
  const add = async (request: Partial<JobRequest> = {}) =>
    (await enqueue(context, { name: "send", ...request })).id;
  const take = async () => {
    const request = { workerId: "w-1", queues: ["default"], names: null, max: 1, leaseMs: 30_000 };
    const [job] = await store.claims.claim(request);
    if (job === undefined) throw new Error("There was no job to claim");
    return job;
  };
  const seen = (worker: Partial<WorkerRecord> = {}) =>
    store.workers.seen({
      id: "w-1",
      claimant: null,
      host: "h",
      pid: 1,
      queues: ["default"],
      names: null,
      concurrency: 10,
      running: 0,
      state: "active",
      ...worker,
    });
  return { clock, store, context, add, take, seen, why: (id: string) => explain(context, id) };
}

describe("explain", () => {
  test("a job that is not there", async () => {
    await expect(setUp().why("17")).rejects.toMatchObject({ code: "job_not_found" });
  });

  test("one that runs, and one whose lease has ended", async () => {
    const { add, take, why, clock } = setUp();
    const id = await add();
    await take();
    expect(await why(id)).toEqual({
      state: "running",
      expiresAt: null,
      reason: "running",
      detail:
        "The job runs on worker w-1 since 2026-01-05T00:00:00.000Z; its lease holds until 2026-01-05T00:00:30.000Z.",
      facts: { workerId: "w-1", since: T0, leaseUntil: T0 + 30_000 },
    });
    clock.block(30_000);
    expect((await why(id)).detail).toContain("its lease ended at 2026-01-05T00:00:30.000Z");
  });

  test("those that have ended", async () => {
    const { add, take, why, context } = setUp();
    const [completed, dead, cancelled] = [await add(), await add(), await add()];
    const first = await take();
    await settle(context, first, "w-1", completion(first, null));
    const second = await take();
    const boom = { outcome: "failed", error: { type: "E", message: "m", stack: null } } as const;
    await settle(context, second, "w-1", failure(context, second, boom, "never"));
    await cancel(context, cancelled);
    for (const [id, state] of [
      [completed, "completed"],
      [dead, "dead"],
      [cancelled, "cancelled"],
    ] as const) {
      expect(await why(id)).toEqual({
        state,
        expiresAt: null,
        reason: "finished",
        detail: `The job is ${state} since 2026-01-05T00:00:00.000Z${state === "cancelled" ? ": by hand" : ""}.`,
        facts: { since: T0, cancelled: state === "cancelled" ? "by_hand" : null },
      });
    }
  });

  test("until when a job must have started, and that it did not", async () => {
    const { add, why, clock, store } = setUp();
    const id = await add({ expiresInMs: 1_000 });
    const until = "Not started by 2026-01-05T00:00:01.000Z, it is cancelled.";
    expect(await why(id)).toMatchObject({
      expiresAt: T0 + 1_000,
      detail: expect.stringContaining(until) as unknown,
    });
    clock.block(1_000);
    await store.expiry.cancelDue(1);
    expect(await why(id)).toMatchObject({
      expiresAt: null,
      facts: { since: T0 + 1_000, cancelled: "expired" },
      detail: "The job is cancelled since 2026-01-05T00:00:01.000Z: it had not started in time.",
    });
  });

  test("a blocked one: what it waits for, as much as the caller may know, and that only a retry goes on", async () => {
    const { take, why, context } = setUp();
    const refs = ["a", "b", "c", "d", "e", "f", "g"];
    await createFlow(context, {
      name: "f",
      jobs: [
        ...refs.map((ref) => ({ ref, name: "send", queue: ref < "c" ? "default" : "other" })),
        { ref: "last", name: "send", dependsOn: refs, onDependencyFailure: "block" },
      ],
    });
    expect(await why("8")).toEqual({
      state: "blocked",
      expiresAt: null,
      reason: "blocked",
      detail:
        "The job waits for 7 jobs of its flow: a (job 1, pending), b (job 2, pending), c (job 3, pending), " +
        "d (job 4, pending), e (job 5, pending), 2 more.",
      facts: {
        since: T0,
        open: 7,
        dependencies: ["a", "b", "c", "d", "e"].map((ref, n) => ({ id: `${n + 1}`, ref, state: "pending" })),
        stuck: false,
      },
    });

    const first = await take();
    await settle(context, first, "w-1", completion(first, null));
    const second = await take();
    const boom = { outcome: "failed", error: { type: "E", message: "m", stack: null } } as const;
    await settle(context, second, "w-1", failure(context, second, boom, "never"));
    await cancel(context, "7");
    const { detail, facts } = (await why("8")) as Extract<Explanation, { reason: "blocked" }>;
    expect(facts).toMatchObject({ open: 6, stuck: true });
    expect(facts.dependencies.map(({ ref, state }) => `${ref} ${state}`)).toEqual([
      "b dead",
      "g cancelled",
      "c pending",
      "d pending",
      "e pending",
    ]);
    expect(detail).toMatch(/, 1 more\. It goes on only when what did not complete is retried by hand\.$/);

    const some = await explain(context, "8", (queue) => queue === "default");
    expect(some).toMatchObject({
      detail: expect.stringMatching(
        /^The job waits for 6 jobs of its flow: b \(job 2, dead\), 5 more\. /,
      ) as string,
      facts: { open: 6, dependencies: [{ id: "2" }], stuck: true },
    });
    const none = await explain(context, "8", () => false);
    expect(none).toMatchObject({
      detail: expect.stringMatching(/^The job waits for 6 jobs of its flow\. /) as string,
      facts: { open: 6, dependencies: [] },
    });

    await retry(context, "2");
    await retry(context, "7");
    expect(await why("8")).toMatchObject({ facts: { open: 6, stuck: false } });
  });

  test("a scheduled one: before its first run, between attempts, and put off by its handler", async () => {
    const { add, take, why, context, clock, store } = setUp();
    const id = await add({ delayMs: 5_000, maxAttempts: 3, backoff: RETRIES });
    expect(await why(id)).toEqual({
      state: "scheduled",
      expiresAt: null,
      reason: "scheduled",
      detail: "Its first run is scheduled for 2026-01-05T00:00:05.000Z.",
      facts: { until: T0 + 5_000, cause: "first_run", attempt: 0, maxAttempts: 3 },
    });
    clock.block(5_000);
    expect((await why(id)).detail).toContain("was due at 2026-01-05T00:00:05.000Z");
    await store.claims.promote(1);
    const first = await take();
    const boom = { outcome: "failed", error: { type: "E", message: "m", stack: null } } as const;
    await settle(context, first, "w-1", failure(context, first, boom));
    expect(await why(id)).toMatchObject({
      reason: "scheduled",
      detail: "The retry after attempt 1 of 3 is scheduled for 2026-01-05T00:01:05.000Z.",
      facts: { until: T0 + 65_000, cause: "retry", attempt: 1, maxAttempts: 3 },
    });
    clock.block(60_000);
    await store.claims.promote(1);
    const second = await take();
    await settle(context, second, "w-1", { verb: "snooze", id, token: second.token, delayMs: 1_000 });
    expect(await why(id)).toMatchObject({
      detail: "The run that its handler put off is scheduled for 2026-01-05T00:01:06.000Z.",
      facts: { cause: "snooze", attempt: 1 },
    });
  });

  test("a pending one, by the first condition of a claim that is not met", async () => {
    const { add, why, seen, context, clock, store } = setUp();
    const id = await add();

    await pauseQueue(store, "default", "deploy");
    clock.block(1_000);
    expect(await why(id)).toMatchObject({
      state: "pending",
      reason: "queue_paused",
      detail: "The queue default is paused since 2026-01-05T00:00:00.000Z: deploy.",
      facts: { since: T0, pauseReason: "deploy" },
    });
    await store.queues.resume("default");

    const nobody = { reason: "no_worker", facts: { queue: "default", name: "send" } };
    expect(await why(id)).toMatchObject(nobody);
    await seen({ id: "other-queue", queues: ["mail"] });
    await seen({ id: "other-name", names: ["resize"] });
    await seen({ id: "stopping", state: "stopping" });
    expect(await why(id)).toMatchObject({
      ...nobody,
      detail: "No live worker serves jobs named send of the queue default.",
    });

    await seen({ concurrency: 2, running: 2 });
    await seen({ id: "w-2", names: ["send"], concurrency: 3, running: 4 });
    expect(await why(id)).toMatchObject({
      reason: "workers_busy",
      detail: "All slots are taken: 2 live workers serve such jobs and run 6 jobs in 5 slots.",
      facts: { workers: 2, slots: 5, running: 6 },
    });

    await seen({ concurrency: 2, running: 1 });
    expect(await why(id)).toMatchObject({
      reason: "waiting_turn",
      detail:
        "The job is the next of its queue and name: 2 live workers serve such jobs and run 5 jobs in 5 slots.",
      facts: { ahead: 0, capped: false, workers: 2, slots: 5, running: 5 },
    });
    await enqueueMany(context, [
      { name: "send", priority: 9 },
      { name: "resize", priority: 9 },
      { name: "send" },
    ]);
    expect(await why(id)).toMatchObject({
      detail: expect.stringMatching(/^1 job of the same queue and name goes first/) as string,
      facts: { ahead: 1 },
    });

    clock.block(WORKER_TIMEOUT_MS + 1);
    expect(await why(id)).toMatchObject(nobody);
  });

  test("those that go first are counted to 1000", async () => {
    const { add, why, seen, context } = setUp();
    await enqueueMany(
      context,
      Array.from({ length: 1_000 }, () => ({ name: "send" })),
    );
    await seen();
    expect(await why(await add())).toMatchObject({ facts: { ahead: 1_000, capped: false } });
    expect(await why(await add())).toMatchObject({
      detail: expect.stringMatching(/^More than 1000 jobs of the same queue and name go first/) as string,
      facts: { ahead: 1_000, capped: true },
    });
  });
});
