import { expect, it } from "vitest";
import { checkBooks } from "../../../test/support/recount.js";
import { seededRandom } from "../../../test/support/seeded-random.js";
import { tempDirectory } from "../../../test/support/temp-directory.js";
import type { Clock } from "../../core/clock.js";
import { openStore } from "../../open-store.js";
import { seedHistory } from "./history.js";

const HOUR = 3_600_000;

it("is six hours of finished jobs in sound books, once", async () => {
  const now = Date.parse("2026-03-02T12:00:00.000Z");
  const url = `sqlite:${tempDirectory()}/konveier.db`;
  const open = (clock: Clock) => openStore(url, { clock, synchronous: "normal" });
  const jobs = await seedHistory(open, now, seededRandom(1));
  expect(await seedHistory(open, now, seededRandom(1))).toBe(0);

  const store = await openStore(url);
  try {
    await checkBooks(store);
    const counts = { completed: 0, dead: 0, running: 0 };
    for (const { counts: each } of await store.queues.list()) {
      counts.completed += each.completed;
      counts.dead += each.dead;
      counts.running += each.running;
    }
    expect(counts.running).toBe(0);
    expect(counts.completed).toBeGreaterThan(jobs * 0.98);
    expect(counts.dead).toBeGreaterThan(0);
    const { items } = await store.jobs.list({ state: "dead" }, 100, null);
    const newest = items.map(({ finishedAt }) => finishedAt ?? 0).sort((a, b) => b - a)[0] ?? 0;
    // The findings of a new demo are about what it shows, and not about its past.
    expect(newest).toBeLessThan(now - HOUR);
    expect(newest).toBeGreaterThan(now - 6 * HOUR);
  } finally {
    await store.close();
  }
});
