import { describe, expect, vi } from "vitest";
import type { Store, StoreChange } from "../../src/store/store.js";
import type { Contract } from "./contract.js";
import type { Harness } from "./harness.js";

/** Longer than any store may take to notice another process. */
const SOON_MS = 50;
/** Only so that a test that fails ends. */
const PATIENCE = { timeout: 30_000 };

interface Listener {
  /** All calls, as text. */
  readonly heard: string[];
  /** Those that name what has changed: a store may also say at any time that anything may have. */
  readonly named: string[];
  readonly end: () => void;
}

function listen(store: Store): Listener {
  const heard: string[] = [];
  const named: string[] = [];
  const end = store.onChange(({ queues, scheduled }: StoreChange) => {
    const text = `${queues === null ? "any" : [...queues].toSorted().join(" ")}${scheduled ? " scheduled" : ""}`;
    heard.push(text);
    if (queues !== null) named.push(text);
  });
  return { heard, named, end };
}

/** Waits until a listener hears of other processes, which it need not do at once, and has heard all that they told. */
async function hears(harness: Harness, { heard }: Listener): Promise<void> {
  const first = await harness.another();
  await vi.waitFor(async () => {
    await first.queues.pause("first", null);
    await first.queues.resume("first");
    const before = heard.length;
    await harness.clock.advance(SOON_MS);
    expect(heard.length).toBeGreaterThan(before);
  }, PATIENCE);
  // What one process tells may come in any order. All of it is told when it is closed, so another one comes after it.
  await first.close();
  await harness.store.queues.pause("last", null);
  const before = heard.length;
  await (await harness.another()).queues.resume("last");
  await vi.waitFor(async () => {
    await harness.clock.advance(SOON_MS);
    expect(heard.slice(before)).toContainEqual(expect.stringMatching(/any|last/));
  }, PATIENCE);
}

export function changesContract(contract: Contract): void {
  describe("onChange", () => {
    contract.test("is told which queues got claimable jobs, once for each commit", async (harness) => {
      const { named } = listen(harness.store);
      await harness.enqueueMany([{ queue: "a" }, { queue: "b" }, { queue: "a" }]);
      await Promise.all([harness.enqueue({ queue: "c" }), harness.enqueue({ queue: "d" })]);
      expect(named).toEqual(["a b", "c d"]);
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
        expect(here.named.at(-1)).toMatch(/default|scheduled/);
        await harness.clock.advance(SOON_MS);
        await vi.waitFor(() => {
          expect(there.heard).toContainEqual(expect.stringMatching(/any|default|scheduled/));
        });
      });
    }

    contract.test("an idle database tells nobody, however long it is idle", async (harness) => {
      const listener = listen(harness.store);
      await hears(harness, listener);
      const before = listener.heard.length;
      await harness.clock.advance(10_000);
      // Whatever was asked in these seconds is answered before the next commit is told.
      await harness.enqueue();
      expect(listener.heard.slice(before)).toEqual(["default"]);
    });

    contract.test("ends when it is asked to, also in the middle of a round", async (harness) => {
      const first = listen(harness.store);
      const second = listen(harness.store);
      await harness.enqueue();
      first.end();
      first.end();
      await harness.enqueue();
      expect([first.named.length, second.named.length]).toEqual([1, 2]);
      second.end();
      await harness.enqueue();
      await harness.clock.advance(SOON_MS);
      expect(second.named).toHaveLength(2);
      const third = listen(harness.store);
      await harness.enqueue();
      expect(third.named).toEqual(["default"]);
    });
  });
}
