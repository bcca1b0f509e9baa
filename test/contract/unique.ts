import { describe, expect } from "vitest";
import type { Enqueued } from "../../src/core/job.js";
import type { JobRequest } from "../../src/core/job-request.js";
import { createContext } from "../../src/engine/context.js";
import { enqueue } from "../../src/engine/enqueue.js";
import { extendFlow } from "../../src/engine/flows/make.js";
import type { Unique } from "../../src/core/unique.js";
import type { Contract } from "./contract.js";
import { refusal, type Harness } from "./harness.js";

const KEY: Unique = { key: "order-7" };
const LONG = process.env["KONVEIER_LONG_TESTS"] === "1";
/** Races for each way in which a job can end. */
const RACES = LONG ? 1_000 : 25;

const ask = (harness: Harness, unique: Unique = KEY, request: Partial<JobRequest> = {}) =>
  harness.enqueueKeyed({ unique, ...request });

/** Everything that ends a job. It is the only one that can be claimed. */
const ENDS: Readonly<Record<string, (harness: Harness, job: Enqueued) => Promise<unknown>>> = {
  completed: async (harness) => harness.complete(await harness.claimOne()),
  dead: async (harness) => harness.fail(await harness.claimOne(), "never"),
  "dead of lost leases": async (harness, { id }) => {
    await harness.claimOne();
    harness.clock.stepWall(60_000);
    await harness.reap();
    expect(await harness.state(id)).toBe("dead");
  },
  "cancelled while it waits": ({ store }, { id }) => store.jobs.cancel(id),
  "cancelled while it runs": async (harness, { id }) => {
    await harness.claimOne();
    await harness.store.jobs.cancel(id);
  },
  expired: async (harness) => {
    harness.clock.stepWall(2_000_000);
    await harness.store.expiry.cancelDue(10);
  },
  "expired under a claim": async (harness, { id }) => {
    harness.clock.stepWall(2_000_000);
    // Its key is free before it is cancelled, so another job may be there.
    expect((await harness.claim({ max: 10 })).map((job) => job.id)).not.toContain(id);
  },
  deleted: ({ store }, { id }) => store.jobs.delete(id, false),
  "deleted while it runs": async (harness, { id }) => {
    await harness.claimOne();
    await harness.store.jobs.delete(id, true);
  },
  pruned: async (harness) => {
    await harness.complete(await harness.claimOne());
    harness.clock.stepWall(1_000);
    await harness.store.maintenance.prune(
      { completedMs: 1, cancelledMs: 1, deadMs: 1, maxCompleted: null },
      100,
    );
  },
  dropped: async (harness) => {
    await harness.store.queues.edit("default", { maxLength: 1, onFull: "drop-oldest" });
    const other = await harness.enqueue({ name: "other" });
    await harness.store.queues.edit("default", { maxLength: null });
    await harness.store.jobs.delete(other.id, true);
  },
};

export function uniqueContract(contract: Contract): void {
  describe("unique keys", () => {
    contract.test(
      "a unique key is told with its job, and is apart from the idempotency key",
      async (harness) => {
        const first = await ask(harness, { key: "a", scope: "queue" }, { idempotencyKey: "a" });
        expect(first.deduplicated).toBe(false);
        expect(await harness.job(first.id)).toMatchObject({
          unique: { scope: "queue", key: "a" },
          idempotencyKey: "a",
        });
        expect(await harness.job((await harness.enqueue()).id)).toMatchObject({ unique: null });
      },
    );

    contract.test("the second request with a unique key gets the job that has it", async (harness) => {
      const first = await ask(harness);
      const second = await ask(harness, KEY, { payload: 2 });
      expect(second).toEqual({ ...first, deduplicated: true });
      await harness.claimOne();
      expect(await ask(harness)).toMatchObject({ id: first.id, state: "running", deduplicated: true });
      expect(await harness.store.jobs.payload(first.id)).toBe("null");
    });

    contract.test("a scope says which jobs a unique key keeps away", async (harness) => {
      const ids = new Set<string>();
      for (const scope of ["name", "queue", "all"] as const) {
        for (const request of [{}, { name: "other" }, { queue: "q2" }]) {
          ids.add((await ask(harness, { key: "k", scope }, request)).id);
        }
      }
      // Each of the three; each of the two queues; one.
      expect(ids.size).toBe(3 + 2 + 1);
    });

    contract.test("a request that rejects is refused while another job has its key", async (harness) => {
      const unique: Unique = { ...KEY, onConflict: "reject" };
      const first = await ask(harness, unique);
      expect(await refusal(ask(harness, unique))).toBe("unique_conflict");
      await expect(ask(harness, unique)).rejects.toThrow(first.id);
      await harness.store.jobs.cancel(first.id);
      expect((await ask(harness, unique)).deduplicated).toBe(false);
    });

    contract.test("a refused batch leaves nothing behind", async (harness) => {
      await ask(harness);
      const reject: Unique = { ...KEY, onConflict: "reject" };
      const batch = [
        { name: "work", idempotencyKey: "i", unique: { key: "other" } },
        { name: "work", unique: reject },
      ];
      expect(await refusal(harness.enqueueMany(batch))).toBe("unique_conflict");
      expect((await ask(harness, { key: "other", onConflict: "reject" }, { payload: 5 })).deduplicated).toBe(
        false,
      );
      expect((await harness.enqueueKeyed({ idempotencyKey: "i", payload: 6 })).deduplicated).toBe(false);
    });

    contract.test("a replaced job keeps its id and gets everything else", async (harness) => {
      const replace: Unique = { ...KEY, onConflict: "replace" };
      const first = await ask(harness, replace, { payload: 1, tags: ["a", "b"], idempotencyKey: "i" });
      const second = await ask(harness, replace, {
        payload: "new",
        tags: ["b", "c"],
        priority: 9,
        delayMs: 5_000,
        maxAttempts: 3,
        timeoutMs: 77,
        backoff: { type: "fixed", delayMs: 5 },
        expiresInMs: 60_000,
      });
      expect(second).toMatchObject({ id: first.id, deduplicated: true, state: "scheduled", priority: 9 });
      expect(await harness.job(first.id)).toMatchObject({
        state: "scheduled",
        runAt: harness.clock.now() + 5_000,
        maxAttempts: 3,
        timeoutMs: 77,
        backoff: { type: "fixed", delayMs: 5 },
        tags: ["b", "c"],
        idempotencyKey: "i",
        unique: { scope: "name", key: "order-7" },
        expiresAt: harness.clock.now() + 60_000,
      });
      expect(await harness.store.jobs.payload(first.id)).toBe('"new"');
      const tagged = async (tag: string) => (await harness.store.jobs.list({ tag }, 10, null)).items.length;
      expect(await Promise.all(["a", "b", "c"].map(tagged))).toEqual([0, 1, 1]);
      await ask(harness, replace, { payload: "newest", priority: 2 });
      expect(await harness.claimOne()).toMatchObject({ id: first.id, payload: '"newest"', priority: 2 });
      // It runs: what comes now changes nothing.
      expect(await ask(harness, replace, { payload: "late" })).toMatchObject({
        id: first.id,
        state: "running",
      });
      expect(await harness.store.jobs.payload(first.id)).toBe('"newest"');
    });

    contract.test("a job that has failed gets a fresh budget when it is replaced", async (harness) => {
      const replace: Unique = { ...KEY, onConflict: "replace" };
      const { id } = await ask(harness, replace, { maxAttempts: 2, expiresInMs: 60_000 });
      await harness.fail(await harness.claimOne());
      expect(await ask(harness, replace, { maxAttempts: 2, expiresInMs: 1 })).toMatchObject({
        state: "pending",
      });
      harness.clock.stepWall(10);
      expect(await harness.claimOne()).toMatchObject({ id, attempt: 2, maxAttempts: 3, failures: 0 });
    });

    contract.test("a job that is replaced has not done the steps of what it was", async (harness) => {
      const replace: Unique = { ...KEY, onConflict: "replace" };
      await ask(harness, replace, { payload: { order: 7 } });
      const begun = await harness.claimOne();
      await harness.store.steps.store(begun, "charge", "7");
      await harness.fail(begun, { delayMs: 1_000 });
      await ask(harness, replace, { payload: { order: 8 } });
      const again = await harness.claimOne();
      expect(again).toMatchObject({ id: begun.id, payload: '{"order":8}' });
      expect(await harness.store.steps.find(again, "charge")).toEqual({ found: false });
    });

    contract.test("a job that is part of a flow is not replaced", async (harness) => {
      const replace: Unique = { ...KEY, onConflict: "replace" };
      const { id } = await ask(harness, replace, { payload: 1 });
      const root = await harness.claimOne();
      await extendFlow(harness.engine, root, [{ ref: "child", name: "child" }]);
      await harness.release(root);
      expect(await ask(harness, replace, { payload: 2 })).toMatchObject({ id, deduplicated: true });
      expect(await harness.store.jobs.payload(id)).toBe("1");
    });

    contract.test("rescheduling moves the expiry with the time", async (harness) => {
      const debounce: Unique = { ...KEY, onConflict: "reschedule" };
      const { id } = await ask(harness, debounce, { delayMs: 5_000, expiresInMs: 10_000 });
      for (let round = 0; round < 4; round += 1) {
        harness.clock.stepWall(4_000);
        await harness.store.expiry.cancelDue(10);
        expect(await ask(harness, debounce, { delayMs: 5_000, expiresInMs: 10_000 })).toMatchObject({ id });
      }
      harness.clock.stepWall(5_000);
      await harness.store.claims.promote(10);
      expect(await harness.claimOne()).toMatchObject({ id });
    });

    contract.test(
      "a job that has not started in time has no key, before anybody cancels it",
      async (harness) => {
        const first = await ask(harness, KEY, { expiresInMs: 1_000 });
        harness.clock.stepWall(1_000);
        const second = await ask(harness);
        expect(second.deduplicated).toBe(false);
        await harness.store.expiry.cancelDue(10);
        expect([await harness.state(first.id), await harness.state(second.id)]).toEqual([
          "cancelled",
          "pending",
        ]);
        expect(await ask(harness)).toMatchObject({ id: second.id, deduplicated: true });
      },
    );

    contract.test("rescheduling moves the time and nothing else", async (harness) => {
      const later: Unique = { ...KEY, scope: "queue", onConflict: "reschedule" };
      const first = await ask(harness, later, { payload: 1, delayMs: 1_000, priority: 3 });
      harness.clock.stepWall(900);
      const request = { payload: 2, delayMs: 1_000, priority: 8, name: "other" };
      expect(await ask(harness, later, request)).toMatchObject({
        id: first.id,
        deduplicated: true,
        runAt: harness.clock.now() + 1_000,
        priority: 3,
        name: "work",
      });
      harness.clock.stepWall(900);
      await harness.store.claims.promote(10);
      expect(await harness.claim()).toEqual([]);
      // To now.
      expect(await ask(harness, later)).toMatchObject({ id: first.id, state: "pending" });
      expect(await harness.claimOne()).toMatchObject({ id: first.id, payload: "1" });
    });

    contract.test("a batch counts as one request after another", async (harness) => {
      const [a, b, c, d, e] = await harness.enqueueMany([
        { unique: { key: "x" }, payload: 1 },
        { unique: { key: "x" }, payload: 2 },
        { unique: { key: "y", states: ["running"] } },
        { unique: { key: "y", states: ["running"] } },
        { unique: { key: "x", onConflict: "replace" }, payload: 3, delayMs: 50 },
      ]);
      expect([b?.id, e?.id]).toEqual([a?.id, a?.id]);
      expect(d?.id).not.toBe(c?.id);
      expect(a).toMatchObject({ state: "scheduled", deduplicated: false });
      expect(e).toMatchObject({ deduplicated: true });
      expect(await harness.store.jobs.payload(a?.id ?? "")).toBe("3");
      expect((await ask(harness, { key: "x" })).id).toBe(a?.id);
    });

    contract.test(
      "a request whose idempotency key is known is not asked for its unique key",
      async (harness) => {
        const request = { idempotencyKey: "i", unique: { key: "x", onConflict: "reject" } } as const;
        const first = await harness.enqueueKeyed(request);
        expect(await harness.enqueueKeyed(request)).toMatchObject({ id: first.id, deduplicated: true });
        expect(await refusal(harness.enqueueKeyed({ idempotencyKey: "i" }))).toBe("idempotency_key_reused");
        // Another job's: the idempotency key of the request stays unused.
        expect(await ask(harness, { key: "x" }, { idempotencyKey: "j" })).toMatchObject({ id: first.id });
        expect((await harness.enqueueKeyed({ idempotencyKey: "j", payload: 9 })).deduplicated).toBe(false);
      },
    );

    contract.test(
      "a key is taken no longer than its time, and in the states that it names",
      async (harness) => {
        const throttle: Unique = {
          ...KEY,
          states: ["blocked", "scheduled", "pending", "running", "completed"],
          ttlMs: 1_000,
        };
        const { id } = await ask(harness, throttle);
        await harness.complete(await harness.claimOne());
        expect(await ask(harness, throttle)).toMatchObject({ id, state: "completed", deduplicated: true });
        harness.clock.stepWall(999);
        expect((await ask(harness, throttle)).id).toBe(id);
        harness.clock.stepWall(1);
        expect((await ask(harness, throttle)).id).not.toBe(id);
      },
    );

    contract.test("a job that is revived has its key again, unless another one took it", async (harness) => {
      const first = await ask(harness);
      await harness.store.jobs.cancel(first.id);
      await harness.store.jobs.revive(first.id);
      expect((await ask(harness)).id).toBe(first.id);
      await harness.store.jobs.cancel(first.id);
      const second = await ask(harness);
      await harness.store.jobs.revive(first.id);
      expect((await ask(harness)).id).toBe(second.id);
      await harness.store.jobs.delete(first.id, true);
      expect((await ask(harness)).id).toBe(second.id);
    });

    for (const [way, end] of Object.entries(ENDS)) {
      contract.test(
        `a key is free once its job is ${way}, and only then`,
        async (harness) => {
          const another = createContext(await harness.another(), { clock: harness.clock });
          const unique: Unique = { ...KEY, onConflict: "reject" };
          const request = { unique, maxAttempts: 1, expiresInMs: 1_000_000 };
          for (let race = 0; race < RACES; race += 1) {
            const job = await harness.enqueueKeyed(request);
            expect(await refusal(enqueue(another, { name: "work", ...request }))).toBe("unique_conflict");
            const ending = end(harness, job);
            // At the same time: refused, or made after the end.
            const rival = enqueue(another, { name: "work", ...request }).then(
              ({ id }) => id,
              (error: unknown) => (error as { code: string }).code,
            );
            await ending;
            const raced = await rival;
            if (raced === "unique_conflict") {
              const next = await harness.enqueueKeyed(request);
              expect(next.deduplicated).toBe(false);
              await harness.store.jobs.delete(next.id, true);
            } else {
              expect(Number(raced)).toBeGreaterThan(Number(job.id));
              expect(["completed", "dead", "cancelled", "gone"]).toContain(await harness.state(job.id));
              await harness.store.jobs.delete(raced, true);
            }
            await harness.store.jobs.delete(job.id, true);
          }
          await another.store.close();
        },
        LONG ? 600_000 : 60_000,
      );
    }

    contract.test("of many requests at once one makes the job", async (harness) => {
      const another = createContext(await harness.another(), { clock: harness.clock });
      const all = await Promise.all(
        Array.from({ length: 100 }, (_, index) =>
          index % 2 === 0 ? ask(harness) : enqueue(another, { name: "work", unique: KEY }),
        ),
      );
      expect(new Set(all.map(({ id }) => id)).size).toBe(1);
      expect(all.filter(({ deduplicated }) => !deduplicated)).toHaveLength(1);
      await another.store.close();
    });
  });
}
