import { unlinkSync } from "node:fs";
import { join } from "node:path";
import type Database from "better-sqlite3";
import { expect, it } from "vitest";
import { KonveierError } from "../../src/core/errors.js";
import { Konveier } from "../../src/konveier.js";
import { openSqliteStore, type SqliteStore } from "../../src/store/sqlite/open.js";
import { defineJob } from "../../src/core/define-job.js";
import { checkSound } from "../crash/sound-database.js";
import { EventLog } from "../support/event-log.js";
import { FakeClock } from "../support/fake-clock.js";
import { allJobs } from "../support/recount.js";
import { fill, mayMount, smallDisk } from "../support/small-disk.js";
import { tempDirectory } from "../support/temp-directory.js";
import { holds } from "./holds.js";
import { beginOf, eventOf, readRuns, startWorker } from "./worker-process.js";

const LARGE = "x".repeat(200_000);

it("a database that may not grow refuses jobs, keeps finished work, and goes on when there is room", async () => {
  const file = join(tempDirectory(), "konveier.db");
  const clock = new FakeClock();
  let transactions = 0;
  const store = openSqliteStore(file, {
    clock,
    onStep: (step) => {
      if (step === "begin") transactions += 1;
    },
  });
  const konveier = Konveier.withStore(store, { clock });
  const events = new EventLog(konveier);
  let runs = 0;
  let finish = (): void => undefined;
  const job = defineJob("large", {
    handler: async () => {
      runs += 1;
      await new Promise<void>((resolve) => (finish = resolve));
      return LARGE;
    },
  });
  const { id } = await konveier.enqueue(job, {});
  await konveier.worker({ jobs: [job] }).start();
  await clock.advance(10);
  // Another process, which would take the job if its lease ended.
  const otherStore = openSqliteStore(file, { clock });
  const other = Konveier.withStore(otherStore, { clock });
  await other.worker({ jobs: [job] }).start();

  for (const each of [store, otherStore]) limitPages(each, "now");
  await expect(konveier.enqueue("later", LARGE)).rejects.toMatchObject({
    code: "store_full",
    retryable: true,
  });
  finish();
  transactions = 0;
  await clock.advance(60_000);
  expect(await konveier.jobs.get(id)).toMatchObject({ state: "running", attempt: 1 });
  expect(events.of("store.unavailable").length).toBeLessThanOrEqual(7);
  expect(events.of("store.recovered").length).toBeLessThanOrEqual(7);
  // Tries of the completion every 2 s, heartbeats every 10 s.
  expect(transactions).toBeLessThan(100);

  for (const each of [store, otherStore]) limitPages(each, "never");
  await clock.advance(3_000);
  expect(await konveier.jobs.get(id)).toMatchObject({ state: "completed", attempt: 1 });
  expect(await konveier.jobs.result(id)).toBe(LARGE);
  expect(runs).toBe(1);
  expect(await allJobs(store)).toHaveLength(1);
  expect(events.of("internal.error")).toEqual([]);

  await Promise.all([konveier.close(), other.close(), clock.advance(1_000)]);
  checkSound(file);
});

it.skipIf(!mayMount())(
  "a full disk refuses jobs, keeps finished work beyond its lease, and goes on when there is room",
  async () => {
    const directory = smallDisk(4);
    const file = join(directory, "konveier.db");
    const runs = join(tempDirectory(), "runs");
    const store = openSqliteStore(file);
    const konveier = Konveier.withStore(store);
    const input = { file, runs, leaseMs: 1_000, events: ["store.unavailable", "job.completed"] } as const;
    const [holder, other] = await Promise.all([startWorker(input), startWorker(input)]);
    const { id } = await konveier.enqueue("large", {});
    holder.send({ type: "start" });
    await beginOf(holder, id);
    other.send({ type: "start" });
    await holds(store, async () => (await store.workers.list(60_000)).length === 2);

    const filler = fill(directory);
    const accepted = [id];
    const enqueue = async (payload: string): Promise<void> => {
      for (;;) accepted.push((await konveier.enqueue("later", payload)).id);
    };
    // The log may still have room of its own; the smaller the job, the later it is full.
    for (const payload of [LARGE, "small"]) {
      await expect(enqueue(payload)).rejects.toMatchObject({ code: "store_full", retryable: true });
    }
    holder.send({ type: "finish", id });
    await Promise.all([eventOf(holder, "store.unavailable"), eventOf(other, "store.unavailable")]);
    await leaseEnded(store, id);

    unlinkSync(filler);
    await eventOf(holder, "job.completed", id);
    expect(await konveier.jobs.get(id)).toMatchObject({ state: "completed", attempt: 1 });
    expect(readRuns(runs)).toHaveLength(1);
    const next = await konveier.enqueue("later", {});
    expect((await allJobs(store)).map((job) => job.id).sort()).toEqual([...accepted, next.id].sort());
    for (const worker of [holder, other]) {
      const told = worker.messages.filter(
        (message) => message.type === "event" && message.name === "store.unavailable",
      );
      expect(told.length).toBeLessThanOrEqual(2);
      worker.send({ type: "stop" });
      expect(await worker.exited, worker.output).toEqual({ code: 0, signal: null });
    }
    await konveier.close();
    checkSound(file);
  },
);

/** What a full disk does, for this connection. */
function limitPages(store: SqliteStore, from: "now" | "never"): void {
  const db = (store as unknown as { readonly db: Database.Database }).db;
  const pages = db.pragma("page_count", { simple: true }) as number;
  db.pragma(`max_page_count = ${from === "now" ? pages : 1_000_000}`);
}

/** Nobody can write, so no change of the store tells of it. */
async function leaseEnded(store: SqliteStore, id: string): Promise<void> {
  for (;;) {
    const job = await store.jobs.get(id);
    if (job?.leaseExpiresAt == null) throw new KonveierError("invalid_state", "The job is not running");
    if (job.leaseExpiresAt < store.now()) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
