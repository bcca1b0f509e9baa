import { describe, expect, onTestFinished, test } from "vitest";
import { FakeClock } from "../../../test/support/fake-clock.js";
import { checkBooks } from "../../../test/support/recount.js";
import { PostgresDatabase } from "../../../test/support/postgres-database.js";
import { createContext } from "../../engine/context.js";
import { enqueueMany } from "../../engine/enqueue.js";
import { systemClock } from "../../core/clock.js";
import { openPool } from "./connection.js";
import { Fold } from "./fold.js";
import type { PostgresStore } from "./open.js";

const CLAIM = { workerId: "w", names: null, max: 20, leaseMs: 60_000 } as const;

/** What must be the same, of one moment: what the views say, and what is there to count. */
const SUMS = `
  SELECT (SELECT coalesce(json_object_agg(state, n ORDER BY state), '{}') FROM (
      SELECT state, sum(n) AS n FROM counts GROUP BY state HAVING sum(n) <> 0) AS kept)::text AS kept,
    (SELECT coalesce(json_object_agg(state, n ORDER BY state), '{}') FROM (
      SELECT state, count(*) AS n FROM jobs GROUP BY state) AS counted)::text AS counted,
    (SELECT json_build_array(sum(n) FILTER (WHERE event = 'enqueued'), sum(n) FILTER (WHERE event = 'started'),
      sum(n) FILTER (WHERE event = 'completed')) FROM total_events)::text AS totals,
    (SELECT json_build_array(count(*), count(started_at), count(*) FILTER (WHERE state = 'completed'))
     FROM jobs)::text AS happened,
    (SELECT json_build_array((SELECT sum(n) FROM minute_events), (SELECT sum(n) FROM hour_events)))::text AS rolled_up,
    (SELECT json_build_array(sum(n), sum(n)) FROM total_events)::text AS all_events,
    (SELECT json_build_array(sum(n), sum(sum_ms)) FROM minute_durations)::text AS minute_durations,
    (SELECT json_build_array(sum(n), sum(sum_ms)) FROM hour_durations)::text AS hour_durations,
    (SELECT json_build_array(sum(n), sum(sum_ms)) FROM total_durations)::text AS total_durations`;

interface Sums {
  readonly kept: string;
  readonly counted: string;
  readonly totals: string;
  readonly happened: string;
  readonly rolled_up: string;
  readonly all_events: string;
  readonly minute_durations: string;
  readonly hour_durations: string;
  readonly total_durations: string;
}

async function checkSums(database: PostgresDatabase): Promise<void> {
  const [sums] = await database.rows<Sums>(SUMS);
  expect(sums?.kept).toBe(sums?.counted);
  expect(sums?.totals).toBe(sums?.happened.replaceAll(/\b0\b/g, "null"));
  expect(sums?.rolled_up).toBe(sums?.all_events);
  expect(sums?.minute_durations).toBe(sums?.total_durations);
  expect(sums?.hour_durations).toBe(sums?.total_durations);
}

/** Enqueues, claims and completes for a while. */
async function work(store: PostgresStore, queue: string, rounds: number): Promise<void> {
  const context = createContext(store, { clock: systemClock });
  for (let round = 0; round < rounds; round += 1) {
    await enqueueMany(
      context,
      Array.from({ length: 5 }, (_, index) => ({ name: `n${index % 3}`, queue })),
    );
    const jobs = await store.claims.claim({ ...CLAIM, queues: [queue], max: 1 + (round % 8) });
    await store.claims.settle(
      jobs.map(({ id, token }) => ({ verb: "complete", id, token, result: null, resultProblem: null })),
    );
  }
}

function folded(database: PostgresDatabase): Promise<readonly { table: string; n: number }[]> {
  return database.rows(
    `SELECT 'deltas' AS table, count(*) AS n FROM deltas UNION ALL SELECT 'counts', count(*) FROM folded_counts`,
  );
}

describe("adding up the bookkeeping", () => {
  test("whoever reads while others write and add up, also with crashes, sees the sums of the jobs", async () => {
    const database = new PostgresDatabase();
    const stores = await Promise.all([database.open(), database.open(), database.open()]);
    const pool = openPool(database.url);
    onTestFinished(() => pool.end());
    let done = false;
    let crashes = 0;
    const again = async (what: () => Promise<unknown>) => {
      while (!done) await what();
    };
    const folds = [1, 2].map(() => new Fold(pool, database.s, systemClock));
    const others = Promise.all([
      ...folds.map((fold) =>
        again(async () => {
          fold.now();
          await new Promise((resolve) => setTimeout(resolve, 1));
        }),
      ),
      again(() => checkSums(database)),
      again(() => checkSums(database)),
      again(async () => {
        // Of those that add up, whichever is at it.
        const cut = await database.rows(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
           WHERE state = 'active' AND pid <> pg_backend_pid() AND query LIKE 'BEGIN%DELETE FROM "${database.schema}".deltas%'`,
        );
        crashes += cut.length;
        await new Promise((resolve) => setTimeout(resolve, 30));
      }),
    ]);
    await Promise.all(stores.map((store, index) => work(store, `q${index % 2}`, 60))).finally(() => {
      done = true;
    });
    await others;
    await Promise.all(folds.map((fold) => fold.close()));
    await checkSums(database);
    await checkBooks(stores[0]);
    expect(crashes).toBeGreaterThan(0);
  });

  test("a process that has written adds up a second later, and has no timer any more then", async () => {
    const clock = new FakeClock();
    const database = new PostgresDatabase();
    const store = await database.open({ clock });
    const context = createContext(store, { clock });
    expect(clock.pendingTimers).toBe(0);
    await enqueueMany(context, [{ name: "a" }, { name: "b" }]);
    await enqueueMany(context, [{ name: "a" }]);
    expect(await folded(database)).toMatchObject([{ n: 3 }, { n: 0 }]);
    await clock.advance(1_000);
    await database.until(async () => (await folded(database))[0]?.n === 0);
    expect(await folded(database)).toMatchObject([{ n: 0 }, { n: 2 }]);
    expect(clock.pendingTimers).toBe(0);
    await checkSums(database);
  });

  test("adds up what is left at a close, and what a process has left that died, at the next opening", async () => {
    const clock = new FakeClock();
    const database = new PostgresDatabase();
    const first = await database.open({ clock });
    await enqueueMany(createContext(first, { clock }), [{ name: "a" }]);
    await first.close();
    expect(await folded(database)).toMatchObject([{ n: 0 }, { n: 1 }]);
    await database.rows(
      `INSERT INTO deltas (at, queue, name, counts, events, durations, notes)
       VALUES (1, 'left', 'a', '{"pending": 1}', '{}', '[]', 3)`,
    );
    await database.open({ clock });
    await database.until(async () => (await folded(database))[0]?.n === 0);
    expect(await database.rows("SELECT n FROM folded_notes")).toEqual([{ n: 3 }]);
  });

  test("does all there is, however much it is", async () => {
    const database = new PostgresDatabase();
    await (await database.open()).close();
    await database.rows(
      `INSERT INTO deltas (at, queue, name, counts, events, durations, notes)
       SELECT 60000 * (n % 7), 'q', 'n' || n % 3, '{"pending": 2, "running": -1}', '{"enqueued": 1}',
         '[{"kind": "run", "bucket": 3, "n": 1, "sum_ms": 7}]', 1
       FROM generate_series(1, 12001) AS n`,
    );
    await database.open();
    await database.until(async () => (await folded(database))[0]?.n === 0);
    expect(
      await database.rows("SELECT state, sum(n) AS n FROM folded_counts GROUP BY state ORDER BY state"),
    ).toEqual([
      { state: "pending", n: 24_002 },
      { state: "running", n: -12_001 },
    ]);
    expect(
      await database.rows(
        "SELECT sum(n) AS n, sum(sum_ms) AS ms, count(*) AS rows FROM folded_minute_durations",
      ),
    ).toEqual([{ n: 12_001, ms: 84_007, rows: 21 }]);
    expect(await database.rows("SELECT n FROM folded_notes")).toEqual([{ n: 12_001 }]);
  });

  test("a database that cannot be asked fails no write and no close, and is asked again", async () => {
    const clock = new FakeClock();
    const database = new PostgresDatabase();
    const store = await database.open({ clock });
    await enqueueMany(createContext(store, { clock }), [{ name: "a" }]);
    await database.rows("ALTER TABLE folded_counts RENAME TO hidden");
    await clock.advance(1_000);
    await database.until(() => Promise.resolve(clock.pendingTimers === 1));
    await database.rows("ALTER TABLE hidden RENAME TO folded_counts");
    await clock.advance(1_000);
    await database.until(async () => (await folded(database))[0]?.n === 0);
    await enqueueMany(createContext(store, { clock }), [{ name: "a" }]);
    await database.rows("ALTER TABLE folded_counts RENAME TO hidden");
    await store.close();
  });
});
