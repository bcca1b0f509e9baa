import { EVERY_JOB } from "../../src/core/job-query/query.js";
import { RECORD_AGES } from "../support/record-ages.js";
import { describe, expect } from "vitest";
import type { Retention } from "../../src/store/maintenance.js";
import { T0 } from "../support/fake-clock.js";
import { allJobs } from "../support/recount.js";
import type { Contract } from "./contract.js";
import { LEASE_MS, type Harness } from "./harness.js";

const KEEP_ALL: Retention = { completedMs: null, cancelledMs: null, deadMs: null, maxCompleted: null };

async function completeMany(harness: Harness, jobs: number): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < jobs; n += 1) {
    const job = await harness.running();
    await harness.complete(job);
    ids.push(job.id);
  }
  return ids;
}

export function pruneContract(contract: Contract): void {
  describe("prune", () => {
    contract.test("each finished state has its age; the boundary itself is kept", async (harness) => {
      const completed = await harness.running();
      await harness.complete(completed);
      const dead = await harness.running();
      await harness.fail(dead, "never");
      const cancelled = await harness.enqueue();
      await harness.store.jobs.cancel(cancelled.id);
      const waiting = await harness.enqueue({ delayMs: 1 });
      const retention = { ...KEEP_ALL, completedMs: 100, cancelledMs: 200, deadMs: 300 };
      const left: number[] = [];
      for (const passed of [100, 1, 99, 1, 99, 1]) {
        harness.clock.block(passed);
        await harness.store.maintenance.prune(retention, 10);
        left.push((await allJobs(harness.store)).length);
      }
      expect(left).toEqual([4, 3, 3, 2, 2, 1]);
      expect(await harness.state(waiting.id)).toBe("scheduled");
      harness.clock.block(1e9);
      expect(await harness.store.maintenance.prune(retention, 10)).toBe(0);
    });

    contract.test("no limit keeps everything", async (harness) => {
      await completeMany(harness, 3);
      harness.clock.block(1e12);
      expect(await harness.store.maintenance.prune(KEEP_ALL, 10)).toBe(0);
      expect(await allJobs(harness.store)).toHaveLength(3);
    });

    contract.test(
      "GRW-06 removes no more than asked at once, oldest first, and catches up",
      async (harness) => {
        const ids: string[] = [];
        for (let n = 0; n < 7; n += 1) {
          ids.push(...(await completeMany(harness, 1)));
          harness.clock.block(1);
        }
        harness.clock.block(1_000);
        const retention = { ...KEEP_ALL, completedMs: 100 };
        const left = async () => (await allJobs(harness.store)).map(({ id }) => id).toReversed();
        expect(await harness.store.maintenance.prune(retention, 3)).toBe(3);
        expect(await left()).toEqual(ids.slice(3));
        expect(await harness.store.maintenance.prune(retention, 3)).toBe(3);
        expect(await harness.store.maintenance.prune(retention, 3)).toBe(1);
        expect(await harness.store.maintenance.prune(retention, 3)).toBe(0);
      },
    );

    contract.test("GRW-07 keeps exactly the newest, whatever gaps the ids have", async (harness) => {
      const ids = await completeMany(harness, 30);
      for (const id of ids.filter((_, index) => index % 2 === 1)) await harness.store.jobs.delete(id, false);
      const kept = ids.filter((_, index) => index % 2 === 0);
      await harness.store.maintenance.prune({ ...KEEP_ALL, maxCompleted: 10 }, 100);
      const completed = await allJobs(harness.store, { state: "completed" });
      expect(completed.map(({ id }) => id).toReversed()).toEqual(kept.slice(-10));
      await harness.store.maintenance.prune({ ...KEEP_ALL, maxCompleted: 0 }, 100);
      expect(await allJobs(harness.store)).toEqual([]);
    });

    contract.test("GRW-07 also when several processes remove the surplus at once", async (harness) => {
      const stores = [harness.store, await harness.another(), await harness.another()];
      let kept: string[] = [];
      for (let round = 0; round < 10; round += 1) {
        kept = [...kept, ...(await completeMany(harness, 8))].slice(-10);
        const retention = { ...KEEP_ALL, maxCompleted: 10 };
        await Promise.all([...stores, ...stores].map((store) => store.maintenance.prune(retention, 100)));
        const completed = await allJobs(harness.store, { state: "completed" });
        expect(completed.map(({ id }) => id).toReversed()).toEqual(kept);
      }
    });

    contract.test("GRW-07 the count concerns completed jobs alone", async (harness) => {
      await completeMany(harness, 3);
      await harness.fail(await harness.running(), "never");
      await harness.store.jobs.cancel((await harness.enqueue()).id);
      await harness.running();
      await harness.store.maintenance.prune({ ...KEEP_ALL, maxCompleted: 0 }, 100);
      expect((await harness.store.queues.get("default"))?.counts).toMatchObject({
        completed: 0,
        dead: 1,
        cancelled: 1,
        running: 1,
      });
    });

    contract.test(
      "GRW-07 jobs that are inserted and finished meanwhile are never removed",
      async (harness) => {
        const old = await completeMany(harness, 50);
        harness.clock.block(1_000);
        const retention = { ...KEEP_ALL, completedMs: 500 };
        const [, , fresh] = await Promise.all([
          harness.store.maintenance.prune(retention, 30),
          harness.store.maintenance.prune(retention, 30),
          completeMany(harness, 10),
        ]);
        await harness.store.maintenance.prune(retention, 100);
        const left = new Set((await allJobs(harness.store)).map(({ id }) => id));
        expect(left).toEqual(new Set(fresh));
        expect(old.some((id) => left.has(id))).toBe(false);
      },
    );

    contract.test("GRW-04 nothing of a removed job is left, however it ended", async (harness) => {
      const rich = { tags: ["t"], maxAttempts: 1 };
      const completed = await harness.running({ ...rich, idempotencyKey: "1" });
      await harness.store.claims.log(completed, [{ level: "info", message: "line" }]);
      await harness.store.claims.progress(completed, 1, null);
      await harness.store.steps.store(completed, "step", "1");
      await harness.complete(completed, 1);
      const lost = await harness.running({ ...rich, idempotencyKey: "2" });
      harness.clock.block(LEASE_MS);
      await harness.reap();
      harness.clock.block(1);
      const retention = { ...KEEP_ALL, completedMs: 0, deadMs: 0 };
      expect(await harness.store.maintenance.prune(retention, 10)).toBe(2);
      for (const { id } of [completed, lost]) {
        expect(await harness.store.jobs.detail(id)).toBeNull();
        expect(await harness.store.jobs.attempts(id)).toEqual([]);
        expect(await harness.store.jobs.logs(id, 0, 10)).toEqual([]);
        expect(await harness.store.steps.list(id)).toEqual([]);
        expect(await harness.store.jobs.result(id)).toBeNull();
      }
      expect(await allJobs(harness.store, { tag: "t" })).toEqual([]);
      for (const idempotencyKey of ["1", "2"]) {
        expect((await harness.enqueueKeyed({ ...rich, idempotencyKey })).deduplicated).toBe(false);
      }
    });

    contract.test("sessions, bulk operations and the audit log have ages of their own", async (harness) => {
      const { audit, maintenance, operations, tokens } = harness.store;
      const digest = Buffer.alloc(32, 1);
      await tokens.openSession(digest, { tokenId: "root", tokenDigest: digest });
      const entry = {
        tokenId: "root",
        tokenName: "root",
        session: false,
        ip: "",
        requestId: "",
        action: "a",
      };
      await audit.begin({ ...entry, target: null, detail: null, status: null });
      const { operation } = await operations.start({
        action: "cancel",
        query: EVERY_JOB,
        queueGlobs: null,
        perSecond: 1,
        reason: null,
        matched: 0,
        createdBy: "root",
        preview: digest,
        untilId: "0",
      });
      harness.clock.block(1_000);
      const left = async () => [
        (await tokens.session(digest)) !== null,
        (await audit.list(10, null)).length > 0,
        (await operations.get(operation.id)) !== null,
      ];
      const ages = { sessions: 1_000, audit: 1_000, operations: 1_000 };
      await maintenance.pruneRecords({ ...RECORD_AGES, ...ages });
      expect(await left()).toEqual([true, true, true]);
      harness.clock.block(1);
      await maintenance.pruneRecords({ ...RECORD_AGES, sessions: 1_000 });
      expect(await left()).toEqual([false, true, true]);
      await maintenance.pruneRecords({ ...RECORD_AGES, ...ages });
      // The operation still runs.
      expect(await left()).toEqual([false, false, true]);
      await operations.cancel(operation.id);
      harness.clock.block(1_001);
      await maintenance.pruneRecords({ ...RECORD_AGES, ...ages });
      expect(await left()).toEqual([false, false, false]);
    });

    contract.test("roll-ups have an age of their own", async (harness) => {
      await harness.enqueue();
      harness.clock.block(600_000);
      await harness.enqueue();
      const minutes = () =>
        harness.store.stats.series({ from: T0, to: T0 + 3_600_000, step: "minute" }, "lanes");
      await harness.store.maintenance.pruneRecords({
        ...RECORD_AGES,
        minutes: 600_000,
        hours: 3_600_000,
        workers: 1,
      });
      expect(await minutes()).toHaveLength(2);
      harness.clock.block(60_000);
      await harness.store.maintenance.pruneRecords({
        ...RECORD_AGES,
        minutes: 600_000,
        hours: 3_600_000,
        workers: 1,
      });
      expect(await minutes()).toHaveLength(1);
    });
  });
}
