import { describe, expect, test } from "vitest";
import { checkBooks, allJobs } from "../../../test/support/recount.js";
import { FakeClock } from "../../../test/support/fake-clock.js";
import { SqliteFile } from "../../../test/support/sqlite-file.js";
import { createContext } from "../../engine/context.js";
import { enqueue, enqueueMany } from "../../engine/enqueue.js";
import { openConnection } from "./connection.js";
import { migrate } from "./migrate.js";
import { Sequences } from "./sequences.js";

function setUp(values: Partial<Record<"job" | "token", number>> = {}) {
  const file = new SqliteFile();
  const clock = new FakeClock();
  const store = file.open({ clock });
  const set = file.raw().prepare("UPDATE sequences SET value = ? WHERE name = ?");
  for (const [name, value] of Object.entries(values)) set.run(value, name);
  return { file, clock, store, context: createContext(store, { clock }) };
}

const REQUEST = { workerId: "w", queues: ["default"], names: null, max: 100, leaseMs: 1_000 } as const;

describe("Sequences", () => {
  function memory() {
    const db = openConnection(":memory:", "normal");
    migrate(db);
    const value = () =>
      db.prepare<[], number>("SELECT value FROM sequences WHERE name = 'job'").pluck().get();
    return { sequences: new Sequences(db, () => undefined), value };
  }

  test("numbers are taken in memory and written by a flush", () => {
    const { sequences, value } = memory();
    expect([sequences.take("job", 3), sequences.take("job", 1), sequences.take("job", 0)]).toEqual([0, 3, 4]);
    expect(value()).toBe(0);
    sequences.flush();
    expect(value()).toBe(4);
    expect(sequences.take("job", 1)).toBe(4);
  });

  test("numbers of a transaction that was rolled back are given out again", () => {
    const { sequences, value } = memory();
    sequences.take("job", 5);
    sequences.clear();
    sequences.flush();
    expect(value()).toBe(0);
    expect(sequences.take("job", 1)).toBe(0);
  });

  test("what has come to its end says so instead of giving a number twice", () => {
    const { sequences } = memory();
    sequences.take("job", Number.MAX_SAFE_INTEGER);
    expect(() => sequences.take("job", 1)).toThrow("Sequence job is exhausted");
  });
});

describe("ids", () => {
  test("are not used again after the newest jobs were deleted and the file was opened again", async () => {
    const { file, clock, store, context } = setUp();
    const inserted = await enqueueMany(context, [{ name: "a" }, { name: "b" }, { name: "c" }]);
    for (const job of inserted) await store.jobs.delete(job.id, true);
    await store.close();
    const again = file.open({ clock });
    const job = await enqueue(createContext(again, { clock }), { name: "d" });
    expect(job.id).toBe("4");
  });

  test.each([2 ** 31 - 3, 2 ** 32 - 3, 2 ** 53 - 40])(
    "PAY-10 every operation works with ids and tokens around %d",
    async (start) => {
      const { clock, store, context } = setUp({ job: start, token: start });
      const requests = Array.from({ length: 12 }, (_, index) => ({
        name: "work",
        tags: ["t"],
        idempotencyKey: `key-${index}`,
        delayMs: index === 11 ? 10 : 0,
        maxAttempts: 2,
        backoff: { type: "fixed", delayMs: 0 } as const,
      }));
      const jobs = await enqueueMany(context, requests);
      expect(jobs.map(({ id }) => BigInt(id))).toEqual(
        jobs.map((_, index) => BigInt(start) + BigInt(index + 1)),
      );

      const claimed = await store.claims.claim({ ...REQUEST, max: 8 });
      const tokens = claimed.map(({ token }) => token).toSorted((a, b) => a - b);
      expect(tokens).toEqual(tokens.map((_, index) => start + index + 1));
      expect(claimed.map(({ id }) => id)).toEqual(jobs.slice(0, 8).map(({ id }) => id));

      const [a, b, c, d, e, f, g, h] = claimed.map(({ id, token }) => ({ id, token }));
      const failure = { outcome: "failed", error: { type: "Error", message: "x", stack: null } } as const;
      expect(await store.claims.extend(claimed, 5_000)).toHaveLength(8);
      expect(await store.claims.progress(a!, 50, null)).toBeNull();
      expect(await store.claims.log(a!, [{ level: "info", message: "x" }])).toBeNull();
      const settled = await store.claims.settle([
        { verb: "complete", ...a!, result: "1", resultProblem: null },
        { verb: "retry", ...b!, delayMs: 0, failure },
        { verb: "bury", ...c!, failure },
        { verb: "release", ...d! },
        { verb: "snooze", ...e!, delayMs: 5 },
      ]);
      expect(settled.every(({ ok }) => ok)).toBe(true);
      clock.block(5_000);
      const expired = await store.claims.expired(10);
      expect(expired.map(({ token }) => token).toSorted((x, y) => x - y)).toEqual(
        [f, g, h].map((key) => key!.token).toSorted((x, y) => x - y),
      );
      await store.claims.reap(
        expired.map(({ id, token }) => ({ verb: "retry", id, token, delayMs: 0, failure })),
      );
      expect(await store.claims.promote(10)).toBe(2);
      expect(await store.jobs.cancel(b!.id)).toMatchObject({ outcome: "changed" });
      expect(await store.jobs.revive(c!.id)).toMatchObject({ outcome: "changed" });
      expect(await store.jobs.delete(d!.id, false)).toMatchObject({ outcome: "changed" });
      expect(await store.jobs.attempts(b!.id)).toMatchObject([{ token: b!.token }]);
      expect((await allJobs(store, {}, 3)).map(({ id }) => id)).toEqual(
        jobs
          .map(({ id }) => id)
          .filter((id) => id !== d!.id)
          .toReversed(),
      );
      expect(await allJobs(store, { tag: "t" }, 2)).toHaveLength(11);
      clock.block(1);
      const retention = { completedMs: 0, cancelledMs: 0, deadMs: 0, maxCompleted: 0 };
      expect(await store.maintenance.prune(retention, 10)).toBe(2);
      await checkBooks(store);
    },
  );

  test("PAY-10 the last id of all is given out, and then a clear error", async () => {
    const { store, context } = setUp({ job: 9_007_199_254_740_990 });
    const { deduplicated, ...job } = await enqueue(context, { name: "last" });
    expect(deduplicated).toBe(false);
    expect(job.id).toBe("9007199254740991");
    expect(await store.jobs.get(job.id)).toEqual(job);
    await expect(enqueue(context, { name: "too.late" })).rejects.toThrow("Sequence job is exhausted");
    expect(await allJobs(store)).toEqual([job]);
    await checkBooks(store);
  });
});
