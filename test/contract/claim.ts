import { describe, expect } from "vitest";
import { MAX_CLAIM, MAX_CLAIM_BYTES, MAX_PAYLOAD_BYTES } from "../../src/core/defaults.js";
import { unhandledNames } from "../../src/engine/unhandled.js";
import type { Store } from "../../src/store/store.js";
import { T0 } from "../support/fake-clock.js";
import { allJobs } from "../support/recount.js";
import { seededRandom } from "../support/seeded-random.js";
import type { Contract } from "./contract.js";
import { BOOM, claimRequest, faultsOf, LEASE_MS, type Harness } from "./harness.js";

export function claimContract(contract: Contract): void {
  describe("claim", () => {
    contract.test("hands out a running job with its lease, token and attempt", async (harness) => {
      const { id } = await harness.enqueue({ payload: [1] });
      harness.clock.block(250);
      const job = await harness.claimOne({ workerId: "w1", leaseMs: 5_000 });
      expect(job).toEqual({
        id,
        queue: "default",
        name: "work",
        priority: 4,
        attempt: 1,
        maxAttempts: 20,
        failures: 0,
        createdAt: T0,
        runAt: T0,
        startedAt: T0 + 250,
        token: job.token,
        leaseExpiresAt: T0 + 5_250,
        payload: "[1]",
        timeoutMs: null,
        backoff: null,
        schedule: null,
        flow: null,
        traceparent: null,
        tracestate: null,
      });
      expect(await harness.job(id)).toMatchObject({
        state: "running",
        attempt: 1,
        workerId: "w1",
        token: job.token,
        startedAt: T0 + 250,
        leaseExpiresAt: T0 + 5_250,
        finishedAt: null,
      });
      expect(await harness.store.claims.current(job)).toEqual(job);
      expect(await harness.store.jobs.attempts(id)).toEqual([
        {
          number: 1,
          token: job.token,
          workerId: "w1",
          startedAt: T0 + 250,
          finishedAt: null,
          outcome: "running",
          error: null,
          retryDelayMs: null,
        },
      ]);
    });

    contract.test("CLM-01 takes as many jobs as it asks for and no more", async (harness) => {
      const jobs = await harness.enqueueMany(new Array(5).fill({}));
      const ids = jobs.map(({ id }) => id);
      expect((await harness.claim({ max: 1 })).map(({ id }) => id)).toEqual(ids.slice(0, 1));
      expect((await harness.store.queues.get("default"))?.counts).toMatchObject({ running: 1, pending: 4 });
      expect((await harness.claim({ max: 3 })).map(({ id }) => id)).toEqual(ids.slice(1, 4));
      expect((await harness.claim({ max: 3 })).map(({ id }) => id)).toEqual(ids.slice(4));
      expect(await harness.claim({ max: 3 })).toEqual([]);
    });

    contract.test(
      "CLM-01 LSE-16 nonsense is refused with the field's name and takes nothing",
      async (harness) => {
        await harness.enqueueMany([{}, {}]);
        expect(await harness.store.claims.claim(claimRequest({ max: 0 }))).toEqual([]);
        for (const max of [0, -1, 1.5, Number.NaN, Infinity, MAX_CLAIM + 1, "2" as unknown as number]) {
          expect(await faultsOf(harness.claim({ max }))).toEqual(["/max out_of_range"]);
        }
        for (const leaseMs of [0, -1, Number.NaN, Infinity, "10" as unknown as number, 1e12, 99, 100.5]) {
          expect(await faultsOf(harness.claim({ leaseMs }))).toEqual(["/leaseMs out_of_range"]);
        }
        const faulty = harness.claim({
          workerId: "",
          queues: ["ok", "*"],
          names: ["a b"],
          max: 0,
          leaseMs: 1,
        });
        expect(await faultsOf(faulty)).toEqual([
          "/workerId invalid_key",
          "/queues/1 invalid_name",
          "/names/0 invalid_name",
          "/max out_of_range",
          "/leaseMs out_of_range",
        ]);
        expect(await faultsOf(harness.claim({ queues: [] }))).toEqual(["/queues required"]);
        expect((await harness.store.queues.get("default"))?.counts.pending).toBe(2);
      },
    );

    contract.test("CLM-12 a job that is due exactly now can be claimed", async (harness) => {
      await harness.enqueue();
      expect(await harness.claim()).toHaveLength(1);

      await harness.enqueue({ runAt: T0 + 5 });
      harness.clock.block(4);
      expect(await harness.store.claims.promote(10)).toBe(0);
      expect(await harness.claim()).toEqual([]);
      harness.clock.block(1);
      expect(await harness.store.claims.promote(10)).toBe(1);
      expect(await harness.claim()).toHaveLength(1);
    });

    contract.test(
      "takes the highest priority first, then the oldest runAt, then the first inserted",
      async (harness) => {
        const order = [
          { priority: 9, runAt: T0 },
          { priority: 5, runAt: T0 - 2 },
          { priority: 5, runAt: T0 - 1 },
          { priority: 5, runAt: T0 - 1 },
          { priority: 0, runAt: T0 - 100 },
        ];
        // Inserted in another order, except for the two that tie.
        const [e, c, d, a, b] = await harness.enqueueMany([4, 2, 3, 0, 1].map((index) => order[index]!));
        const claimed = await harness.claim({ max: 5 });
        expect(claimed.map(({ id }) => id)).toEqual([a, b, c, d, e].map((job) => job!.id));
      },
    );

    contract.test("the order holds over several names, claim by claim", async (harness) => {
      const random = seededRandom(7);
      const jobs = await harness.enqueueMany(
        Array.from({ length: 200 }, () => ({
          name: `name-${Math.floor(random() * 5)}`,
          priority: Math.floor(random() * 10),
          runAt: T0 - Math.floor(random() * 10),
        })),
      );
      const expected = jobs.toSorted(
        (a, b) => b.priority - a.priority || a.runAt - b.runAt || Number(a.id) - Number(b.id),
      );
      const some = ["name-1", "name-3", "unknown"];
      const ofSome = expected.filter(({ name }) => some.includes(name));
      const first = await harness.claim({ names: some, max: 20 });
      expect(first.map(({ id }) => id)).toEqual(ofSome.slice(0, 20).map(({ id }) => id));
      const taken = new Set(first.map(({ id }) => id));
      const rest = await harness.claim({ max: 200 });
      expect(rest.map(({ id }) => id)).toEqual(expected.map(({ id }) => id).filter((id) => !taken.has(id)));
    });

    contract.test("the order holds over more names than any store merges at once", async (harness) => {
      const jobs = await harness.enqueueMany(
        Array.from({ length: 300 }, (_, index) => ({
          name: `name-${(index * 7) % 150}`,
          priority: index % 3,
        })),
      );
      const expected = jobs.toSorted((a, b) => b.priority - a.priority || Number(a.id) - Number(b.id));
      const claimed = [...(await harness.claim({ max: 10 })), ...(await harness.claim({ max: 290 }))];
      expect(claimed.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
    });

    contract.test(
      "ORD-06 asks a later queue only for what the earlier ones could not give",
      async (harness) => {
        await harness.enqueueMany([
          { queue: "a", priority: 9 },
          { queue: "a", priority: 9 },
          { queue: "b", priority: 0 },
          { queue: "c", priority: 9 },
        ]);
        const queuesOf = async (queues: string[], max: number) =>
          (await harness.claim({ queues, max })).map(({ queue }) => queue);
        expect(await queuesOf(["b", "a", "c"], 2)).toEqual(["b", "a"]);
        expect(await queuesOf(["b", "c", "a"], 10)).toEqual(["c", "a"]);
      },
    );

    contract.test(
      "RTY-12 a job of another name is not taken, stays pending and is reported",
      async (harness) => {
        await harness.enqueueMany([...new Array<object>(300).fill({ name: "nope" }), { name: "yes" }]);
        const claimed = await harness.claim({ names: ["yes"], max: 10 });
        expect(claimed.map(({ name }) => name)).toEqual(["yes"]);
        expect(await harness.claim({ names: ["yes"], max: 10 })).toEqual([]);
        expect(await harness.claim({ names: [], max: 10 })).toEqual([]);
        expect(await harness.store.queues.pendingNames()).toEqual([
          { queue: "default", name: "nope", pending: 300 },
        ]);
        await harness.store.workers.seen({
          id: "w",
          claimant: null,
          host: "h",
          pid: 1,
          queues: ["default"],
          names: ["yes"],
          concurrency: 1,
          running: 0,
          state: "active",
        });
        expect(await unhandledNames(harness.store)).toEqual([
          { queue: "default", name: "nope", pending: 300 },
        ]);
      },
    );

    contract.test("a name is handled where any worker serves it together with its queue", async (harness) => {
      const lanes = ["a x", "a y", "b x", "b y", "c x"];
      for (const lane of lanes) {
        const [queue = "", name = ""] = lane.split(" ");
        await harness.enqueue({ queue, name });
      }
      const unhandled = async () =>
        (await unhandledNames(harness.store)).map(({ queue, name }) => `${queue} ${name}`).sort();
      const seen = (id: string, queues: string[], names: string[] | null) =>
        harness.store.workers.seen({
          ...{ id, queues, names, claimant: null, host: "h", pid: 1, concurrency: 1, running: 0 },
          state: "active",
        });
      expect(await unhandled()).toEqual(lanes);
      await seen("w1", ["a"], ["x"]);
      await seen("w2", ["b", "a"], ["y", "z"]);
      expect(await unhandled()).toEqual(["b x", "c x"]);
      await seen("w3", ["c"], null);
      expect(await unhandled()).toEqual(["b x"]);
    });

    contract.test("refuses more queues times names than can be looked at", async (harness) => {
      const texts = (count: number): string[] => Array.from({ length: count }, (_, index) => `n${index}`);
      expect(await faultsOf(harness.claim({ queues: texts(100), names: texts(101) }))).toEqual([
        "/names out_of_range",
      ]);
      expect(await harness.claim({ queues: texts(100), names: texts(100) })).toEqual([]);
      expect(await harness.claim({ queues: texts(1_000), names: null })).toEqual([]);
    });

    contract.test(
      "RTY-09 a job without attempts left is buried by the claim and holds nobody up",
      async (harness) => {
        const used = await harness.running({ maxAttempts: 1, priority: 9 });
        const next = await harness.enqueue();
        // As a restored backup or a lowered limit would leave it: pending, with its attempts used up.
        const failure = { outcome: "failed", error: BOOM } as const;
        await harness.store.claims.settle([
          { verb: "retry", id: used.id, token: used.token, delayMs: 0, failure },
        ]);
        expect(await harness.job(used.id)).toMatchObject({ state: "pending", attempt: 1, maxAttempts: 1 });
        const claimed = [...(await harness.claim()), ...(await harness.claim()), ...(await harness.claim())];
        expect(claimed.map(({ id }) => id)).toEqual([next.id]);
        expect(await harness.job(used.id)).toMatchObject({ state: "dead", attempt: 1, finishedAt: T0 });
        const [stat] = await harness.store.stats.series({ from: T0, to: T0 + 1, step: "minute" }, "lanes");
        expect(stat?.events).toMatchObject({ dead: 1, started: 2 });
      },
    );

    contract.test(
      "hands out no more payloads than a server can hold, and leaves the rest",
      async (harness) => {
        const large = "x".repeat(MAX_PAYLOAD_BYTES - 2);
        const fit = MAX_CLAIM_BYTES / MAX_PAYLOAD_BYTES;
        await harness.enqueueMany(new Array(60).fill({}));
        await harness.enqueueMany(
          Array.from({ length: fit + 20 }, (_, index) => ({ name: `work-${index % 3}`, payload: large })),
        );
        await harness.enqueueMany(new Array(5).fill({ queue: "small", name: "last" }));
        const queues = ["default", "small"];
        const sizes: number[] = [];
        const ids: string[] = [];
        for (;;) {
          const jobs = await harness.claim({ queues, max: MAX_CLAIM, claimId: `claim-${sizes.length}` });
          if (jobs.length === 0) break;
          const bytes = jobs.reduce((sum, { payload }) => sum + Buffer.byteLength(payload), 0);
          expect(bytes).toBeLessThanOrEqual(MAX_CLAIM_BYTES);
          expect(await harness.claim({ queues, max: MAX_CLAIM, claimId: `claim-${sizes.length}` })).toEqual(
            jobs,
          );
          ids.push(...jobs.map(({ id }) => id));
          sizes.push(jobs.length);
          expect((await harness.store.queues.get("default"))?.counts.running).toBe(
            Math.min(ids.length, 60 + fit + 20),
          );
        }
        // In claim order, none left out, none twice.
        expect(ids).toEqual(Array.from({ length: 85 + fit }, (_, index) => String(index + 1)));
        expect(sizes).toEqual([60 + fit - 1, 26]);
      },
    );

    contract.test("every claim's tokens are larger than those of all claims before", async (harness) => {
      await harness.enqueueMany(new Array(30).fill({ backoff: { type: "fixed", delayMs: 0 } }));
      const other = await harness.another();
      let last = 0;
      for (let round = 0; round < 10; round += 1) {
        const store = round % 2 === 0 ? harness.store : other;
        const jobs = await store.claims.claim(claimRequest({ max: 7 }));
        const tokens = jobs.map(({ token }) => token);
        expect(new Set(tokens).size).toBe(7);
        expect(Math.min(...tokens)).toBeGreaterThan(last);
        last = Math.max(...tokens);
        for (const job of jobs.slice(0, 5)) await harness.fail(job);
      }
    });

    contract.test("counts the attempt at the claim, so that a crash is counted", async (harness) => {
      const { id } = await harness.enqueue({ maxAttempts: 3 });
      for (let attempt = 1; attempt <= 3; attempt += 1) {
        const job = await harness.claimOne();
        expect(job).toMatchObject({ attempt, failures: attempt - 1 });
        expect((await harness.job(id)).attempt).toBe(attempt);
        await harness.fail(job, { delayMs: 0 });
      }
    });
  });

  describe("claims that race", () => {
    /** Eight claimers drain a queue over two connections, with answers that overlap. */
    async function drain(harness: Harness, jobs: number): Promise<string[]> {
      const stores: Store[] = [harness.store, await harness.another()];
      const ids: string[] = [];
      const claimer = async (index: number): Promise<void> => {
        for (;;) {
          const claimed = await stores[index % 2]!.claims.claim(
            claimRequest({ workerId: `w${index}`, max: 1 + (index % 5) }),
          );
          if (claimed.length === 0) return;
          ids.push(...claimed.map(({ id }) => id));
        }
      };
      await harness.enqueueMany(new Array(jobs).fill({}));
      await Promise.all(Array.from({ length: 8 }, (_, index) => claimer(index)));
      return ids;
    }

    contract.test("8 claimers on 400 jobs get each job once", async (harness) => {
      const ids = await drain(harness, 400);
      expect(ids).toHaveLength(400);
      expect(new Set(ids).size).toBe(400);
      const running = await allJobs(harness.store, { state: "running" });
      expect(new Set(running.map(({ token }) => token)).size).toBe(400);
    });

    contract.test(
      "WRK-04 a completed job is never claimable again, a crashed one is once",
      async (harness) => {
        const done = await harness.running();
        const crashed = await harness.running({ maxAttempts: 2, backoff: { type: "fixed", delayMs: 0 } });
        await harness.complete(done);
        harness.clock.block(10 * LEASE_MS);
        expect(await harness.reap()).toBe(1);
        expect(await harness.reap()).toBe(0);
        expect((await harness.claim({ max: 10 })).map(({ id }) => id)).toEqual([crashed.id]);
      },
    );
  });
}
