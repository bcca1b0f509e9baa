import pg from "pg";
import { describe, expect, onTestFinished, test } from "vitest";
import { PostgresDatabase } from "../../../test/support/postgres-database.js";
import { MAX_CLAIM_BYTES, MAX_PAYLOAD_BYTES } from "../../core/defaults.js";
import type { NewJob } from "../jobs.js";
import type { PostgresStore } from "./open.js";
import { newJob } from "../../../test/support/new-job.js";

const NAMES = ["a", "b", "c"] as const;

function jobs(count: number): NewJob[] {
  return Array.from({ length: count }, (_, index) =>
    newJob({ queue: "q", name: NAMES[index % NAMES.length] ?? "a", priority: index % 4, maxAttempts: 3 }),
  );
}

async function fill(store: PostgresStore, count: number): Promise<void> {
  for (let from = 0; from < count; from += 1_000) {
    await store.jobs.insertMany(jobs(Math.min(1_000, count - from)));
  }
}

function claim(store: PostgresStore, workerId: string, max: number, names: readonly string[] | null = null) {
  return store.claims.claim({ workerId, queues: ["q"], names, max, leaseMs: 60_000 });
}

describe("a claim of PostgreSQL", () => {
  test.each([
    ["many lanes", null],
    ["one lane", ["a"]],
  ])("of eight stores at once gives each job of %s to one, and leaves none", async (_, names) => {
    const database = new PostgresDatabase();
    const stores = await Promise.all(Array.from({ length: 8 }, () => database.open()));
    const [first] = stores;
    if (first === undefined) throw new Error("There is no store");
    for (let round = 0; round < 5; round += 1) {
      if (names === null) await fill(first, 400);
      else await first.jobs.insertMany(jobs(400).map((job) => ({ ...job, name: "a", priority: 4 })));
      // Warm: each has its connections, and all begin in the same moment.
      await Promise.all(stores.map((store) => store.check()));
      const taken = await Promise.all(
        stores.map(async (store, index) => {
          const ids: string[] = [];
          for (;;) {
            const claimed = await claim(store, `w${String(index)}`, 7, names);
            expect(claimed.length).toBeLessThanOrEqual(7);
            ids.push(...claimed.map(({ id }) => id));
            if (claimed.length === 0) return ids;
          }
        }),
      );
      const ids = taken.flat();
      expect(ids).toHaveLength(400);
      expect(new Set(ids).size).toBe(400);
    }
  });

  test("finds the only jobs of other lanes while somebody takes those of the first", async () => {
    const database = new PostgresDatabase();
    const stores = await Promise.all(Array.from({ length: 4 }, () => database.open()));
    const [first] = stores;
    if (first === undefined) throw new Error("There is no store");
    for (let round = 0; round < 20; round += 1) {
      // One job in each of four lanes: whoever asks for one gets one, at the same time as the others.
      await first.jobs.insertMany(jobs(12).filter((_, index) => index % 3 === 0));
      const taken = await Promise.all(stores.map((store, index) => claim(store, `w${String(index)}`, 1)));
      expect(taken.map(({ length }) => length)).toEqual([1, 1, 1, 1]);
    }
  });

  test("weighs the payloads of rows that came from elsewhere", async () => {
    const database = new PostgresDatabase();
    const store = await database.open();
    const fit = MAX_CLAIM_BYTES / MAX_PAYLOAD_BYTES;
    const payload = JSON.stringify("x".repeat(MAX_PAYLOAD_BYTES - 2));
    await store.jobs.insertMany(jobs(fit + 1).map((job) => ({ ...job, payload })));
    await database.rows(`UPDATE ${database.s}.jobs SET payload_bytes = NULL`);
    expect(await claim(store, "w", 1_000)).toHaveLength(fit);
    expect(await claim(store, "w", 1_000)).toHaveLength(1);
  });

  // What the planner may come to, whatever the statistics say.
  const plans = [
    "",
    "enable_nestloop=off",
    "enable_indexscan=off",
    "enable_hashjoin=off",
    "enable_mergejoin=off",
  ];
  test.each(plans)("takes no more than it asks for, with statistics and without: %s", async (plan) => {
    const database = new PostgresDatabase();
    const url = new URL(database.url);
    if (plan !== "") url.searchParams.set("options", `-c ${plan}`);
    const store = await database.open({}, url.href);
    await database.rows(`ALTER TABLE ${database.s}.jobs SET (autovacuum_enabled = off)`);
    await fill(store, 10_000);
    for (const analyzed of [false, true]) {
      if (analyzed) await database.rows(`ANALYZE ${database.s}.jobs, ${database.s}.lanes`);
      for (const max of [1, 7, 100]) {
        for (const names of [null, ["b"], ["a", "c"]]) {
          expect(await claim(store, "w", max, names)).toHaveLength(max);
        }
      }
    }
    const [running] = await database.rows<{ n: number }>(
      `SELECT count(*) AS n FROM ${database.s}.jobs WHERE state = 'running'`,
    );
    expect(running?.n).toBe(2 * 3 * (1 + 7 + 100));
  });

  test("hands out a job as it was replaced while the claim was looking", async () => {
    const database = new PostgresDatabase();
    const store = await database.open();
    const unique = {
      key: "k",
      scope: "queue",
      states: ["pending"],
      ttlMs: null,
      onConflict: "replace",
    } as const;
    const job = newJob({ queue: "q", unique });
    await store.jobs.insertMany([{ ...job, payload: '"first"' }]);
    // The claim itself, which comes second after its look without a lock, begins and then waits.
    await database.rows("CREATE SEQUENCE looks");
    await database.rows(
      `CREATE FUNCTION seen() RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN
         IF nextval('${database.schema}.looks') = 2 THEN PERFORM pg_advisory_xact_lock(7); END IF;
         RETURN true;
       END $$`,
    );
    await database.rows("ALTER TABLE lanes RENAME TO all_lanes");
    await database.rows("CREATE VIEW lanes AS SELECT * FROM all_lanes WHERE seen()");
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    onTestFinished(() => client.end());
    await client.query("SELECT pg_advisory_lock(7)");
    const claiming = claim(store, "w", 1);
    await database.until(async () => {
      const waiting = "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND objid = 7";
      return (await database.rows(waiting)).length > 0;
    });
    await store.jobs.insertMany([{ ...job, payload: '"second"', maxAttempts: 3 }]);
    await client.query("SELECT pg_advisory_unlock(7)");
    expect(await claiming).toMatchObject([{ payload: '"second"', maxAttempts: 3 }]);
  });
});
