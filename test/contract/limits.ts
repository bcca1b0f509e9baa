import { describe, expect } from "vitest";
import { parseJobQuery } from "../../src/core/job-query/parse.js";
import type { ClaimedJob } from "../../src/core/job.js";
import { NO_LIMITS } from "../../src/core/queue-limits.js";
import { claimRequest, faultsOf, LEASE_MS, refusal, type Harness } from "./harness.js";
import { editQueue } from "../../src/engine/queues.js";
import { T0 } from "../support/fake-clock.js";
import { seededRandom } from "../support/seeded-random.js";
import type { Contract } from "./contract.js";

const MANY = 1_000;
const STEPS = 200;
/** Of jobs behind a rate. */
const BACKLOG = process.env["KONVEIER_LONG_TESTS"] === "1" ? 100_000 : 5_000;
const WINDOWS = 5;

export function limitsContract(contract: Contract): void {
  describe("limits", () => {
    settingsContract(contract);
    concurrencyContract(contract);
    rateContract(contract);
    fairnessContract(contract);
    holdContract(contract);
    wakeUpContract(contract);
    heldBackContract(contract);
  });
}

function settingsContract(contract: Contract): void {
  contract.test("an edit changes what it names, and nothing else", async ({ store, limit }) => {
    expect(await limit({ concurrency: 5, perKey: { concurrency: 2 } })).toMatchObject({
      name: "default",
      version: 1,
      heldUntil: null,
      ...NO_LIMITS,
      concurrency: 5,
      perKey: { concurrency: 2, rateLimit: null },
    });
    const rateLimit = { max: 3, perMs: 1_000 };
    await limit({ rateLimit, ageingMs: 60_000, perKey: { rateLimit } });
    expect(await store.queues.get("default")).toMatchObject({
      concurrency: 5,
      rateLimit,
      perKey: { concurrency: 2, rateLimit },
      ageingMs: 60_000,
    });
    await limit({ maxLength: 7, onFull: "drop-oldest" });
    const none = { concurrency: null, rateLimit: null, perKey: null, ageingMs: null };
    expect(await limit(none)).toMatchObject({
      ...NO_LIMITS,
      version: 4,
      maxLength: 7,
      onFull: "drop-oldest",
    });
    // Said once more, it changes nothing.
    expect((await limit(none)).version).toBe(4);
    expect(await store.queues.list()).toHaveLength(1);
  });

  contract.test("an edit of a version that is gone is refused", async ({ store, limit }) => {
    await limit({ concurrency: 5 });
    await editQueue(store, "default", { concurrency: 6 }, 1);
    expect(await refusal(editQueue(store, "default", { concurrency: 7 }, 1))).toBe("etag_mismatch");
    expect((await store.queues.get("default"))?.concurrency).toBe(6);
  });

  contract.test("RLM-09 nonsense is refused with each field's name", async ({ store, limit }) => {
    for (const concurrency of [0, -1, 1.5, Number.NaN, Infinity, "5" as unknown as number]) {
      expect(await faultsOf(limit({ concurrency }))).toEqual(["/concurrency out_of_range"]);
    }
    const change = {
      rateLimit: { max: 0, perMs: 1, burst: 1 },
      perKey: { concurrency: 0, rateLimit: { max: 1 }, speed: 1 },
      ageingMs: -1,
      speed: 1,
    };
    expect((await faultsOf(limit(change as never))).toSorted()).toEqual([
      "/ageingMs out_of_range",
      "/perKey/concurrency out_of_range",
      "/perKey/rateLimit/perMs required",
      "/perKey/speed unknown_field",
      "/rateLimit/burst unknown_field",
      "/rateLimit/max out_of_range",
      "/speed unknown_field",
    ]);
    expect(await store.queues.list()).toEqual([]);
  });

  contract.test("a job keeps its keys, and is found by what else it has", async (harness) => {
    const { id } = await harness.enqueue({ concurrencyKey: "a", rateKey: "b", runAt: T0 - 5 });
    const plain = await harness.enqueue();
    expect(await harness.job(id)).toMatchObject({ concurrencyKey: "a", rateKey: "b" });
    expect(await harness.job(plain.id)).toMatchObject({ concurrencyKey: null, rateKey: null });
    const query = parseJobQuery("state:pending name:work");
    const found = await harness.store.jobs.search(query, null, 10, null, 1_000);
    expect(found.items.map((job) => job.id)).toEqual([plain.id, id]);
    expect((await harness.store.queues.get("default"))?.oldestPendingAt).toBe(T0 - 5);
  });

  contract.test("keys are part of the definition that an idempotency key stands for", async (harness) => {
    await harness.enqueueKeyed({ idempotencyKey: "k", concurrencyKey: "a" });
    expect(await harness.enqueueKeyed({ idempotencyKey: "k", concurrencyKey: "a" })).toMatchObject({
      deduplicated: true,
    });
    expect(await refusal(harness.enqueueKeyed({ idempotencyKey: "k", concurrencyKey: "b" }))).toBe(
      "idempotency_key_reused",
    );
  });
}

function concurrencyContract(contract: Contract): void {
  contract.test("RLM-09 never more jobs run than may, whoever claims", async (harness) => {
    const { claim, complete, limit } = harness;
    const other = await harness.another();
    await limit({ concurrency: 3 });
    await harness.enqueueMany(new Array(10).fill({}));
    const first = await claim({ max: 2 });
    const second = await other.claims.claim(claimRequest({ max: 10, workerId: "b" }));
    expect([first.length, second.length]).toEqual([2, 1]);
    expect(await claim({ max: 10 })).toEqual([]);
    await complete(first[0]!);
    expect(await claim({ max: 10 })).toHaveLength(1);
    // Lowered while three run: none starts before fewer than two do. Raised: at once.
    await limit({ concurrency: 2 });
    await complete(first[1]!);
    expect(await claim({ max: 10 })).toEqual([]);
    await complete(second[0]!);
    expect(await claim({ max: 10 })).toHaveLength(1);
    await limit({ concurrency: 4 });
    expect(await claim({ max: 10 })).toHaveLength(2);
    await limit({ concurrency: null });
    expect(await claim({ max: 10 })).toHaveLength(3);
  });

  const WAYS: Readonly<Record<string, (harness: Harness, job: ClaimedJob) => Promise<unknown>>> = {
    completed: ({ complete }, job) => complete(job),
    failed: ({ fail }, job) => fail(job),
    "dead at once": ({ fail }, job) => fail(job, "never"),
    released: ({ release }, job) => release(job),
    snoozed: ({ snooze }, job) => snooze(job, 10_000),
    cancelled: ({ store }, job) => store.jobs.cancel(job.id),
    deleted: ({ store }, job) => store.jobs.delete(job.id, true),
    lost: async ({ clock, reap }) => {
      clock.block(LEASE_MS);
      expect(await reap()).toBe(1);
    },
  };
  for (const [way, end] of Object.entries(WAYS)) {
    contract.test(`RLM-07 the slot of a job that is ${way} is free`, async (harness) => {
      await harness.limit({ concurrency: 1, perKey: { concurrency: 1 } });
      // The first one goes to the back of the line when it is given back.
      await harness.enqueueMany([{ priority: 0, concurrencyKey: "k" }]);
      const job = await harness.claimOne();
      await harness.enqueue({ priority: 9, concurrencyKey: "k" });
      expect(await harness.claim()).toEqual([]);
      await end(harness, job);
      expect(await harness.claim()).toHaveLength(1);
      expect(await harness.claim()).toEqual([]);
    });
  }

  contract.test("RLM-01 a job that never ends takes one slot, and the others go on", async (harness) => {
    const { claim, clock, enqueueMany, limit, complete } = harness;
    await limit({ concurrency: 2, rateLimit: { max: 5, perMs: 1_000 } });
    await enqueueMany(new Array(20).fill({}));
    const [hung] = await claim({ leaseMs: 600_000 });
    let done = 0;
    for (let second = 0; second < 5 && done < 19; second += 1) {
      for (let [job] = await claim(); job !== undefined; [job] = await claim()) {
        await complete(job);
        done += 1;
      }
      clock.block(1_000 + 1_000 / 50);
    }
    expect(done).toBe(19);
    expect(await harness.state(hung!.id)).toBe("running");
  });

  contract.test("each concurrency key has slots of its own", async ({ claim, enqueueMany, limit }) => {
    await limit({ perKey: { concurrency: 2 } });
    const keys = ["a", "a", "a", "b", "ab", "ab", "ab"];
    await enqueueMany(keys.map((concurrencyKey, index) => ({ concurrencyKey, rateKey: `r${index}` })));
    await enqueueMany([{ rateKey: "a" }, { rateKey: "a" }, { rateKey: "a" }, {}, {}, {}]);
    const jobs = await claim({ max: 20 });
    // Two of a, one of b, two of ab; those without a concurrency key have no such limit.
    expect(jobs).toHaveLength(11);
    expect(await claim({ max: 20 })).toEqual([]);
  });

  contract.test("a claim of some names takes no slot for others", async ({ claim, enqueueMany, limit }) => {
    await limit({ concurrency: 5, perKey: { concurrency: 1 } });
    await enqueueMany([
      ...Array.from({ length: 5 }, (_, index) => ({ name: "other", concurrencyKey: `k${index}` })),
      { concurrencyKey: "k3" },
      { concurrencyKey: "k3" },
      { concurrencyKey: "z" },
      {},
    ]);
    const jobs = await claim({ max: 10, names: ["work"] });
    expect(jobs.map(({ name }) => name)).toEqual(["work", "work", "work"]);
    expect(await claim({ max: 10, names: ["work"] })).toEqual([]);
    expect(await claim({ max: 10 })).toHaveLength(2);
  });

  contract.test("a queue at its limit leaves the others alone", async ({ claim, enqueueMany, limit }) => {
    await limit({ concurrency: 1 });
    await enqueueMany([{}, {}, { queue: "plain" }, { queue: "plain" }]);
    const queues = ["default", "plain"];
    expect((await claim({ queues, max: 10 })).map(({ queue }) => queue)).toEqual([
      "default",
      "plain",
      "plain",
    ]);
  });

  contract.test("the same queue asked for twice has one limit", async ({ claim, enqueueMany, limit }) => {
    await limit({ concurrency: 2 });
    await enqueueMany(new Array(9).fill({}));
    expect(await claim({ queues: ["default", "default"], max: 9 })).toHaveLength(2);
  });

  contract.test("RLM-09 random steps never pass a limit", async (harness) => {
    const random = seededRandom(5);
    const pick = (n: number) => Math.floor(random() * n);
    let most = 4;
    const running: ClaimedJob[] = [];
    await harness.limit({ concurrency: most, perKey: { concurrency: 2 } });
    for (let step = 0; step < STEPS; step += 1) {
      const choice = pick(10);
      if (choice < 3) {
        await harness.enqueue(pick(3) === 0 ? {} : { concurrencyKey: `k${pick(3)}` });
      } else if (choice < 6) {
        const free = Math.max(0, most - running.length);
        const jobs = await harness.claim({ max: 1 + pick(5) });
        expect(jobs.length).toBeLessThanOrEqual(free);
        running.push(...jobs);
        for (const key of ["k0", "k1", "k2"]) {
          const details = await Promise.all(running.map(({ id }) => harness.job(id)));
          const ofKey = details.filter(({ concurrencyKey }) => concurrencyKey === key);
          expect(ofKey.length).toBeLessThanOrEqual(2);
        }
      } else if (choice < 9) {
        const [job] = running.splice(pick(running.length), 1);
        if (job !== undefined) await harness.complete(job);
      } else {
        most = 1 + pick(6);
        await harness.limit({ concurrency: most });
      }
    }
  });
}

function rateContract(contract: Contract): void {
  contract.test(
    "RLM-03 never more starts than allowed in any window, and all get their turn",
    async (harness) => {
      const { claim, clock, enqueueMany, limit } = harness;
      const random = seededRandom(11);
      const rateLimit = { max: 5, perMs: 1_000 };
      await limit({ rateLimit });
      await enqueueMany(new Array(40).fill({}));
      const starts: number[] = [];
      while (starts.length < 40) {
        const jobs = await claim({ max: 1 + Math.floor(random() * 4), leaseMs: 60_000 });
        starts.push(...jobs.map(({ startedAt }) => startedAt));
        clock.block(1 + Math.floor(random() * 150));
        expect(clock.now()).toBeLessThan(T0 + 12_000);
      }
      for (const [index, start] of starts.entries()) {
        const after = starts[index + rateLimit.max];
        if (after !== undefined) expect(after - start).toBeGreaterThan(rateLimit.perMs);
      }
    },
  );

  contract.test(
    "RLM-04 a long backlog behind a rate is woken for each window, and goes on",
    async (harness) => {
      const { claim, clock, complete, enqueueMany, limit, store } = harness;
      await limit({ concurrency: 50, rateLimit: { max: 100, perMs: 1_000 } });
      for (let sent = 0; sent < BACKLOG; sent += MANY) await enqueueMany(new Array(MANY).fill({}));
      const told: string[] = [];
      store.onChange(({ queues }) => {
        told.push(...(queues ?? []));
      });
      for (let window = 0; window < WINDOWS; window += 1) {
        let started = 0;
        for (let jobs = await claim({ max: 100 }); jobs.length > 0; jobs = await claim({ max: 100 })) {
          started += jobs.length;
          await Promise.all(jobs.map((job) => complete(job)));
        }
        expect(started).toBe(100);
        const before = told.length;
        await clock.advance(1_000 + 1_000 / 50);
        expect(told.slice(before)).toContain("default");
      }
    },
  );

  contract.test("RLM-06 a window outlives every process", async (harness) => {
    const { claim, clock, enqueueMany, limit } = harness;
    await limit({ rateLimit: { max: 3, perMs: 10_000 } });
    await enqueueMany(new Array(9).fill({}));
    expect(await claim({ max: 9 })).toHaveLength(3);
    const other = await harness.another();
    clock.block(9_999);
    expect(await other.claims.claim(claimRequest({ max: 9 }))).toEqual([]);
    clock.block(1 + 10_000 / 50);
    expect(await other.claims.claim(claimRequest({ max: 9 }))).toHaveLength(3);
  });

  contract.test("RLM-06 another rate holds at once, with the starts that were", async (harness) => {
    const { claim, clock, enqueueMany, limit } = harness;
    await limit({ rateLimit: { max: 3, perMs: 600_000 } });
    await enqueueMany(new Array(20).fill({}));
    expect(await claim({ max: 9 })).toHaveLength(3);
    await limit({ rateLimit: { max: 5, perMs: 600_000 } });
    expect(await claim({ max: 9 })).toHaveLength(2);
    // The window is shorter now, and those starts are still in it.
    await limit({ rateLimit: { max: 6, perMs: 1_000 } });
    expect(await claim({ max: 9 })).toHaveLength(1);
    // They count no longer than those of the shorter window.
    clock.block(1_000 + 1_000 / 50);
    expect(await claim({ max: 9 })).toHaveLength(6);
    await limit({ rateLimit: null });
    expect(await claim({ max: 20 })).toHaveLength(8);
  });

  contract.test(
    "RLM-06 a pause leaves the window alone",
    async ({ claim, clock, enqueueMany, limit, store }) => {
      await limit({ rateLimit: { max: 1, perMs: 1_000 } });
      await enqueueMany([{}, { priority: 9 }, {}]);
      expect(await claim({ max: 3 })).toHaveLength(1);
      await store.queues.pause("default", null);
      clock.block(500);
      await store.queues.resume("default");
      expect(await claim({ max: 3 })).toEqual([]);
      clock.block(520);
      expect(await claim({ max: 3 })).toHaveLength(1);
    },
  );

  contract.test("what has expired counts as no start", async ({ claim, clock, enqueue, limit, store }) => {
    await limit({ rateLimit: { max: 1, perMs: 60_000 }, perKey: { rateLimit: { max: 1, perMs: 60_000 } } });
    await enqueue({ rateKey: "a", expiresInMs: 10 });
    await enqueue({ expiresInMs: 10 });
    const { id } = await enqueue({ rateKey: "a" });
    clock.block(10);
    expect((await claim({ max: 9 })).map((job) => job.id)).toEqual([id]);
    expect(await store.expiry.cancelDue(10)).toHaveLength(2);
  });

  contract.test("each rate key has a window of its own", async ({ claim, clock, enqueueMany, limit }) => {
    await limit({ perKey: { rateLimit: { max: 2, perMs: 1_000 } } });
    await enqueueMany(["a", "a", "a", "b", "b", "b", "c"].map((rateKey) => ({ rateKey })));
    await enqueueMany([{ concurrencyKey: "a" }, {}]);
    expect(await claim({ max: 20 })).toHaveLength(7);
    expect(await claim({ max: 20 })).toEqual([]);
    clock.block(1_020);
    expect(await claim({ max: 20 })).toHaveLength(2);
  });

  contract.test(
    "a clock that is set back does not stop a rate",
    async ({ claim, clock, enqueueMany, limit }) => {
      await limit({ rateLimit: { max: 2, perMs: 1_000 } });
      await enqueueMany(new Array(8).fill({ runAt: T0 - 7_200_000 }));
      expect(await claim({ max: 9 })).toHaveLength(2);
      clock.stepWall(-3_600_000);
      expect(await claim({ max: 9 })).toHaveLength(2);
      expect(await claim({ max: 9 })).toEqual([]);
      clock.block(1_020);
      expect(await claim({ max: 9 })).toHaveLength(2);
    },
  );
}

function fairnessContract(contract: Contract): void {
  contract.test("keys take turns, and within a key the order holds", async ({ claim, enqueueMany }) => {
    const [a1, a2, a3, b1, b2] = (
      await enqueueMany([
        { concurrencyKey: "a" },
        { concurrencyKey: "a", priority: 9 },
        { concurrencyKey: "a" },
        { concurrencyKey: "b" },
        { concurrencyKey: "b" },
      ])
    ).map(({ id }) => id);
    const order = [];
    for (let turn = 0; turn < 5; turn += 1) order.push(...(await claim()).map(({ id }) => id));
    expect(order).toEqual([a2, b1, a1, b2, a3]);
    expect(await claim()).toEqual([]);
  });

  contract.test(
    "one tenant's backlog keeps no other tenant waiting",
    async ({ claim, enqueue, enqueueMany }) => {
      for (let batch = 0; batch < 3; batch += 1) {
        await enqueueMany(new Array(MANY).fill({ rateKey: "large" }));
      }
      await enqueueMany(Array.from({ length: 100 }, (_, index) => ({ rateKey: `t${index}` })));
      await claim({ max: 60 });
      const late = await enqueue({ rateKey: "late", priority: 0 });
      const plain = await enqueue({ priority: 0 });
      const next = (await claim({ max: 60 })).map(({ id }) => id);
      expect(next).toContain(late.id);
      expect(next).toContain(plain.id);
      // All that is left is the backlog: it gets the whole room.
      expect(await claim({ max: 60 })).toHaveLength(60);
    },
  );

  contract.test("a claim of some names does not look at keys of others", async ({ claim, enqueueMany }) => {
    const others = Array.from({ length: MANY + 500 }, (_, index) => ({ concurrencyKey: `a${index}` }));
    for (let from = 0; from < others.length; from += 500) await enqueueMany(others.slice(from, from + 500));
    const [mine] = await enqueueMany([{ name: "mine", concurrencyKey: "z" }]);
    expect((await claim({ names: ["mine"], max: 1 })).map(({ id }) => id)).toEqual([mine!.id]);
  });

  contract.test(
    "a job that is replaced has the new keys",
    async ({ claim, enqueueKeyed, enqueue, limit }) => {
      await limit({ perKey: { concurrency: 1 } });
      const unique = { key: "k", onConflict: "replace" } as const;
      await enqueue({ concurrencyKey: "a" });
      const { id } = await enqueueKeyed({ unique, concurrencyKey: "a" });
      expect(await claim({ max: 9 })).toHaveLength(1);
      await enqueueKeyed({ unique });
      expect((await claim({ max: 9 })).map((job) => job.id)).toEqual([id]);
    },
  );

  contract.test("a full queue drops jobs with keys as others", async ({ enqueue, limit, state, clock }) => {
    await limit({ maxLength: 2, onFull: "drop-oldest" });
    const keyed = await enqueue({ concurrencyKey: "a" });
    clock.block(1);
    const plain = await enqueue();
    clock.block(1);
    const next = await enqueue({ rateKey: "b", priority: 9 });
    await enqueue({ rateKey: "b" });
    expect([await state(keyed.id), await state(plain.id), await state(next.id)]).toEqual([
      "cancelled",
      "cancelled",
      "pending",
    ]);
  });

  contract.test("more keys than one claim looks at all get their turn", async (harness) => {
    const { claim, enqueue, enqueueMany, limit } = harness;
    await limit({ perKey: { concurrency: 1 } });
    const tenants = Array.from({ length: MANY }, (_, index) => `t${String(index).padStart(4, "0")}`);
    await enqueueMany(tenants.map((concurrencyKey) => ({ concurrencyKey })));
    expect(await claim({ max: MANY })).toHaveLength(MANY);
    await enqueueMany(tenants.map((concurrencyKey) => ({ concurrencyKey })));
    await enqueue({ concurrencyKey: "z" });
    const found = [...(await claim({ max: 5 })), ...(await claim({ max: 5 }))];
    expect(found).toHaveLength(1);
  });

  contract.test(
    "a job that waits grows older, when the queue says so",
    async ({ claim, clock, enqueue, limit }) => {
      await limit({ ageingMs: 1_000 });
      const low = await enqueue({ priority: 1 });
      const keyed = await enqueue({ priority: 1, concurrencyKey: "a" });
      clock.block(2_999);
      const high = await enqueue({ priority: 4 });
      const highKeyed = await enqueue({ priority: 4, concurrencyKey: "a" });
      const first = [...(await claim()), ...(await claim())].map(({ id }) => id);
      expect(first.toSorted()).toEqual([high.id, highKeyed.id].toSorted());
      await enqueue({ priority: 4 });
      await enqueue({ priority: 4, concurrencyKey: "a" });
      clock.block(1);
      const second = [...(await claim()), ...(await claim())].map(({ id }) => id);
      expect(second.toSorted()).toEqual([low.id, keyed.id].toSorted());
    },
  );
}

function holdContract(contract: Contract): void {
  contract.test("a handler may hold its queue without using an attempt", async (harness) => {
    const { claim, claimOne, clock, enqueueMany, hold, job: jobOf, store } = harness;
    await enqueueMany([{}, {}, { queue: "plain" }]);
    const job = await claimOne();
    const settled = await hold(job, 30_000, "queue");
    expect(settled).toEqual({ ok: true, state: "scheduled", runAt: T0 + 30_000 });
    expect(await hold(job, 30_000, "queue").catch(() => "refused")).toEqual(settled);
    expect(await jobOf(job.id)).toMatchObject({ attempt: 0, state: "scheduled" });
    expect((await store.queues.get("default"))?.heldUntil).toBe(T0 + 30_000);
    expect(await claim({ queues: ["default", "plain"], max: 9 })).toHaveLength(1);
    clock.block(29_999);
    expect(await claim()).toEqual([]);
    clock.block(1);
    expect(await claim()).toHaveLength(1);
    expect((await store.queues.get("default"))?.heldUntil).toBeNull();
  });

  contract.test("a shorter hold does not end a longer one", async ({ claim, clock, enqueueMany, hold }) => {
    await enqueueMany([{}, {}, {}]);
    const [a, b] = await claim({ max: 2 });
    await hold(a!, 5_000, "queue");
    await hold(b!, 100, "queue");
    clock.block(200);
    expect(await claim()).toEqual([]);
  });

  contract.test("a hold of a key holds only that key", async ({ claim, clock, enqueueMany, hold }) => {
    await enqueueMany([
      { rateKey: "a", concurrencyKey: "one" },
      { rateKey: "a", concurrencyKey: "two" },
      { rateKey: "b", concurrencyKey: "one" },
      { concurrencyKey: "one" },
      {},
    ]);
    const [job] = await claim({ names: ["work"], max: 1 });
    // Keys are served in their order: the first has no rate key, so its concurrency key is held, whatever else there is.
    await hold(job!, 5_000, "key");
    expect(await claim({ max: 9 })).toHaveLength(2);
    clock.block(5_000);
    expect(await claim({ max: 9 })).toHaveLength(2);
    await enqueueMany([
      { rateKey: "a", concurrencyKey: "three" },
      { rateKey: "b", concurrencyKey: "three" },
    ]);
    const [again] = await claim({ max: 1 });
    await hold(again!, 5_000, "key");
    await enqueueMany([{ rateKey: "a", concurrencyKey: "four" }]);
    expect(await claim({ max: 9 })).toHaveLength(1);
    clock.block(5_000);
    expect(await claim({ max: 9 })).toHaveLength(1);
  });

  contract.test("a key of one kind is held, and not the same text of the other", async (harness) => {
    const { claim, claimOne, enqueueMany, hold } = harness;
    await enqueueMany([{ concurrencyKey: "acme" }]);
    await hold(await claimOne(), 5_000, "key");
    const [held, free] = await enqueueMany([
      { concurrencyKey: "acme", rateKey: "other" },
      { concurrencyKey: "other", rateKey: "acme" },
    ]);
    expect((await claim({ max: 9 })).map(({ id }) => id)).toEqual([free!.id]);
    expect(await harness.store.queues.heldBack(held!.id)).toMatchObject({ limit: "key_hold", key: "acme" });
  });

  contract.test("whoever resumes a queue ends its holds", async ({ claim, enqueueMany, hold, store }) => {
    await enqueueMany([{ rateKey: "a" }, { rateKey: "a" }, {}, {}]);
    const [keyed, plain] = await claim({ max: 2 });
    await hold(keyed!, 50_000, "key");
    await hold(plain!, 50_000, "queue");
    expect(await claim({ max: 9 })).toEqual([]);
    const { version } = (await store.queues.get("default"))!;
    expect(await store.queues.resume("default")).toMatchObject({ heldUntil: null, version: version + 1 });
    expect(await claim({ max: 9 })).toHaveLength(2);
    expect(await store.queues.resume("default")).toMatchObject({ version: version + 1 });
  });

  contract.test("without a key a hold of it is a snooze", async ({ claim, claimOne, enqueueMany, hold }) => {
    await enqueueMany([{}, {}]);
    await hold(await claimOne(), 5_000, "key");
    expect(await claim({ max: 9 })).toHaveLength(1);
  });
}

function wakeUpContract(contract: Contract): void {
  /** Queues that were named since, as a worker hears of them. A store that cannot tell names none. */
  const listen = ({ store }: Harness) => {
    const heard: string[] = [];
    const stop = store.onChange(({ queues }) => {
      heard.push(...(queues ?? []));
    });
    return { heard, stop };
  };

  contract.test("who waits is woken when a rate lets in the next job", async (harness) => {
    const { claim, clock, enqueueMany, limit } = harness;
    await limit({ rateLimit: { max: 2, perMs: 1_000 } });
    await enqueueMany(new Array(3).fill({}));
    const { heard, stop } = listen(harness);
    await claim({ max: 9 });
    heard.length = 0;
    await clock.advance(1_010);
    expect(heard).toEqual([]);
    await clock.advance(10);
    expect(heard).toEqual(["default"]);
    expect(await claim()).toHaveLength(1);
    stop();
  });

  contract.test("who waits is woken when a hold ends, of the queue and of a key", async (harness) => {
    const { claim, claimOne, clock, enqueueMany, hold } = harness;
    await enqueueMany([{}, {}, { queue: "keyed", rateKey: "k" }, { queue: "keyed", rateKey: "k" }]);
    const { heard, stop } = listen(harness);
    await hold(await claimOne(), 5_000, "queue");
    await hold(await claimOne({ queues: ["keyed"] }), 3_000, "key");
    await claim({ queues: ["default", "keyed"], max: 9 });
    heard.length = 0;
    await clock.advance(2_999);
    expect(heard).toEqual([]);
    await clock.advance(1);
    expect(heard).toEqual(["keyed"]);
    await clock.advance(2_000);
    expect(heard).toEqual(["keyed", "default"]);
    stop();
  });

  contract.test(
    "who waits is woken when a job of a limited queue ends, or its limits change",
    async (harness) => {
      const { claimOne, claim, complete, enqueueMany, limit } = harness;
      await limit({ concurrency: 1 });
      await enqueueMany([{}, {}, { queue: "plain" }]);
      const job = await claimOne();
      const plain = await claimOne({ queues: ["plain"] });
      const { heard, stop } = listen(harness);
      expect(await claim()).toEqual([]);
      await complete(plain);
      expect(heard).toEqual([]);
      await complete(job);
      expect(heard).toEqual(["default"]);
      await limit({ concurrency: 2 });
      expect(heard).toEqual(["default", "default"]);
      stop();
    },
  );
}

function heldBackContract(contract: Contract): void {
  contract.test("the limit that holds a job back has a name", async (harness) => {
    const { claimOne, complete, enqueue, hold, limit, store } = harness;
    await enqueue({ concurrencyKey: "c", rateKey: "r" });
    const job = await claimOne();
    const { id } = await enqueue({ concurrencyKey: "c", rateKey: "r" });
    const heldBack = () => store.queues.heldBack(id);
    expect(await heldBack()).toBeNull();
    await limit({ perKey: { concurrency: 1 } });
    expect(await heldBack()).toEqual({ limit: "key_concurrency", key: "c", max: 1, running: 1 });
    await limit({ concurrency: 1 });
    expect(await heldBack()).toEqual({ limit: "concurrency", key: null, max: 1, running: 1 });
    await complete(job);
    expect(await heldBack()).toBeNull();

    const rateLimit = { max: 1, perMs: 50_000 };
    await limit({ concurrency: null, perKey: { concurrency: null, rateLimit } });
    await enqueue({ rateKey: "r", priority: 9 });
    const next = await claimOne();
    const until = T0 + 51_000;
    expect(await heldBack()).toEqual({ limit: "key_rate", key: "r", ...rateLimit, until });
    await hold(next, 5_000, "key");
    expect(await heldBack()).toEqual({ limit: "key_hold", key: "r", until: T0 + 5_000 });
    await limit({ rateLimit });
    await enqueue({ priority: 9 });
    const plain = await claimOne();
    expect(await heldBack()).toEqual({ limit: "rate", key: null, ...rateLimit, until });
    await hold(plain, 7_000, "queue");
    expect(await heldBack()).toEqual({ limit: "hold", key: null, until: T0 + 7_000 });
    expect(await store.queues.heldBack("999")).toBeNull();
  });
}
