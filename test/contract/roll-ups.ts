import { describe, expect } from "vitest";
import { RollUps } from "../../src/engine/statistics/roll-ups.js";
import { sumsOf } from "../../src/engine/statistics/sums.js";
import type { SeriesFilter, StatDetail } from "../../src/store/stats.js";
import type { Store } from "../../src/store/store.js";
import { T0 } from "../support/fake-clock.js";
import { seededRandom } from "../support/seeded-random.js";
import type { Contract } from "./contract.js";
import type { Harness } from "./harness.js";

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** Jobs of some queues and names, over some hours. */
async function work(harness: Harness, hours: number): Promise<void> {
  const random = seededRandom(11);
  const end = harness.clock.now() + hours * HOUR_MS;
  while (harness.clock.now() < end) {
    const queue = random() < 0.5 ? "a" : "b";
    const name = random() < 0.5 ? "x" : "y";
    const job = await harness.running({ queue, name, maxAttempts: 1 }, { queues: [queue] });
    harness.clock.block(Math.floor(random() * 900));
    if (random() < 0.3) await harness.fail(job);
    else await harness.complete(job);
    harness.clock.block(Math.floor(random() * 40 * MINUTE_MS));
  }
}

/** The store, and how often its roll-ups were read. */
function watched(store: Store): { readonly store: Store; readonly reads: () => number } {
  let reads = 0;
  const stats = new Proxy(store.stats, {
    get(target, property) {
      if (property === "series") {
        reads += 1;
        return target.series.bind(target);
      }
      return Reflect.get(target, property) as unknown;
    },
  });
  const seen = new Proxy(store, {
    get: (target, property) =>
      property === "stats" ? stats : (Reflect.get(target, property, target) as unknown),
  });
  return { store: seen, reads: () => reads };
}

export function rollUpsContract(contract: Contract): void {
  describe("roll-ups that are read in slices", () => {
    contract.test("say what the store says, first and when they are asked again", async (harness) => {
      await work(harness, 20);
      const { store } = harness;
      const rollUps = new RollUps(store);
      const details: StatDetail[] = ["lanes", "queues", "names", "all"];
      const filters: SeriesFilter[] = [
        { from: T0, to: T0 + 21 * HOUR_MS, step: "minute" },
        { from: T0 + 7 * MINUTE_MS, to: store.now() + 1, step: "minute", widthMs: MINUTE_MS },
        { from: T0, to: T0 + 21 * HOUR_MS, step: "minute", widthMs: 15 * MINUTE_MS, queue: "a" },
        { from: T0 + HOUR_MS, to: T0 + 20 * HOUR_MS, step: "hour", name: "x" },
        { from: T0, to: T0 + 48 * HOUR_MS, step: "hour", widthMs: 24 * HOUR_MS, queue: "b", name: "y" },
        { from: T0, to: store.now(), step: "minute", events: ["dead", "completed"], kinds: [] },
        { from: T0, to: store.now(), step: "hour", events: [], kinds: ["run"] },
      ];
      const sorted = (points: readonly object[]) => points.map((point) => JSON.stringify(point)).toSorted();
      for (const turn of [1, 2]) {
        for (const filter of filters) {
          for (const detail of details) {
            const what = `${turn} ${detail} ${JSON.stringify(filter)}`;
            const wanted = await store.stats.series(filter, detail);
            expect(wanted.length, what).toBeGreaterThan(0);
            expect(sorted(await rollUps.points(filter, detail)), what).toEqual(sorted(wanted));
            expect(sorted(await rollUps.sums(filter, detail)), what).toEqual(sorted(sumsOf(wanted)));
          }
        }
      }
    });

    contract.test("only what is not over yet is read again", async (harness) => {
      await work(harness, 3);
      const { store, reads } = watched(harness.store);
      const rollUps = new RollUps(store);
      const lastHour = () => {
        // A chart ends with a step that is not over yet.
        const to = harness.clock.now() + 30 * MINUTE_MS;
        return rollUps.points({ from: T0, to, step: "minute", kinds: [] }, "all");
      };
      const enqueued = async () => (await lastHour()).reduce((sum, { events }) => sum + events.enqueued, 0);
      const before = await enqueued();
      const first = reads();
      expect(first).toBeGreaterThan(12);
      await harness.enqueue();
      expect(await enqueued()).toBe(before + 1);
      expect(reads() - first).toBeLessThanOrEqual(4);
      await harness.enqueue();
      harness.clock.block(20 * MINUTE_MS);
      expect(await enqueued()).toBe(before + 2);
    });

    contract.test("two at once read once, and a failure is not kept", async (harness) => {
      await harness.enqueue();
      harness.clock.block(HOUR_MS);
      const { store, reads } = watched(harness.store);
      const rollUps = new RollUps(store);
      const quarter = { from: T0, to: T0 + 15 * MINUTE_MS, step: "minute" } as const;
      const both = await Promise.all([rollUps.points(quarter, "all"), rollUps.points(quarter, "all")]);
      expect(both.map((points) => points.length)).toEqual([1, 1]);
      expect(reads()).toBe(1);
      const error = new Error("away");
      const failing = new Proxy(harness.store, {
        get: (target, property) =>
          property === "stats"
            ? { series: () => Promise.reject(error) }
            : (Reflect.get(target, property, target) as unknown),
      });
      const broken = new RollUps(failing);
      await expect(broken.points(quarter, "all")).rejects.toBe(error);
      await expect(broken.points(quarter, "all")).rejects.toBe(error);
    });
  });
}
