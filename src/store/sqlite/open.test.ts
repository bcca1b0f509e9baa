import { RECORD_AGES } from "../../../test/support/record-ages.js";
import { describe, expect, test } from "vitest";
import { FakeClock } from "../../../test/support/fake-clock.js";
import { allJobs, checkBooks } from "../../../test/support/recount.js";
import { SqliteFile } from "../../../test/support/sqlite-file.js";
import { createContext } from "../../engine/context.js";
import { enqueue, enqueueMany } from "../../engine/enqueue.js";
import { createFlow } from "../../engine/flows/make.js";
import { reap } from "../../engine/loops/reaper.js";
import { DURATION_BOUNDS_MS, STAT_EVENTS } from "../stats.js";
import { TABLES_OF_A_JOB } from "../removal.js";

const CLAIM = { workerId: "w", queues: ["default"], names: null, max: 100, leaseMs: 1_000 } as const;
const FAILURE = { outcome: "failed", error: { type: "Error", message: "boom", stack: null } } as const;

/** Tables with rows that go with a job. */
const NAMING_JOBS = [
  ...TABLES_OF_A_JOB,
  "job_tags",
  "idempotency_keys",
  "unique_keys",
  "dead_jobs",
  "flow_jobs",
  "dependencies",
  "ends_to_tell",
];

function setUp() {
  const file = new SqliteFile();
  const clock = new FakeClock();
  const store = file.open({ clock });
  return { file, clock, store, context: createContext(store, { clock }) };
}

describe("SqliteStore", () => {
  test("GRW-04 a removed job leaves no row in any table", async () => {
    const { file, clock, store, context } = setUp();
    const empty = rowsOf(file);
    const rich = {
      name: "work",
      tags: ["t", "u"],
      maxAttempts: 2,
      backoff: { type: "fixed", delayMs: 0 },
    } as const;
    const requests = Array.from({ length: 40 }, (_, index) => ({
      ...rich,
      idempotencyKey: `key-${index}`,
      unique: { key: `unique-${index}` },
    }));
    await enqueueMany(context, requests);
    const first = await store.claims.claim(CLAIM);
    for (const job of first) {
      await store.claims.log(job, [{ level: "info", message: "line" }], 1);
      await store.claims.progress(job, 50, "half");
      await store.steps.store(job, "charge", "1");
    }
    // A failure each, then: completed with a result, dead, cancelled while running, lost.
    await store.claims.settle(
      first.map(({ id, token }) => ({ verb: "retry", id, token, delayMs: 0, failure: FAILURE })),
    );
    const second = await store.claims.claim(CLAIM);
    for (const [index, { id, token }] of second.entries()) {
      const way = index % 4;
      if (way === 0) {
        await store.claims.settle([{ verb: "complete", id, token, result: "1", resultProblem: null }]);
      }
      if (way === 1) await store.claims.settle([{ verb: "bury", id, token, failure: FAILURE }]);
      if (way === 2) await store.jobs.cancel(id);
    }
    clock.block(2_000);
    expect(await reap(context)).toBe(10);
    const flow = await createFlow(context, {
      name: "flow",
      jobs: [
        { ref: "a", name: "work" },
        { ref: "b", name: "work", dependsOn: ["a"] },
      ],
    });
    const [a] = (await store.flows.jobs(flow.id, 1, null))?.items ?? [];
    // With it the one that depends on it.
    await store.jobs.cancel(a?.id ?? "");
    const full = rowsOf(file);
    for (const table of ["jobs", "flows", ...NAMING_JOBS.filter((name) => name !== "ends_to_tell")]) {
      expect(full[table], table).toBeGreaterThan(0);
    }
    clock.block(1);
    const retention = { completedMs: 0, cancelledMs: 0, deadMs: 0, maxCompleted: null };
    expect(await store.maintenance.prune(retention, 100)).toBe(42);
    await store.maintenance.pruneRecords({ ...RECORD_AGES, minutes: -60_000, hours: -3_600_000, workers: 0 });
    const { counts, total_events: events, total_durations: durations, ...left } = rowsOf(file);
    const lasting = { counts: undefined, total_events: undefined, total_durations: undefined };
    expect(left).toEqual({ ...empty, ...lasting, queues: 0 });
    // One row for each queue, name and state, event or bucket that ever was: bounded by names, not by jobs.
    expect(counts).toBeLessThanOrEqual(7);
    expect(events).toBeLessThanOrEqual(STAT_EVENTS.length);
    expect(durations).toBeLessThanOrEqual(2 * (DURATION_BOUNDS_MS.length + 1));
    await checkBooks(store);
  });

  test("every table that names a job is emptied with it", () => {
    const { file } = setUp();
    const tables = file
      .raw()
      .prepare<[], string>(
        `SELECT DISTINCT m.name FROM sqlite_schema AS m, pragma_table_info(m.name) AS c
         WHERE m.type = 'table' AND c.name = 'job_id' ORDER BY 1`,
      )
      .pluck()
      .all();
    // The history of a schedule outlives its jobs.
    const kept = ["schedule_runs"];
    expect(tables).toEqual([...NAMING_JOBS, ...kept].toSorted());
  });

  test("RTY-07 a job that was snoozed 1 000 times takes no more room than one that was once", async () => {
    const { file, clock, store, context } = setUp();
    await enqueue(context, { name: "work", payload: "x" });
    const sizes: number[] = [];
    for (let times = 1; times <= 1_000; times += 1) {
      const [job] = await store.claims.claim(CLAIM);
      clock.block(1);
      await store.claims.settle([{ verb: "snooze", id: job!.id, token: job!.token, delayMs: 0 }]);
      if (times === 1 || times === 1_000) {
        const { jobs, job_specs: specs, attempts, job_logs: logs } = file.dump();
        expect([jobs, specs, attempts, logs].map((rows) => rows!.length)).toEqual([1, 1, 0, 0]);
        sizes.push(JSON.stringify([jobs, specs]).length);
      }
    }
    expect(sizes[1]).toBeLessThan(2 * sizes[0]!);
  });

  test("LSE-07 a running job without a lease is found by the reaper", async () => {
    const { file, store, context } = setUp();
    const job = await enqueue(context, { name: "work", backoff: { type: "fixed", delayMs: 0 } });
    await store.claims.claim({ ...CLAIM, leaseMs: 86_400_000 });
    file.raw().exec("UPDATE jobs SET lease_until = 0");
    expect(await reap(context)).toBe(1);
    expect(await store.jobs.get(job.id)).toMatchObject({ state: "pending" });
  });

  test("RTY-09 an edited job whose attempts are used up is buried once, and the others go on", async () => {
    const { file, store, context } = setUp();
    const job = await enqueue(context, { name: "work", priority: 9 });
    const next = await enqueue(context, { name: "work" });
    file.raw().exec(`UPDATE jobs SET max_attempts = 0 WHERE id = ${job.id}`);
    expect((await store.claims.claim(CLAIM)).map(({ id }) => id)).toEqual([next.id]);
    expect(await store.jobs.get(job.id)).toMatchObject({ state: "dead" });
    await checkBooks(store);
  });

  test("SQL-13 50 000 ids in one call are no problem", async () => {
    const { store, context } = setUp();
    await enqueueMany(context, new Array<{ name: string }>(500).fill({ name: "work" }));
    const keys = Array.from({ length: 50_000 }, (_, index) => ({ id: String(index + 1), token: 1 }));
    const extended = await store.claims.extend(keys, 1_000);
    expect(extended).toHaveLength(50_000);
    expect(extended.filter(({ ok }) => ok)).toEqual([]);
  });

  test("SHD-09 an open store has no timer before somebody listens, and none after a close", async () => {
    const { clock, store } = setUp();
    expect(clock.pendingTimers).toBe(0);
    const end = store.onChange(() => undefined);
    expect(clock.pendingTimers).toBe(1);
    end();
    expect(clock.pendingTimers).toBe(0);
    store.onChange(() => undefined);
    await store.close();
    expect(clock.pendingTimers).toBe(0);
  });

  test("the version of the numbers stays the same while nothing is written", async () => {
    const { store, context } = setUp();
    await enqueue(context, { name: "work" });
    const { version } = await store.live.read();
    await store.claims.promote(10);
    await store.workers.gone("nobody");
    expect(await store.live.version()).toBe(version);
  });

  test("the size of every file is known", async () => {
    const { store, context } = setUp();
    await enqueue(context, { name: "work" });
    const sizes = Object.fromEntries((await store.stats.storage()).map(({ file, bytes }) => [file, bytes]));
    expect(sizes["db"]).toBeGreaterThan(10_000);
    expect(sizes["wal"]).toBeGreaterThan(0);
    expect(sizes["freelist"]).toBeGreaterThanOrEqual(0);
  });

  test("two stores of one process on one file see each other's writes", async () => {
    const { file, clock, store, context } = setUp();
    const other = file.open({ clock });
    await enqueue(context, { name: "work" });
    expect(await allJobs(other)).toHaveLength(1);
    const [job] = await other.claims.claim(CLAIM);
    expect(await store.claims.current(job!)).toMatchObject({ id: job!.id });
  });
});

function rowsOf(file: SqliteFile): Record<string, number> {
  return Object.fromEntries(Object.entries(file.dump()).map(([table, rows]) => [table, rows.length]));
}
