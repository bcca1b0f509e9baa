import { RECORD_AGES } from "../support/record-ages.js";
import { describe, expect } from "vitest";
import type { ClaimedJob } from "../../src/core/job.js";
import { cancel } from "../../src/engine/cancel.js";
import { deleteJob } from "../../src/engine/delete.js";
import { fireDue } from "../../src/engine/schedules/fire.js";
import { putSchedule } from "../../src/engine/schedules/put.js";
import { DURATION_KINDS, STAT_EVENTS, type Figures, type StatEvent } from "../../src/store/stats.js";
import type { Store } from "../../src/store/store.js";
import { T0 } from "../support/fake-clock.js";
import { checkBooks } from "../support/recount.js";
import { seededRandom } from "../support/seeded-random.js";
import type { Contract } from "./contract.js";
import { BOOM, LEASE_MS, type Harness } from "./harness.js";

const DAY_MS = 24 * 3_600_000;
const ALWAYS = { from: T0 - DAY_MS, to: T0 + 60 * DAY_MS };

/** Adds figures up by queue and name, events that did not happen left out. */
function sums(figures: readonly (Figures & { queue: string | null; name: string | null })[]) {
  const lanes: Record<string, Record<string, number>> = {};
  for (const { queue, name, events, durations } of figures) {
    const lane = (lanes[`${queue ?? "*"} ${name ?? "*"}`] ??= {});
    const add = (what: string, n: number) => {
      if (n > 0) lane[what] = (lane[what] ?? 0) + n;
    };
    for (const event of STAT_EVENTS) add(event, events[event]);
    for (const kind of DURATION_KINDS) {
      const { count, sumMs, buckets } = durations[kind];
      expect(buckets.reduce((a, b) => a + b)).toBe(count);
      add(`${kind} ms`, sumMs);
      for (const [bucket, n] of buckets.entries()) add(`${kind} ${bucket}`, n);
    }
  }
  return lanes;
}

async function checkAgreement(store: Store): Promise<void> {
  const totals = sums(await store.stats.totals());
  expect(sums(await store.stats.series({ ...ALWAYS, step: "minute" }, "lanes"))).toEqual(totals);
  expect(sums(await store.stats.series({ ...ALWAYS, step: "hour" }, "lanes"))).toEqual(totals);
}

/** Does things to jobs at random, and notes on paper what it did. */
class RandomWork {
  readonly paper: Record<string, Record<string, number>> = {};
  #running: ClaimedJob[] = [];

  constructor(
    private readonly harness: Harness,
    private readonly random: () => number,
  ) {}

  async step(): Promise<void> {
    const { harness } = this;
    harness.clock.block(this.#below(400_000));
    const queue = `q${this.#below(2)}`;
    const name = `n${this.#below(2)}`;
    if (this.random() < 0.5) {
      const backoff = { type: "fixed", delayMs: 0 } as const;
      await harness.enqueue({ queue, name, backoff, maxAttempts: 1 + this.#below(3) });
      this.#note({ queue, name }, "enqueued");
    }
    const claimed = await harness.claim({ queues: [queue], max: 1, leaseMs: DAY_MS });
    for (const job of claimed) this.#note(job, "started");
    this.#running.push(...claimed);
    if (this.random() < 0.8) await this.#end();
  }

  async #end(): Promise<void> {
    const { harness } = this;
    const [job] = this.#running.splice(this.#below(this.#running.length), 1);
    if (job === undefined) return;
    const way = this.#below(7);
    if (way === 0) await this.#failed(job, "failed");
    else if (way === 1) await this.#failed(job, "timed_out");
    else if (way === 2) {
      await harness.release(job);
      this.#note(job, "released");
    } else if (way === 3) {
      await harness.snooze(job, 0);
      this.#note(job, "snoozed");
    } else if (way === 4) {
      await cancel(harness.engine, job.id);
      this.#note(job, "cancelled", "aborted");
    } else if (way === 5) {
      await deleteJob(harness.engine, job.id, { force: true });
      this.#note(job, "aborted");
    } else {
      await harness.complete(job);
      this.#note(job, "completed");
    }
  }

  async #failed(job: ClaimedJob, outcome: "failed" | "timed_out"): Promise<void> {
    await this.harness.fail(job, "auto", { outcome, error: BOOM });
    const timedOut = outcome === "timed_out" ? ["timed_out" as const] : [];
    this.#note(job, "failed", ...timedOut, job.attempt < job.maxAttempts ? "retried" : "dead");
  }

  #note({ queue, name }: { queue: string; name: string }, ...events: StatEvent[]): void {
    const lane = (this.paper[`${queue} ${name}`] ??= {});
    for (const event of events) lane[event] = (lane[event] ?? 0) + 1;
  }

  #below(n: number): number {
    return Math.floor(this.random() * n);
  }
}

async function eventsOf(store: Store): Promise<Record<string, Record<string, number>>> {
  const totals = (await store.stats.totals()).map(({ queue, name, events }) => [
    `${queue} ${name}`,
    Object.fromEntries(Object.entries(events).filter(([, n]) => n > 0)),
  ]);
  return Object.fromEntries(totals) as Record<string, Record<string, number>>;
}

export function totalsContract(contract: Contract): void {
  describe("lifetime totals", () => {
    contract.test(
      "MET-01 after random work they are what was done, through prune, reopen and more work",
      async (harness) => {
        const { store } = harness;
        const work = new RandomWork(harness, seededRandom(7));
        for (let n = 0; n < 300; n += 1) await work.step();
        expect(await eventsOf(store)).toEqual(work.paper);
        await checkAgreement(store);

        const before = await store.stats.totals();
        const none = { completedMs: 0, cancelledMs: 0, deadMs: 0, maxCompleted: 0 };
        harness.clock.block(DAY_MS);
        expect(await store.maintenance.prune(none, 1_000)).toBeGreaterThan(50);
        await store.maintenance.pruneRecords({ ...RECORD_AGES, minutes: 1, hours: 1, workers: 1 });
        expect(await store.stats.series({ ...ALWAYS, step: "minute" }, "lanes")).toEqual([]);
        expect(await store.stats.series({ ...ALWAYS, step: "hour" }, "lanes")).toEqual([]);
        expect(await store.stats.totals()).toEqual(before);
        expect(await (await harness.another()).stats.totals()).toEqual(before);

        for (let n = 0; n < 50; n += 1) await work.step();
        expect(await eventsOf(store)).toEqual(work.paper);
      },
    );

    contract.test("each way to end an attempt has an event of its own", async (harness) => {
      const only = async () => (await eventsOf(harness.store))["default work"];
      const once = { maxAttempts: 1 };
      await harness.fail(await harness.running(once), "auto", { outcome: "timed_out", error: BOOM });
      expect(await only()).toEqual({ enqueued: 1, started: 1, failed: 1, timed_out: 1, dead: 1 });
      await cancel(harness.engine, (await harness.running(once)).id);
      expect(await only()).toMatchObject({ cancelled: 1, aborted: 1, failed: 1 });
      await cancel(harness.engine, (await harness.enqueue()).id);
      expect(await only()).toMatchObject({ cancelled: 2, aborted: 1 });
      await deleteJob(harness.engine, (await harness.running(once)).id, { force: true });
      expect(await only()).toMatchObject({ cancelled: 2, aborted: 2 });
      await harness.running(once);
      harness.clock.block(LEASE_MS);
      await harness.reap();
      expect(await only()).toMatchObject({ failed: 2, lost: 1, timed_out: 1, dead: 2 });
    });

    contract.test("MET-04 waits of a delayed job and of a retry are counted from runAt", async (harness) => {
      await harness.enqueue({
        delayMs: 7_200_000,
        maxAttempts: 2,
        backoff: { type: "fixed", delayMs: 60_000 },
      });
      harness.clock.block(7_202_000);
      await harness.store.claims.promote(1);
      const first = await harness.claimOne({ leaseMs: DAY_MS });
      harness.clock.block(1_000);
      await harness.fail(first);
      harness.clock.block(60_003);
      await harness.store.claims.promote(1);
      await harness.complete(await harness.claimOne());
      const [total] = await harness.store.stats.totals();
      expect(total?.durations.wait).toMatchObject({ count: 2, sumMs: 2_003 });
      expect(total?.durations.run).toMatchObject({ count: 2, sumMs: 1_000 });
    });
  });

  describe("roll-ups", () => {
    contract.test("hours hold what happened in them, and are kept longer than minutes", async (harness) => {
      await harness.enqueue();
      harness.clock.block(3_599_999);
      await harness.enqueue();
      harness.clock.block(1);
      await harness.enqueue({ queue: "b" });
      const hours = async () =>
        (await harness.store.stats.series({ ...ALWAYS, step: "hour" }, "lanes")).map(
          ({ at, queue, events }) => `${at - T0} ${queue ?? ""} ${events.enqueued}`,
        );
      expect(await hours()).toEqual(["0 default 2", "3600000 b 1"]);
      harness.clock.block(1);
      await harness.store.maintenance.pruneRecords({
        ...RECORD_AGES,
        minutes: 0,
        hours: 3_600_001,
        workers: 1,
      });
      expect(await hours()).toEqual(["0 default 2", "3600000 b 1"]);
      expect(await harness.store.stats.series({ ...ALWAYS, step: "minute" }, "lanes")).toEqual([]);
      await harness.store.maintenance.pruneRecords({
        ...RECORD_AGES,
        minutes: 0,
        hours: 3_600_000,
        workers: 1,
      });
      expect(await hours()).toEqual(["3600000 b 1"]);
    });

    contract.test("points may be wider, and queues and names added up", async (harness) => {
      for (const [queue, name] of [
        ["a", "x"],
        ["a", "y"],
        ["b", "x"],
      ] as const) {
        await harness.complete(await harness.running({ queue, name }, { queues: [queue] }));
        harness.clock.block(61_000);
      }
      const series = async (
        detail: "lanes" | "queues" | "all",
        filter: { queue?: string; name?: string } = {},
      ) =>
        (await harness.store.stats.series({ ...ALWAYS, step: "minute", widthMs: 300_000, ...filter }, detail))
          .map(({ at, queue, name, events, durations }) => {
            expect(durations.run.count).toBe(events.completed);
            return `${at - T0} ${queue ?? "*"} ${name ?? "*"} ${events.completed}`;
          })
          .toSorted();
      expect(await series("lanes")).toEqual(["0 a x 1", "0 a y 1", "0 b x 1"]);
      expect(await series("queues")).toEqual(["0 a * 2", "0 b * 1"]);
      expect(await series("all")).toEqual(["0 * * 3"]);
      expect(await series("all", { queue: "a" })).toEqual(["0 * * 2"]);
      expect(await series("all", { name: "x" })).toEqual(["0 * * 2"]);
      expect(await series("queues", { queue: "a", name: "y" })).toEqual(["0 a * 1"]);
      await checkAgreement(harness.store);
    });
  });

  describe("figures of schedules", () => {
    const put = (harness: Harness, key: string, more: object = {}) =>
      putSchedule(harness.engine, key, { everyMs: 60_000, job: { name: "tick" }, ...more }, "api");

    contract.test("lag is how late a slot made its job, beyond its jitter", async (harness) => {
      await put(harness, "on-time");
      harness.clock.block(60_250);
      await fireDue(harness.engine);
      const [total] = await harness.store.stats.totals();
      expect(total).toMatchObject({ queue: "default", name: "tick" });
      expect(total?.durations.lag).toMatchObject({ count: 1, sumMs: 250 });
      await checkBooks(harness.store);
    });

    contract.test("totals and the next run; none while paused", async (harness) => {
      await put(harness, "b");
      await put(harness, "a", { overlap: "skip" });
      harness.clock.block(60_000);
      await fireDue(harness.engine);
      harness.clock.block(60_000);
      await fireDue(harness.engine);
      await harness.store.schedules.pause("b", null);
      expect(await harness.store.stats.schedules()).toEqual([
        { key: "a", nextAt: T0 + 180_000, enqueued: 1, skipped: 1, missed: 0 },
        { key: "b", nextAt: null, enqueued: 2, skipped: 0, missed: 0 },
      ]);
    });
  });

  contract.test("the size of the data is known", async (harness) => {
    await harness.enqueue();
    const sizes = Object.fromEntries(
      (await harness.store.stats.storage()).map(({ file, bytes }) => [file, bytes]),
    );
    expect(sizes["db"]).toBeGreaterThan(10_000);
    for (const bytes of Object.values(sizes)) expect(bytes).toBeGreaterThanOrEqual(0);
  });
}
