import { describe, expect } from "vitest";
import type { Store, StoreChange } from "../../src/store/store.js";
import type { Contract } from "./contract.js";
import type { Harness } from "./harness.js";

/** Longer than any store may take to notice another process. */
const SOON_MS = 50;

/** What a subscriber hears, as text. */
function listen(store: Store): { heard: string[]; end: () => void } {
  const heard: string[] = [];
  const end = store.onChange(({ queues, scheduled }: StoreChange) => {
    heard.push(
      `${queues === null ? "any" : [...queues].toSorted().join(" ")}${scheduled ? " scheduled" : ""}`,
    );
  });
  return { heard, end };
}

export function changesContract(contract: Contract): void {
  describe("onChange", () => {
    contract.test("is told which queues got claimable jobs, once for each commit", async (harness) => {
      const { heard } = listen(harness.store);
      await harness.enqueueMany([{ queue: "a" }, { queue: "b" }, { queue: "a" }]);
      await Promise.all([harness.enqueue({ queue: "c" }), harness.enqueue({ queue: "d" })]);
      expect(heard).toEqual(["a b", "c d"]);
    });

    const ways: Readonly<Record<string, (harness: Harness) => Promise<unknown>>> = {
      "a delayed job": (harness) => harness.enqueue({ delayMs: 5 }),
      "a promotion": async (harness) => {
        await harness.enqueue({ delayMs: 5 });
        harness.clock.block(5);
        await harness.store.claims.promote(10);
      },
      "a release": async (harness) => harness.release(await harness.running()),
      "a snooze": async (harness) => harness.snooze(await harness.running(), 5),
      "a retry": async (harness) => harness.fail(await harness.running(), { delayMs: 0 }),
      "a reaped lease": async (harness) => {
        await harness.running({ backoff: { type: "fixed", delayMs: 0 } });
        harness.clock.block(1_000);
        await harness.reap();
      },
      "a retry by hand": async (harness) => {
        const job = await harness.running();
        await harness.fail(job, "never");
        await harness.store.jobs.revive(job.id);
      },
      "a run now": async (harness) => harness.store.jobs.runNow((await harness.enqueue({ delayMs: 5 })).id),
      "a resumed queue": async (harness) => {
        await harness.store.queues.pause("default", null);
        await harness.store.queues.resume("default");
      },
    };
    for (const [way, happen] of Object.entries(ways)) {
      contract.test(`${way} is told in this process and in others`, async (harness) => {
        const other = await harness.another();
        const here = listen(harness.store);
        const there = listen(other);
        await happen(harness);
        expect(here.heard.length).toBeGreaterThan(0);
        expect(here.heard.at(-1)).toMatch(/default|scheduled/);
        await harness.clock.advance(SOON_MS);
        expect(there.heard.length).toBeGreaterThan(0);
        expect(there.heard.at(-1)).toMatch(/any|default|scheduled/);
      });
    }

    contract.test("an idle database tells nobody, however long it is idle", async (harness) => {
      const { heard } = listen(harness.store);
      await harness.clock.advance(10_000);
      expect(heard).toEqual([]);
    });

    contract.test("ends when it is asked to, also in the middle of a round", async (harness) => {
      const first = listen(harness.store);
      const second = listen(harness.store);
      await harness.enqueue();
      first.end();
      first.end();
      await harness.enqueue();
      expect([first.heard.length, second.heard.length]).toEqual([1, 2]);
      second.end();
      await harness.enqueue();
      await harness.clock.advance(SOON_MS);
      expect(second.heard).toHaveLength(2);
      const third = listen(harness.store);
      await harness.enqueue();
      expect(third.heard).toEqual(["default"]);
    });
  });
}
