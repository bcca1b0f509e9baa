import { describe, expect } from "vitest";
import type { ClaimedJob } from "../../src/core/job.js";
import type { Contract } from "./contract.js";
import { LEASE_MS } from "./harness.js";

const NAME = { workerId: "worker-a", claimId: "claim-1", queues: ["default"], names: null } as const;

const tokens = (jobs: readonly ClaimedJob[]): (readonly [string, number])[] =>
  jobs.map(({ id, token }) => [id, token]);

/** Claims that their workers gave a name. */
export function claimIdsContract(contract: Contract): void {
  describe("claim under a name", () => {
    contract.test("WRK-01 asking again hands out the same jobs with the same tokens", async (harness) => {
      await harness.enqueueMany([{}, {}, {}, {}]);
      const first = await harness.claim({ ...NAME, max: 2 });
      harness.clock.block(100);
      const again = await harness.claim({ ...NAME, max: 2 });
      expect(again).toEqual(first);
      expect(again.map(({ attempt }) => attempt)).toEqual([1, 1]);
      expect((await harness.store.queues.get("default"))?.counts).toMatchObject({ running: 2, pending: 2 });
    });

    contract.test("the answer is the same through another connection", async (harness) => {
      await harness.enqueueMany([{}, {}]);
      const first = await harness.claim(NAME);
      const other = await harness.another();
      const request = { ...NAME, max: 1, leaseMs: LEASE_MS };
      expect(await other.claims.claimAs(request)).toEqual(first);
      await other.close();
    });

    contract.test("the name belongs to its worker", async (harness) => {
      await harness.enqueueMany([{}, {}]);
      const [first] = await harness.claim(NAME);
      const [second] = await harness.claim({ ...NAME, workerId: "worker-b" });
      expect([first?.id, second?.id]).toEqual(["1", "2"]);
    });

    contract.test("the name belongs to who asks, also when its jobs are given back", async (harness) => {
      const claimants: { claimant?: string }[] = [{}, { claimant: "one" }, { claimant: "two" }];
      await harness.enqueueMany([{}, {}, {}]);
      const claims: (readonly ClaimedJob[])[] = [];
      for (const claimant of claimants) claims.push(await harness.claim({ ...NAME, ...claimant }));
      expect(claims.map((jobs) => jobs.map(({ id }) => id))).toEqual([["1"], ["2"], ["3"]]);
      for (const [index, claimant] of claimants.entries()) {
        expect(await harness.claim({ ...NAME, ...claimant })).toEqual(claims[index]);
      }
      const [, ofOne] = claims;
      expect(await harness.store.claims.giveBack({ ...NAME, claimant: "two" }, ofOne!)).toEqual([]);
      expect(await harness.store.claims.giveBack({ ...NAME, claimant: "one" }, ofOne!)).toEqual([]);
      expect(await harness.store.claims.giveBack({ ...NAME, claimant: "one" }, ofOne!)).toMatchObject([
        { ok: true, state: "pending" },
      ]);
    });

    contract.test("the name belongs to the queues and names that were asked for", async (harness) => {
      const kinds = [
        { queues: ["a"], names: null },
        { queues: ["b"], names: null },
        { queues: ["a", "b"], names: null },
        { queues: ["a"], names: ["work"] },
        { queues: ["a"], names: ["work", "other"] },
      ];
      await harness.enqueueMany([{ queue: "b" }, ...new Array<object>(4).fill({ queue: "a" })]);
      const claims: (readonly ClaimedJob[])[] = [];
      for (const kind of kinds) claims.push(await harness.claim({ ...NAME, ...kind }));
      // Each is a claim of its own: it gets jobs that no other has, and later the same ones.
      expect(claims.map((jobs) => jobs.length)).toEqual([1, 1, 1, 1, 1]);
      expect(new Set(claims.flat().map(({ id }) => id)).size).toBe(5);
      expect(claims[0]![0]!.queue).toBe("a");
      expect(claims[1]![0]!.queue).toBe("b");
      for (const [index, kind] of kinds.entries()) {
        expect(await harness.claim({ ...NAME, ...kind })).toEqual(claims[index]);
      }
      expect(await harness.claim({ ...NAME, queues: ["c"] })).toEqual([]);
      expect(await harness.store.claims.giveBack({ ...NAME, queues: ["c"] }, claims[0]!)).toEqual([]);
    });

    contract.test("in another order they are the same queues and names", async (harness) => {
      await harness.enqueueMany([{ queue: "a" }, { queue: "b" }]);
      const first = await harness.claim({ ...NAME, queues: ["a", "b"], names: ["work", "other"] });
      expect(first).toHaveLength(1);
      expect(await harness.claim({ ...NAME, queues: ["b", "a"], names: ["other", "work"] })).toEqual(first);
    });

    contract.test("two that ask at once get the same jobs", async (harness) => {
      await harness.enqueueMany(new Array(10).fill({}));
      const [first, second] = await Promise.all([
        harness.claim({ ...NAME, max: 3 }),
        harness.claim({ ...NAME, max: 3 }),
      ]);
      expect(first).toHaveLength(3);
      expect(tokens(second)).toEqual(tokens(first));
    });

    contract.test("jobs that are no longer held are left out", async (harness) => {
      await harness.enqueueMany([{}, {}, {}]);
      const [done, cancelled, held] = await harness.claim({ ...NAME, max: 3 });
      await harness.complete(done!);
      await harness.store.jobs.cancel(cancelled!.id);
      expect(await harness.claim({ ...NAME, max: 3 })).toEqual([held]);
    });

    contract.test("leases are as they are: not extended, and shown when they were", async (harness) => {
      await harness.enqueue();
      const [job] = await harness.claim(NAME);
      harness.clock.block(LEASE_MS / 2);
      expect(await harness.claim(NAME)).toEqual([job]);
      await harness.store.claims.extend([job!], LEASE_MS);
      expect(await harness.claim(NAME)).toEqual([
        { ...job, leaseExpiresAt: job!.leaseExpiresAt + LEASE_MS / 2 },
      ]);
    });

    contract.test("a name whose jobs have all ended gets no others", async (harness) => {
      await harness.enqueueMany(new Array(5).fill({}));
      const request = { ...NAME, max: 2, leaseMs: LEASE_MS };
      const [first, second] = await harness.claim(request);
      await harness.complete(first!);
      await harness.store.jobs.cancel(second!.id);
      // Asked for before its answer was lost, and come late: nobody would ever work on what it got.
      expect(await harness.store.claims.claimAs(request)).toBeNull();
      expect((await harness.store.queues.get("default"))?.counts).toMatchObject({ running: 0, pending: 3 });
      expect(await harness.claim({ ...request, claimId: "another" })).toHaveLength(2);
    });

    contract.test("a name is free again after the lease that it asked for", async (harness) => {
      await harness.enqueueMany([{}, {}]);
      const request = { ...NAME, max: 1, leaseMs: LEASE_MS };
      const [first] = await harness.claim(request);
      await harness.complete(first!);
      harness.clock.block(LEASE_MS - 1);
      expect(await harness.store.claims.claimAs(request)).toBeNull();
      harness.clock.block(1);
      const [second] = await harness.claim(request);
      expect([second?.id, second?.attempt]).toEqual(["2", 1]);
      expect(await harness.claim(request)).toEqual([second]);
    });

    contract.test("a name that got nothing is not used up", async (harness) => {
      expect(await harness.store.claims.claimAs({ ...NAME, max: 1, leaseMs: LEASE_MS })).toEqual([]);
      await harness.enqueue();
      expect(await harness.claim(NAME)).toHaveLength(1);
    });

    contract.test("a job that was lost and taken again is not the old claim's", async (harness) => {
      await harness.enqueue();
      await harness.claim(NAME);
      harness.clock.block(LEASE_MS);
      expect(await harness.claim(NAME)).toEqual([]);
      await harness.reap();
      harness.clock.block(60_000);
      await harness.store.claims.promote(10);
      await harness.claimOne({ workerId: "worker-b", leaseMs: 600_000 });
      expect(await harness.claim(NAME)).toEqual([]);
    });

    contract.test("a paused queue does not hide what was handed out", async (harness) => {
      await harness.enqueue();
      const first = await harness.claim(NAME);
      await harness.store.queues.pause("default", null);
      expect(await harness.claim(NAME)).toEqual(first);
    });

    contract.test("names that have expired do not pile up", async (harness) => {
      await harness.enqueueMany(new Array(40).fill({}));
      for (let index = 0; index < 40; index += 1) {
        const [job] = await harness.claim({ ...NAME, claimId: `claim-${index}` });
        await harness.complete(job!);
        harness.clock.block(LEASE_MS + 1);
      }
      // The name of a claim that is long over stands for a new one.
      const { id } = await harness.enqueue();
      expect((await harness.claim({ ...NAME, claimId: "claim-0" })).map((job) => job.id)).toEqual([id]);
    });
  });

  describe("give back", () => {
    contract.test("releases jobs of which nobody heard, and the attempt is given back", async (harness) => {
      const { id } = await harness.enqueue();
      const first = await harness.claim(NAME);
      expect(await harness.store.claims.giveBack(NAME, first)).toMatchObject([
        { ok: true, state: "pending" },
      ]);
      expect(await harness.job(id)).toMatchObject({ state: "pending", attempt: 0 });
      const again = await harness.claim(NAME);
      expect(again).toMatchObject([{ id, attempt: 1 }]);
      expect(again[0]!.token).toBeGreaterThan(first[0]!.token);
    });

    contract.test("takes nothing away from another answer, whichever is given back", async (harness) => {
      const { id } = await harness.enqueue();
      const first = await harness.claim(NAME);
      const second = await harness.claim(NAME);
      expect(await harness.store.claims.giveBack(NAME, first)).toEqual([]);
      expect(await harness.claim(NAME)).toEqual(second);
      expect(await harness.store.claims.giveBack(NAME, second)).toEqual([]);
      expect(await harness.state(id)).toBe("running");
      expect(await harness.store.claims.giveBack(NAME, second)).toMatchObject([{ ok: true }]);
      expect(await harness.state(id)).toBe("pending");
    });

    contract.test("at the same time as asking again leaves the new answer its jobs", async (harness) => {
      const { id } = await harness.enqueue();
      const { claims } = harness.store;
      let jobs = await harness.claim(NAME);
      for (const backFirst of [true, false, true, false]) {
        const giveBack = () => claims.giveBack(NAME, jobs);
        const ask = () => harness.claim(NAME);
        const both = await Promise.all(backFirst ? [giveBack(), ask()] : [ask(), giveBack()]);
        jobs = both[backFirst ? 1 : 0] as readonly ClaimedJob[];
        expect(jobs).toMatchObject([{ id, attempt: 1 }]);
        expect(await claims.current(jobs[0]!)).toEqual(jobs[0]);
      }
    });

    contract.test("of an older claim does not touch a later one under its name", async (harness) => {
      await harness.enqueueMany([{}, {}]);
      const first = await harness.claim(NAME);
      await harness.complete(first[0]!);
      harness.clock.block(LEASE_MS);
      const second = await harness.claim(NAME);
      expect(await harness.store.claims.giveBack(NAME, first)).toEqual([]);
      expect(await harness.claim(NAME)).toEqual(second);
    });

    contract.test(
      "after the lease that was asked for takes nothing from who extended it",
      async (harness) => {
        const { id } = await harness.enqueue();
        const first = await harness.claim(NAME);
        await harness.store.claims.extend(first, 600_000);
        harness.clock.block(LEASE_MS + 1);
        // Names that have expired are removed by later claims.
        await harness.enqueue({ queue: "other" });
        await harness.claim({ ...NAME, claimId: "claim-2", queues: ["other"] });
        expect(await harness.store.claims.giveBack(NAME, first)).toEqual([]);
        expect(await harness.state(id)).toBe("running");
      },
    );
  });
}
