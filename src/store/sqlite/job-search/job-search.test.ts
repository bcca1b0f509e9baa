import { describe, expect, test } from "vitest";
import { FakeClock } from "../../../../test/support/fake-clock.js";
import { SqliteFile } from "../../../../test/support/sqlite-file.js";
import { parseJobQuery } from "../../../core/job-query/parse.js";
import { createContext } from "../../../engine/context.js";
import { enqueueMany } from "../../../engine/enqueue.js";
import type { JobCursor, MatchingIds } from "../../jobs.js";
import type { SqliteStore } from "../open.js";

/** A millisecond passes at every look at the clock. */
class TickingClock extends FakeClock {
  override monotonic(): number {
    this.block(1);
    return super.monotonic();
  }
}

/** Whatever is done takes long. */
class SlowClock extends FakeClock {
  override monotonic(): number {
    this.block(100);
    return super.monotonic();
  }
}

const COUNT = 4_000;

async function storeWithJobs(file = new SqliteFile()): Promise<SqliteStore> {
  const store = file.open({ clock: new TickingClock() });
  const context = createContext(store);
  for (let begun = 0; begun < COUNT; begun += 1_000) {
    const jobs = Array.from({ length: 1_000 }, (_, index) => ({
      name: "work",
      payload: { n: begun + index },
    }));
    await enqueueMany(context, jobs);
  }
  return store;
}

describe("a scan", () => {
  test("ends when its budget is spent, and goes on where it ended", async () => {
    const store = await storeWithJobs();
    const query = parseJobQuery("payload.n>=0 payload.n<3");
    const found: string[] = [];
    let [cursor, pages, examined]: [JobCursor | null, number, number] = [null, 0, 0];
    do {
      const { items, next, scan }: Awaited<ReturnType<typeof store.jobs.search>> = await store.jobs.search(
        query,
        null,
        10,
        cursor,
        5,
      );
      expect(scan).not.toBeNull();
      found.push(...items.map(({ id }) => id));
      cursor = next;
      pages += 1;
      examined += scan?.examined ?? 0;
    } while (cursor !== null);
    expect(found).toEqual(["3", "2", "1"]);
    expect(examined).toBe(COUNT);
    expect(pages).toBeGreaterThan(2);
    const whole = await store.jobs.search(query, null, 10, null, 1_000_000);
    expect(whole).toMatchObject({ next: null, scan: { examined: COUNT, until: null, complete: true } });
    expect(await store.jobs.count(query, null, 10, 1_000_000)).toMatchObject({ count: 3, capped: false });
    expect(await store.jobs.count(query, null, 2, 1_000_000)).toMatchObject({ count: 2, capped: true });
  });

  test("gives the event loop turns", async () => {
    const store = await storeWithJobs();
    let turns = 0;
    let searching = true;
    const turn = (): void => {
      turns += 1;
      if (searching) setImmediate(turn);
    };
    setImmediate(turn);
    await store.jobs.search(parseJobQuery("payload.n=-1"), null, 10, null, 1_000_000);
    searching = false;
    expect(turns).toBeGreaterThan(4);
  });

  test("that cannot be interrupted ends after some milliseconds too, and goes on where it ended", async () => {
    const store = await storeWithJobs();
    const query = parseJobQuery("payload.n>=0 payload.n<3");
    const found: string[] = [];
    let after: string | null = null;
    let calls = 0;
    do {
      const step: MatchingIds = await store.jobs.matching(query, null, after, 10, COUNT);
      found.push(...step.ids);
      after = step.lastExaminedId;
      calls += 1;
    } while (after !== null);
    expect(found).toEqual(["1", "2", "3"]);
    expect(calls).toBeGreaterThan(4);
  });

  test("looks at few jobs first, and at one where one takes long", async () => {
    const file = new SqliteFile();
    await storeWithJobs(file);
    const store = file.open({ clock: new SlowClock() });
    const query = parseJobQuery("payload.n=-1");
    expect((await store.jobs.search(query, null, 10, null, 1)).scan?.examined).toBeLessThan(10);
    // Three slices: a small one, and two of one job each.
    expect((await store.jobs.search(query, null, 10, null, 650)).scan?.examined).toBeLessThan(12);
    const { lastExaminedId } = await store.jobs.matching(query, null, null, 10, COUNT);
    expect(Number(lastExaminedId)).toBeLessThan(10);
  });

  test("of an operation changes as many jobs as there is time for, each of them once", async () => {
    const store = await storeWithJobs();
    const operation = {
      preview: Buffer.alloc(32),
      action: "delete",
      query: parseJobQuery(
        "state:pending id:1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26",
      ),
      queueGlobs: null,
      perSecond: 10_000,
      reason: null,
      untilId: "26",
      matched: 26,
      createdBy: "root",
    } as const;
    const { id } = (await store.operations.start(operation)).operation;
    const changed: string[][] = [];
    for (let state = "running"; state === "running";) {
      const step = await store.operations.step(id);
      if (step === null) continue;
      changed.push(step.jobs.map((job) => job.id));
      ({ state } = step.operation);
    }
    expect(changed.length).toBeGreaterThan(1);
    expect(changed.flat()).toEqual(Array.from({ length: 26 }, (_, index) => String(index + 1)));
  });

  test("for a bulk retry sees what the same turn did before it", async () => {
    const store = new SqliteFile().open();
    await enqueueMany(createContext(store), [{ name: "work" }]);
    const request = { workerId: "w", queues: ["default"], names: null, max: 1, leaseMs: 1_000 };
    const [{ id, token } = { id: "", token: 0 }] = await store.claims.claim(request);
    const failure = { outcome: "failed", error: { type: "E", message: "", stack: null } } as const;
    const [, revived] = await Promise.all([
      store.claims.settle([{ verb: "bury", id, token, failure }]),
      store.jobs.reviveMany({ queue: "default" }, Number.MAX_SAFE_INTEGER, 10),
    ]);
    expect(revived).toBe(1);
    expect(await store.jobs.get(id)).toMatchObject({ state: "pending" });
  });

  test("stops when the store is closed", async () => {
    const store = await storeWithJobs();
    const search = store.jobs.search(parseJobQuery("payload.n=-1"), null, 10, null, 1_000_000);
    await store.close();
    await expect(search).rejects.toMatchObject({ code: "store_closed" });
  });

  test("DSH-06 a payload that is no JSON matches nothing and costs no other job its page", async () => {
    const file = new SqliteFile();
    const store = await storeWithJobs(file);
    const raw = file.raw();
    const broken = ["nope", "", "{", "[".repeat(5_000), '{"n":', "\u0000", "NaN"];
    for (const [index, text] of broken.entries()) {
      raw.prepare("UPDATE job_specs SET payload = ? WHERE job_id = ?").run(text, index + 1);
    }
    raw.exec("INSERT INTO attempts VALUES (9, 1, 1, 'w', 0, 0, 'failed', 'no json', NULL)");
    const count = async (filter: string): Promise<number> =>
      (await store.jobs.count(parseJobQuery(filter), null, COUNT, 1_000_000)).count;
    expect(await count("payload.n>=0")).toBe(COUNT - broken.length);
    expect(await count("payload.n!=-1")).toBe(COUNT - broken.length);
    expect(await count("-payload.n>=0")).toBe(broken.length);
    expect(await count("payload~n")).toBe(0);
    expect(await count("error~json")).toBe(0);
    expect(await count("-error~json")).toBe(COUNT);
  });
});
