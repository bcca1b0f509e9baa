import { expect, test } from "vitest";
import { FakeClock } from "../../../test/support/fake-clock.js";
import { newJob } from "../../../test/support/new-job.js";
import { PostgresDatabase } from "../../../test/support/postgres-database.js";
import { LaneStarts } from "./lane-starts.js";
import type { PostgresStore } from "./open.js";

const JOB = newJob({ queue: "q", name: "n", maxAttempts: 3 });

/** Two processes on one queue of 400 jobs. The first has just taken 150 of them, all that it asked for. */
async function setUp() {
  const database = new PostgresDatabase();
  const clock = new FakeClock();
  const store = await database.open({ clock });
  const other = await database.open({ clock });
  await store.jobs.insertMany(Array.from({ length: 400 }, () => JOB));
  await take(store, 150);
  return { clock, store, other };
}

async function take(store: PostgresStore, max: number): Promise<string[]> {
  const request = { workerId: "w", queues: ["q"], names: null, max, leaseMs: 60_000 };
  return (await store.claims.claim(request)).map(({ id }) => id);
}

/** A job whose time is before that of all others. */
async function insertOlder(store: PostgresStore, clock: FakeClock): Promise<string> {
  const [made] = await store.jobs.insertMany([{ ...JOB, runAt: clock.now() - 1_000 }]);
  return made!.id;
}

test("claims that get all they ask for go on where the last one ended, and look back every quarter of a second", async () => {
  const { clock, store, other } = await setUp();
  const older = await insertOlder(other, clock);
  clock.block(249);
  expect(await take(store, 10)).not.toContain(older);
  expect(await take(store, 10)).not.toContain(older);
  clock.block(1);
  expect(await take(store, 10)).toContain(older);
});

test("a claim that would get less than it asks for looks back at once", async () => {
  const { clock, store, other } = await setUp();
  const older = await insertOlder(other, clock);
  expect(await take(store, 1_000)).toHaveLength(251);
  expect(await take(store, 1)).toEqual([]);
  expect(await insertOlder(other, clock)).not.toBe(older);
  expect(await take(store, 1)).toHaveLength(1);
});

test("whoever has taken little begins at the floor", async () => {
  const { clock, store, other } = await setUp();
  clock.block(250);
  await take(store, 99);
  const older = await insertOlder(other, clock);
  expect(await take(store, 1)).toEqual([older]);
});

test("a claim for other names leaves it to those that look there to begin at the floor again", () => {
  const clock = new FakeClock();
  const starts = new LaneStarts(clock);
  const jobs = Array.from({ length: 100 }, () => ({
    queue: "q",
    name: "n",
    priority: 4,
    runAt: clock.now(),
  }));
  starts.took(jobs);
  clock.block(250);
  expect(starts.of("q", ["other"])).toEqual([]);
  // Of a claim that has begun where the last one ended.
  starts.took(jobs);
  expect(starts.of("q", ["n"])).toEqual([]);
});
