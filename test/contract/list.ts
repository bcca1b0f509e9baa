import { describe, expect } from "vitest";
import { JOB_STATES } from "../../src/core/states.js";
import type { JobFilter } from "../../src/store/jobs.js";
import { T0 } from "../support/fake-clock.js";
import { allJobs } from "../support/recount.js";
import { seededRandom } from "../support/seeded-random.js";
import type { Contract } from "./contract.js";
import type { Harness } from "./harness.js";

/** Jobs in every state that the engine can reach, at differing times. */
async function jobsOfAllKinds(harness: Harness): Promise<void> {
  const random = seededRandom(11);
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)]!;
  for (let round = 0; round < 120; round += 1) {
    harness.clock.block(Math.floor(random() * 3));
    const request = {
      queue: pick(["a", "b"]),
      name: pick(["x", "y"]),
      tags: pick([["red"], ["blue"], ["red", "blue"], []]),
    };
    const fate = pick(["pending", "scheduled", "running", "completed", "dead", "cancelled"]);
    if (fate === "scheduled") {
      await harness.enqueue({ ...request, delayMs: 1_000_000 + Math.floor(random() * 5) });
      continue;
    }
    const { id } = await harness.enqueue({ ...request, priority: 9 });
    if (fate === "cancelled") await harness.store.jobs.cancel(id);
    if (fate === "pending" || fate === "cancelled") continue;
    const job = await harness.claimOne({ queues: [request.queue], leaseMs: 3_600_000 });
    if (fate === "completed") await harness.complete(job);
    if (fate === "dead") await harness.fail(job, "never");
  }
}

export function listContract(contract: Contract): void {
  describe("list", () => {
    contract.test("an empty database has an empty page", async ({ store }) => {
      expect(await store.jobs.list({}, 10, null)).toEqual({ items: [], next: null });
      for (const state of JOB_STATES) {
        expect(await store.jobs.list({ state }, 10, null)).toEqual({ items: [], next: null });
      }
    });

    contract.test("each state has its order, and every filter its jobs", async (harness) => {
      await jobsOfAllKinds(harness);
      const all = await allJobs(harness.store);
      expect(all).toHaveLength(120);
      const tags = new Map(
        await Promise.all(all.map(async ({ id }) => [id, (await harness.job(id)).tags] as const)),
      );
      const byId = (a: { id: string }, b: { id: string }) => Number(b.id) - Number(a.id);
      expect(all).toEqual(all.toSorted(byId));

      for (const state of [undefined, ...JOB_STATES]) {
        for (const queue of [undefined, "a"]) {
          for (const name of [undefined, "y"]) {
            for (const tag of [undefined, "red", "none"]) {
              const filter: JobFilter = {
                ...(state && { state }),
                ...(queue && { queue }),
                ...(name && { name }),
                ...(tag && { tag }),
              };
              const wanted = all.filter(
                (job) =>
                  (state === undefined || job.state === state) &&
                  (queue === undefined || job.queue === queue) &&
                  (name === undefined || job.name === name) &&
                  (tag === undefined || tags.get(job.id)!.includes(tag)),
              );
              if (state === "scheduled") {
                wanted.sort((a, b) => a.runAt - b.runAt || Number(a.id) - Number(b.id));
              } else if (state === "completed" || state === "dead" || state === "cancelled") {
                wanted.sort((a, b) => b.finishedAt! - a.finishedAt! || byId(a, b));
              }
              const listed = await allJobs(harness.store, filter, 7);
              expect(listed, JSON.stringify(filter)).toEqual(wanted);
            }
          }
        }
      }
    });

    contract.test("the last page says that it is the last", async (harness) => {
      await harness.enqueueMany(new Array(4).fill({}));
      const first = await harness.store.jobs.list({}, 2, null);
      expect(first.items).toHaveLength(2);
      const second = await harness.store.jobs.list({}, 2, first.next);
      expect(second.items).toHaveLength(2);
      expect(second.next).toBeNull();
    });

    contract.test("jobs that come and change during a walk are not shown twice", async (harness) => {
      const jobs = await harness.enqueueMany(new Array(20).fill({}));
      const shown: string[] = [];
      let cursor = null;
      do {
        const page = await harness.store.jobs.list({}, 3, cursor);
        shown.push(...page.items.map(({ id }) => id));
        cursor = page.next;
        await harness.enqueueMany([{}, {}]);
        await harness.complete(await harness.claimOne());
      } while (cursor !== null);
      expect(shown).toEqual(jobs.map(({ id }) => id).toReversed());
    });

    contract.test("a walk goes on when the job at its cursor is gone", async (harness) => {
      const jobs = await harness.enqueueMany(new Array(6).fill({ delayMs: 100 }));
      for (const filter of [{}, { state: "scheduled" }] as const) {
        const first = await harness.store.jobs.list(filter, 2, null);
        const second = await harness.store.jobs.list(filter, 2, first.next);
        expect(second.items).toHaveLength(2);
        const last = first.items.at(-1)!;
        await harness.store.jobs.delete(last.id, false);
        expect(await harness.store.jobs.list(filter, 2, first.next)).toEqual(second);
      }
      expect(jobs).toHaveLength(6);
    });

    contract.test("jobs of one instant are paged without gaps", async (harness) => {
      await harness.enqueueMany(new Array(25).fill({ delayMs: 100 }));
      const scheduled = await allJobs(harness.store, { state: "scheduled" }, 4);
      expect(new Set(scheduled.map(({ id }) => id)).size).toBe(25);
      await harness.enqueueMany(new Array(25).fill({}));
      for (const job of await harness.claim({ max: 25 })) await harness.complete(job);
      const completed = await allJobs(harness.store, { state: "completed" }, 4);
      expect(completed.every(({ finishedAt }) => finishedAt === T0)).toBe(true);
      expect(new Set(completed.map(({ id }) => id)).size).toBe(25);
    });

    contract.test("SQL-13 filters compare text, they do not match patterns", async (harness) => {
      await harness.enqueue({ queue: "a_b", name: "x", tags: ["100%"] });
      await harness.enqueue({ queue: "aXb", name: "x", tags: ["1000"] });
      expect(await allJobs(harness.store, { queue: "a_b" })).toHaveLength(1);
      expect(await allJobs(harness.store, { tag: "100%" })).toHaveLength(1);
      expect(await allJobs(harness.store, { tag: "%" })).toEqual([]);
      expect(await allJobs(harness.store, { queue: "' OR 1=1 --" })).toEqual([]);
    });
  });
}
