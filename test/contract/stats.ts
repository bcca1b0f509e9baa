import { describe, expect } from "vitest";
import { DURATION_BOUNDS_MS, STAT_EVENTS, type SeriesFilter, type StatEvent } from "../../src/store/stats.js";
import { T0 } from "../support/fake-clock.js";
import type { Contract } from "./contract.js";
import { BOOM, LEASE_MS, type Harness } from "./harness.js";

const HOUR = { from: T0, to: T0 + 3_600_000, step: "minute" } as const;

/** All events of a span, those that did not happen left out. */
async function totals({ store }: Harness): Promise<Partial<Record<StatEvent, number>>> {
  const minutes = await store.stats.series(HOUR, "lanes");
  const sums = STAT_EVENTS.map(
    (event) => [event, minutes.reduce((sum, { events }) => sum + events[event], 0)] as const,
  );
  return Object.fromEntries(sums.filter(([, n]) => n > 0));
}

export function statsContract(contract: Contract): void {
  describe("statistics", () => {
    contract.test("every event is counted once", async (harness) => {
      const backoff = { type: "fixed", delayMs: 0 } as const;
      await harness.complete(await harness.running());
      expect(await totals(harness)).toEqual({ enqueued: 1, started: 1, completed: 1 });
      await harness.fail(await harness.running({ maxAttempts: 2, backoff }));
      expect(await totals(harness)).toEqual({ enqueued: 2, started: 2, completed: 1, failed: 1, retried: 1 });
      await harness.fail(await harness.claimOne());
      expect(await totals(harness)).toMatchObject({ started: 3, failed: 2, retried: 1, dead: 1 });
      const lost = await harness.running({ maxAttempts: 2, backoff });
      harness.clock.block(LEASE_MS);
      await harness.reap();
      expect(await totals(harness)).toMatchObject({ failed: 3, lost: 1, retried: 2, dead: 1 });
      await harness.claimOne();
      harness.clock.block(LEASE_MS);
      await harness.reap();
      expect(await totals(harness)).toMatchObject({ failed: 4, lost: 2, retried: 2, dead: 2 });
      await harness.store.jobs.revive(lost.id);
      await harness.release(await harness.claimOne());
      await harness.snooze(await harness.claimOne(), 0);
      await harness.store.jobs.cancel(lost.id);
      expect(await totals(harness)).toEqual({
        enqueued: 3,
        started: 7,
        completed: 1,
        failed: 4,
        retried: 2,
        dead: 2,
        cancelled: 1,
        lost: 2,
        released: 1,
        snoozed: 1,
      });
    });

    contract.test("events fall into the minute in which they happened", async (harness) => {
      await harness.enqueueMany([{}, {}]);
      harness.clock.block(59_999);
      await harness.claimOne({ leaseMs: 600_000 });
      harness.clock.block(1);
      const second = await harness.claimOne();
      harness.clock.block(120_000);
      await harness.complete(second);
      const minutes = await harness.store.stats.series(HOUR, "lanes");
      expect(
        minutes.map(({ at, events }) => [at - T0, events.enqueued, events.started, events.completed]),
      ).toEqual([
        [0, 2, 1, 0],
        [60_000, 0, 1, 0],
        [180_000, 0, 0, 1],
      ]);
    });

    contract.test(
      "queues and names are apart, and the range is from a minute to before another",
      async (harness) => {
        await harness.enqueueMany([
          { queue: "a", name: "x" },
          { queue: "a", name: "y" },
          { queue: "b", name: "x" },
        ]);
        harness.clock.block(60_000);
        await harness.enqueue({ queue: "a", name: "x" });
        const lanes = async (filter: object) =>
          (await harness.store.stats.series({ ...HOUR, ...filter, step: "minute" }, "lanes"))
            .map(
              ({ at, queue, name, events }) => `${at - T0} ${queue ?? "*"} ${name ?? "*"} ${events.enqueued}`,
            )
            .toSorted();
        expect(await lanes({})).toEqual(["0 a x 1", "0 a y 1", "0 b x 1", "60000 a x 1"]);
        expect(await lanes({ queue: "a" })).toEqual(["0 a x 1", "0 a y 1", "60000 a x 1"]);
        expect(await lanes({ queue: "none" })).toEqual([]);
        expect(await lanes({ to: T0 + 60_000 })).toEqual(["0 a x 1", "0 a y 1", "0 b x 1"]);
        expect(await lanes({ from: T0 + 119_999 })).toEqual(["60000 a x 1"]);
        expect(await lanes({ from: T0 + 120_000 })).toEqual([]);
      },
    );

    contract.test(
      "wait is measured from runAt to the start, run from the start to the end",
      async (harness) => {
        const waits = [0, 5, 6, 3_600_000, 3_600_001];
        for (const wait of waits) await harness.enqueue({ runAt: T0 - wait });
        const jobs = await harness.claim({ max: waits.length });
        harness.clock.block(30);
        for (const job of jobs.slice(0, 2)) await harness.complete(job);
        await harness.fail(jobs[2]!, "auto", { outcome: "failed", error: BOOM });
        await harness.release(jobs[3]!);
        await harness.snooze(jobs[4]!, 10);
        const [stat] = await harness.store.stats.series(HOUR, "lanes");
        const buckets = (entries: Record<number, number>) =>
          Array.from({ length: DURATION_BOUNDS_MS.length + 1 }, (_, index) => entries[index] ?? 0);
        expect(stat?.durations).toEqual({
          wait: {
            count: 5,
            sumMs: waits.reduce((a, b) => a + b),
            buckets: buckets({
              0: 2,
              1: 1,
              [DURATION_BOUNDS_MS.length - 1]: 1,
              [DURATION_BOUNDS_MS.length]: 1,
            }),
          },
          run: { count: 3, sumMs: 90, buckets: buckets({ [DURATION_BOUNDS_MS.indexOf(50)]: 3 }) },
          lag: { count: 0, sumMs: 0, buckets: buckets({}) },
        });
      },
    );

    contract.test("a wall clock that steps back gives no negative duration", async (harness) => {
      const { id } = await harness.enqueue();
      harness.clock.stepWall(-600_000);
      const job = await harness.claimOne();
      harness.clock.stepWall(-600_000);
      await harness.complete(job);
      const minutes = await harness.store.stats.series(
        { from: T0 - 3_600_000, to: T0 + 60_000, step: "minute" },
        "lanes",
      );
      const sums = minutes.map(({ durations }) => durations.wait.sumMs + durations.run.sumMs);
      expect(sums.every((sum) => sum === 0)).toBe(true);
      expect((await harness.job(id)).state).toBe("completed");
    });

    contract.test("agree over connections: two stores add to the same minute", async (harness) => {
      const other = await harness.another();
      await harness.enqueueMany(new Array(20).fill({}));
      await Promise.all(
        [harness.store, other].map(async ({ claims }) => {
          for (let n = 0; n < 10; n += 1) {
            const [job] = await claims.claim({
              workerId: "w",
              queues: ["default"],
              names: null,
              max: 1,
              leaseMs: 1_000,
            });
            await claims.settle([
              { verb: "complete", id: job!.id, token: job!.token, result: null, resultProblem: null },
            ]);
          }
        }),
      );
      expect(await totals(harness)).toEqual({ enqueued: 20, started: 20, completed: 20 });
    });

    contract.test("only the events and durations that are asked for are read", async (harness) => {
      await harness.complete(await harness.running());
      await harness.fail(await harness.running({ maxAttempts: 1 }));
      const read = async (more: Pick<SeriesFilter, "events" | "kinds">) =>
        harness.store.stats.series({ ...HOUR, ...more }, "all");
      const [dead] = await read({ events: ["dead", "completed"], kinds: [] });
      expect(dead?.events).toMatchObject({ enqueued: 0, started: 0, completed: 1, dead: 1, failed: 0 });
      expect(dead?.durations).toMatchObject({ wait: { count: 0 }, run: { count: 0 } });
      const [run] = await read({ events: [], kinds: ["run"] });
      expect(run?.events).toMatchObject({ enqueued: 0, completed: 0, dead: 0 });
      expect(run?.durations).toMatchObject({ wait: { count: 0 }, run: { count: 2 } });
      expect(await read({ events: [], kinds: [] })).toEqual([]);
    });

    contract.test("one queue is found in any span, also where there is nothing", async (harness) => {
      const series = (from: number, to: number, queue: string) =>
        harness.store.stats.series({ from, to, step: "minute", queue }, "names");
      expect(await series(0, T0 * 2, "a")).toEqual([]);
      await harness.enqueueMany([{ queue: "a", name: "x" }, { queue: "b" }]);
      harness.clock.block(600_000);
      await harness.enqueue({ queue: "a", name: "y" });
      const told = async (from: number, to: number) =>
        (await series(from, to, "a")).map(({ at, queue, name }) => [at - T0, queue, name]);
      expect(await told(0, T0 * 2)).toEqual([
        [0, null, "x"],
        [600_000, null, "y"],
      ]);
      expect(await told(T0 + 1, T0 + 600_000)).toEqual([[0, null, "x"]]);
      expect(await told(T0 + 60_000, T0 + 600_000)).toEqual([]);
      expect(await told(T0 + 60_000, T0 + 600_001)).toEqual([[600_000, null, "y"]]);
      expect(await told(T0 - 7_200_000, T0)).toEqual([]);
      expect(await told(T0 + 7_200_000, T0 + 14_400_000)).toEqual([]);
    });

    contract.test("the room on the disk is known, or it is said that it is not", async (harness) => {
      const disk = await harness.store.stats.disk();
      if (disk === null) return;
      expect(disk.freeBytes).toBeGreaterThan(0);
      expect(disk.totalBytes).toBeGreaterThan(disk.freeBytes);
    });

    contract.test("deleting jobs does not change what happened", async (harness) => {
      const job = await harness.running();
      await harness.complete(job);
      const before = await harness.store.stats.series(HOUR, "lanes");
      await harness.store.jobs.delete(job.id, false);
      expect(await harness.store.stats.series(HOUR, "lanes")).toEqual(before);
    });
  });
}
