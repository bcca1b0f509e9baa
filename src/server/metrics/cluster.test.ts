import { describe, expect, onTestFinished, test, vi } from "vitest";
import { Scrape } from "../../../test/support/exposition.js";
import { FakeClock, T0 } from "../../../test/support/fake-clock.js";
import { KonveierError } from "../../core/errors.js";
import { createContext } from "../../engine/context.js";
import { enqueueMany } from "../../engine/enqueue.js";
import { putSchedule } from "../../engine/schedules/put.js";
import { openSqliteStore } from "../../store/sqlite/open.js";
import { ClusterMetrics } from "./cluster.js";
import { MetricLabels, OTHER } from "./labels.js";

function setUp() {
  const clock = new FakeClock();
  const store = openSqliteStore(":memory:", { clock });
  onTestFinished(() => store.close());
  const context = createContext(store, { clock, random: () => 0 });
  const labels = new MetricLabels();
  const metrics = new ClusterMetrics(context, labels);
  const scrape = async () => {
    clock.block(1_000);
    return new Scrape(await metrics.text());
  };
  return { clock, store, context, labels, metrics, scrape };
}

const CLAIM = { workerId: "w", queues: ["default"], names: null, max: 1_000, leaseMs: 3_600_000 } as const;
const LANE = { queue: "default", job_name: "mail" };
const BOOM = { type: "Error", message: "boom", stack: null };

describe("metrics of the database", () => {
  test("MET-04 durations are seconds, and are measured where jobs wait and run", async () => {
    const { clock, store, context, scrape } = setUp();
    await enqueueMany(context, [{ name: "mail", delayMs: 7_200_000, maxAttempts: 2 }]);
    clock.block(7_202_000);
    await store.claims.promote(1);
    const [job] = await store.claims.claim(CLAIM);
    clock.block(1_000);
    const { id, token } = job!;
    await store.claims.settle([{ verb: "complete", id, token, result: null, resultProblem: null }]);
    const metrics = await scrape();
    expect(metrics.value("konveier_job_wait_seconds_sum", { queue: "default" })).toBe(2);
    expect(metrics.value("konveier_job_wait_seconds_bucket", { queue: "default", le: "1" })).toBe(0);
    expect(metrics.value("konveier_job_wait_seconds_bucket", { queue: "default", le: "2.5" })).toBe(1);
    expect(metrics.value("konveier_job_wait_seconds_bucket", { queue: "default", le: "+Inf" })).toBe(1);
    expect(metrics.value("konveier_job_run_seconds_sum", LANE)).toBe(1);
    expect(metrics.value("konveier_job_run_seconds_count", LANE)).toBe(1);
  });

  test("MET-03 OBS-05 a queue without jobs and a worker without work have every series at 0", async () => {
    const { store, scrape } = setUp();
    await store.queues.pause("quiet", null);
    await store.workers.seen({
      ...{ id: "w", claimant: null, host: "h", pid: 1, concurrency: 1, running: 0, state: "active" },
      queues: ["idle"],
      names: ["mail"],
    });
    const metrics = await scrape();
    for (const state of ["blocked", "scheduled", "pending", "running", "completed", "dead", "cancelled"]) {
      expect(metrics.value("konveier_queue_jobs", { queue: "quiet", state }), state).toBe(0);
    }
    expect(metrics.value("konveier_queue_paused", { queue: "quiet" })).toBe(1);
    expect(metrics.value("konveier_queue_paused", { queue: "idle" })).toBe(0);
    expect(metrics.value("konveier_queue_workers", { queue: "quiet" })).toBe(0);
    expect(metrics.value("konveier_queue_workers", { queue: "idle" })).toBe(1);
    expect(metrics.value("konveier_queue_oldest_pending_age_seconds", { queue: "quiet" })).toBe(0);
    expect(metrics.value("konveier_job_wait_seconds_count", { queue: "quiet" })).toBe(0);
    const lane = { queue: "idle", job_name: "mail" };
    for (const outcome of ["succeeded", "failed", "timed_out", "lost", "released", "snoozed", "cancelled"]) {
      expect(metrics.value("konveier_attempts_finished_total", { ...lane, outcome }), outcome).toBe(0);
    }
    for (const state of ["completed", "dead", "cancelled"]) {
      expect(metrics.value("konveier_jobs_finished_total", { ...lane, state }), state).toBe(0);
    }
    expect(metrics.value("konveier_job_run_seconds_count", lane)).toBe(0);
    expect(metrics.value("konveier_workers", { state: "stopping" })).toBe(0);
  });

  test("the limits that a queue has are there with the jobs that they are about, of at most 200 queues", async () => {
    const { store, context, scrape } = setUp();
    const limit = "konveier_queue_limit";
    await store.queues.edit("default", {
      concurrency: 5,
      maxLength: 0,
      rateLimit: { max: 90, perMs: 60_000 },
      perKey: { concurrency: 1 },
    });
    await store.queues.edit("mail", { maxLength: 7 });
    const first = await scrape();
    const limits = first.samples.filter(({ name }) => name === limit);
    expect(limits.map(({ labels, value }) => ({ ...labels, value }))).toEqual([
      { queue: "default", limit: "concurrency", value: 5 },
      { queue: "default", limit: "max_length", value: 0 },
      { queue: "default", limit: "rate_per_second", value: 1.5 },
      { queue: "mail", limit: "max_length", value: 7 },
    ]);
    expect(first.types.get(limit)).toBe("gauge");

    const many = Array.from({ length: 300 }, (_, n) => `queue-${n}`);
    await enqueueMany(
      context,
      many.map((queue) => ({ queue, name: "mail" })),
    );
    for (const queue of many) await store.queues.edit(queue, { concurrency: 2 });
    await store.queues.edit("default", { concurrency: null });
    const second = await scrape();
    expect(second.samples.filter(({ name }) => name === limit)).toHaveLength(198 + 3);
    expect(second.value(limit, { queue: OTHER, limit: "concurrency" })).toBeUndefined();
    expect(second.value(limit, { queue: "default", limit: "concurrency" })).toBeUndefined();
    expect(second.sum("konveier_queue_jobs", { state: "pending" })).toBe(300);
  });

  test("each attempt is in one outcome, and they add up to what was started", async () => {
    const { store, context, scrape } = setUp();
    await enqueueMany(
      context,
      Array.from({ length: 10 }, () => ({ name: "mail" })),
    );
    const jobs = await store.claims.claim(CLAIM);
    const key = (index: number) => ({ id: jobs[index]!.id, token: jobs[index]!.token });
    const done = { verb: "complete", result: null, resultProblem: null } as const;
    const failed = (outcome: "failed" | "timed_out" | "lost") =>
      ({ verb: "bury", failure: { outcome, error: BOOM } }) as const;
    await store.claims.settle([
      { ...done, ...key(0) },
      { ...done, ...key(1) },
      { ...failed("failed"), ...key(2) },
      { ...failed("timed_out"), ...key(3) },
      { ...failed("lost"), ...key(4) },
      { verb: "release", ...key(5) },
      { verb: "snooze", delayMs: 60_000, ...key(6) },
    ]);
    await store.jobs.cancel(key(7).id);
    const metrics = await scrape();
    const outcomes = {
      succeeded: 2,
      failed: 1,
      timed_out: 1,
      lost: 1,
      released: 1,
      snoozed: 1,
      cancelled: 1,
    };
    for (const [outcome, n] of Object.entries(outcomes)) {
      expect(metrics.value("konveier_attempts_finished_total", { ...LANE, outcome }), outcome).toBe(n);
    }
    const running = metrics.value("konveier_queue_jobs", { queue: "default", state: "running" })!;
    expect(metrics.sum("konveier_attempts_started_total")).toBe(
      metrics.sum("konveier_attempts_finished_total") + running,
    );
    expect(metrics.value("konveier_jobs_finished_total", { ...LANE, state: "dead" })).toBe(3);
    expect(metrics.value("konveier_jobs_finished_total", { ...LANE, state: "cancelled" })).toBe(1);
    expect(metrics.value("konveier_leases_expired_total", { queue: "default" })).toBe(1);
    expect(metrics.value("konveier_jobs_enqueued_total", LANE)).toBe(10);
  });

  test("OBS-06 OBS-07 latency counts from when a job could be claimed, and grows with time", async () => {
    const { clock, store, context, scrape } = setUp();
    await enqueueMany(context, [{ name: "mail", delayMs: 7_200_000 }]);
    const age = async () =>
      (await scrape()).value("konveier_queue_oldest_pending_age_seconds", { queue: "default" });
    expect(await age()).toBe(0);
    clock.block(7_200_000);
    await store.claims.promote(1);
    expect(await age()).toBe(2);
    expect(await age()).toBe(3);
  });

  test("OBS-02 10 000 names have 201 values, and no sum changes", async () => {
    const { store, context, labels, scrape } = setUp();
    for (let batch = 0; batch < 10; batch += 1) {
      const names = Array.from({ length: 1_000 }, (_, n) => ({ name: `name-${batch}-${n}` }));
      await enqueueMany(context, names);
    }
    const jobs = await store.claims.claim(CLAIM);
    await store.claims.settle(
      jobs.map(({ id, token }) => ({ verb: "complete", id, token, result: null, resultProblem: null })),
    );
    const first = await scrape();
    expect(first.values("job_name").size).toBe(201);
    expect(first.sum("konveier_jobs_enqueued_total")).toBe(10_000);
    expect(first.value("konveier_jobs_enqueued_total", { queue: "default", job_name: OTHER })).toBe(9_800);
    expect(first.sum("konveier_job_run_seconds_count")).toBe(1_000);
    expect(first.sum("konveier_job_run_seconds_bucket", { le: "+Inf" })).toBe(1_000);
    expect(labels.jobName.overflows).toBeGreaterThan(0);
    // A name that sorts before the others takes nobody's place.
    await enqueueMany(context, [{ name: "a-new-name" }]);
    const second = await scrape();
    expect(second.values("job_name")).toEqual(first.values("job_name"));
    expect(second.value("konveier_jobs_enqueued_total", { queue: "default", job_name: OTHER })).toBe(9_801);
  });

  test("many queues and many names together stay bounded too", async () => {
    const { context, scrape } = setUp();
    for (let batch = 0; batch < 4; batch += 1) {
      await enqueueMany(
        context,
        Array.from({ length: 1_000 }, (_, n) => ({
          queue: `queue-${n % 100}`,
          name: `name-${batch * 10 + Math.floor(n / 100)}`,
        })),
      );
    }
    const metrics = await scrape();
    const lanes = metrics.samples.filter(({ name }) => name === "konveier_jobs_enqueued_total");
    expect(lanes.length).toBeLessThanOrEqual(2_000 + 201);
    expect(metrics.sum("konveier_jobs_enqueued_total")).toBe(4_000);
    expect(metrics.values("queue").size).toBe(100);
  });

  test("schedules have their totals, their next run and their lag", async () => {
    const { context, store, scrape } = setUp();
    await putSchedule(context, "nightly", { cron: "@daily", job: { name: "report" } }, "api");
    await putSchedule(context, "paused", { cron: "@daily", job: { name: "report" } }, "api");
    await store.schedules.pause("paused", null);
    const metrics = await scrape();
    for (const result of ["enqueued", "skipped", "missed"]) {
      expect(metrics.value("konveier_schedule_runs_total", { schedule: "paused", result }), result).toBe(0);
    }
    const next = "konveier_schedule_next_run_timestamp_seconds";
    expect(metrics.value(next, { schedule: "nightly" })).toBe(T0 / 1_000 + 86_400);
    expect(metrics.value(next, { schedule: "paused" })).toBeUndefined();
    expect(metrics.value("konveier_schedule_lag_seconds_count")).toBe(0);
  });

  test("OBS-09 ten scrapers within a second cost one reading", async () => {
    const { clock, store, metrics } = setUp();
    const totals = vi.spyOn(store.stats, "totals");
    const texts = await Promise.all(Array.from({ length: 10 }, () => metrics.text()));
    clock.block(999);
    texts.push(await metrics.text());
    expect(totals).toHaveBeenCalledTimes(1);
    expect(new Set(texts).size).toBe(1);
    clock.block(1);
    await metrics.text();
    expect(totals).toHaveBeenCalledTimes(2);
  });

  test("OBS-10 a database that hangs: after two seconds the last values, marked as stale", async () => {
    const { clock, store, context, metrics, scrape } = setUp();
    await enqueueMany(context, [{ name: "mail" }]);
    const before = await scrape();
    let answer = (): void => undefined;
    const hanging = vi.spyOn(store.stats, "totals").mockImplementation(
      () =>
        new Promise(
          (resolve) =>
            (answer = () => {
              resolve([]);
            }),
        ),
    );
    for (const calls of [1, 1]) {
      clock.block(1_000);
      const text = metrics.text();
      await clock.advance(2_000);
      expect(await text).toBe(before.text);
      expect(metrics.stale).toBe(true);
      // The one that hangs is waited for again; nothing piles up.
      expect(hanging).toHaveBeenCalledTimes(calls);
    }
    hanging.mockRestore();
    answer();
    await scrape();
    const after = await scrape();
    expect(metrics.stale).toBe(false);
    expect(after.value("konveier_jobs_enqueued_total", LANE)).toBe(1);
    expect(clock.pendingTimers).toBe(0);
  });

  test("a database that refuses is told of, and the last values stay", async () => {
    const { store, context, metrics, scrape } = setUp();
    const before = await scrape();
    const told: unknown[] = [];
    context.events.on("store.unavailable", (event) => told.push(event));
    vi.spyOn(store.queues, "list").mockRejectedValue(new KonveierError("store_io", "gone"));
    expect((await scrape()).text).toBe(before.text);
    expect(metrics.stale).toBe(true);
    expect(told).toHaveLength(1);
  });
});
