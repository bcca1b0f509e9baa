import { randomBytes } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect } from "vitest";
import { eligible } from "../../src/core/bulk-action.js";
import type { Enqueued } from "../../src/core/job.js";
import { parseJobQuery } from "../../src/core/job-query/parse.js";
import { createContext } from "../../src/engine/context.js";
import { enqueueMany } from "../../src/engine/enqueue.js";
import type { FailedSettlement } from "../../src/store/claims.js";
import type { JobChange } from "../../src/store/jobs.js";
import type { Store } from "../../src/store/store.js";
import { T0 } from "../support/fake-clock.js";
import { allJobs } from "../support/recount.js";
import type { Contract } from "./contract.js";
import { BOOM, claimRequest, LEASE_MS, type Harness } from "./harness.js";
import { newJob } from "../support/new-job.js";

const ROUNDS = 15;

/** Two processes on one database. */
async function twoStores(harness: Harness): Promise<[Store, Store]> {
  return [harness.store, await harness.another()];
}

function outcomes(changes: readonly JobChange[]): string[] {
  return changes.map(({ outcome }) => outcome).toSorted();
}

async function bury(harness: Harness, count: number): Promise<string[]> {
  await harness.enqueueMany(new Array(count).fill({ maxAttempts: 1 }));
  const jobs = await harness.claim({ max: count });
  await harness.store.claims.settle(
    jobs.map(({ id, token }) => ({ verb: "bury", id, token, failure: { outcome: "failed", error: BOOM } })),
  );
  return jobs.map(({ id }) => id);
}

/** What only transactions that are open at the same time can break. The books are checked after each. */
export function racesContract(contract: Contract): void {
  describe("two processes at once", () => {
    contract.test("of two that cancel, retry, run now or delete one job, one changes it", async (harness) => {
      const [a, b] = await twoStores(harness);
      for (let round = 0; round < ROUNDS; round += 1) {
        const { id } = await harness.enqueue({ delayMs: 1_000 });
        const both = (change: (store: Store) => Promise<JobChange>) => Promise.all([change(a), change(b)]);
        expect(outcomes(await both(({ jobs }) => jobs.runNow(id)))).toEqual(["changed", "unchanged"]);
        expect(outcomes(await both(({ jobs }) => jobs.cancel(id)))).toEqual(["changed", "unchanged"]);
        expect(outcomes(await both(({ jobs }) => jobs.revive(id)))).toEqual(["changed", "unchanged"]);
        expect(outcomes(await both(({ jobs }) => jobs.delete(id, false)))).toEqual(["changed", "missing"]);
      }
    });

    contract.test("a token that both replace at once has one successor", async (harness) => {
      const stores = await twoStores(harness);
      const rights = {
        name: "a",
        scopes: ["worker"],
        queues: null,
        createdBy: "root",
        expiresAt: null,
      } as const;
      for (let round = 0; round < ROUNDS; round += 1) {
        const id = `token ${round}`;
        await harness.store.tokens.insert({ ...rights, id, digest: randomBytes(32) });
        const made = await Promise.all(
          stores.map(({ tokens }, index) =>
            tokens.replace(id, { id: `${id}, ${index}`, digest: randomBytes(32), createdBy: "root" }, 0),
          ),
        );
        expect(made.filter((token) => token !== null)).toHaveLength(1);
        expect(await harness.store.tokens.list()).toHaveLength(2 * (round + 1));
      }
    });

    contract.test("a job that is cancelled while it ends is one or the other", async (harness) => {
      const [a, b] = await twoStores(harness);
      for (let round = 0; round < ROUNDS; round += 1) {
        const { id, token } = await harness.running();
        const [[settled], cancelled] = await Promise.all([
          a.claims.settle([{ verb: "complete", id, token, result: null, resultProblem: null }]),
          b.jobs.cancel(id),
        ]);
        const state = await harness.state(id);
        if (state === "completed") expect([settled?.ok, cancelled.outcome]).toEqual([true, "refused"]);
        else {
          expect(state).toBe("cancelled");
          expect(settled).toEqual({ ok: false, reason: "cancelled" });
          expect(cancelled.outcome).toBe("changed");
        }
      }
    });

    contract.test("a job that is cancelled while it is claimed is not both", async (harness) => {
      const [a, b] = await twoStores(harness);
      for (let round = 0; round < ROUNDS; round += 1) {
        const { id } = await harness.enqueue();
        const [claimed, cancelled] = await Promise.all([a.claims.claim(claimRequest()), b.jobs.cancel(id)]);
        expect(cancelled.outcome).toBe("changed");
        expect(await harness.state(id)).toBe("cancelled");
        for (const job of claimed) expect(await a.claims.current(job)).toBe("cancelled");
      }
    });

    contract.test("a claim that both end is ended once, and both are told so", async (harness) => {
      const [a, b] = await twoStores(harness);
      for (let round = 0; round < ROUNDS; round += 1) {
        const { id, token } = await harness.running({ maxAttempts: 1 });
        const settlement = { verb: "bury", id, token, failure: { outcome: "failed", error: BOOM } } as const;
        const answers = await Promise.all([a.claims.settle([settlement]), b.claims.settle([settlement])]);
        expect(answers.flat()).toMatchObject([
          { ok: true, state: "dead" },
          { ok: true, state: "dead" },
        ]);
        expect(await harness.store.jobs.attempts(id)).toHaveLength(1);
      }
    });

    contract.test("a lease that is extended while it is reaped is kept or lost", async (harness) => {
      const [a, b] = await twoStores(harness);
      for (let round = 0; round < ROUNDS; round += 1) {
        const { id, token } = await harness.running({ maxAttempts: 1 });
        harness.clock.block(LEASE_MS);
        const lost: FailedSettlement = { verb: "bury", id, token, failure: { outcome: "lost", error: BOOM } };
        const [[reaped], [extended]] = await Promise.all([
          a.claims.reap([lost]),
          b.claims.extend([{ id, token }], LEASE_MS),
        ]);
        expect(reaped?.ok).toBe(!extended?.ok);
        expect(await harness.state(id)).toBe(reaped?.ok === true ? "dead" : "running");
        await harness.store.jobs.delete(id, true);
      }
    });

    contract.test("many due jobs are promoted once each", async (harness) => {
      const stores = await twoStores(harness);
      await harness.enqueueMany(new Array(300).fill({ delayMs: 10 }));
      harness.clock.block(10);
      let promoted = 0;
      while ((await harness.store.claims.nextDue()) !== null) {
        const counts = await Promise.all(stores.map(({ claims }) => claims.promote(20)));
        promoted += counts.reduce((sum, count) => sum + count, 0);
      }
      expect(promoted).toBe(300);
    });

    contract.test("two bulk retries retry each job once, and both go on to the end", async (harness) => {
      const [a, b] = await twoStores(harness);
      const ids = await bury(harness, 120);
      const drain = async ({ jobs }: Store): Promise<number> => {
        let total = 0;
        for (;;) {
          const revived = await jobs.reviveMany({ queue: "default" }, harness.clock.now(), 10);
          total += revived;
          if (revived < 10) break;
        }
        expect((await jobs.list({ state: "dead" }, 1, null)).items).toEqual([]);
        return total;
      };
      const totals = await Promise.all([drain(a), drain(b)]);
      expect(totals[0] + totals[1]).toBe(ids.length);
    });

    contract.test("jobs of one group that die and are retried keep its count", async (harness) => {
      const [a, b] = await twoStores(harness);
      let dead = await bury(harness, 20);
      for (let round = 0; round < ROUNDS; round += 1) {
        const [died] = await Promise.all([
          bury(harness, 10),
          ...dead.map((id, index) => (index % 2 === 0 ? a : b).jobs.delete(id, false)),
        ]);
        dead = died;
        expect(await harness.store.dead.groups({}, null, "count", 10)).toMatchObject([{ count: 10 }]);
      }
    });

    contract.test("jobs that both change in opposite order keep nobody waiting for ever", async (harness) => {
      const [a, b] = await twoStores(harness);
      await harness.enqueueMany(new Array(60).fill({}));
      for (let round = 0; round < ROUNDS; round += 1) {
        const jobs = await harness.claim({ max: 60 });
        expect(jobs).toHaveLength(60);
        const answers = await Promise.all([
          a.claims.extend(jobs, LEASE_MS),
          b.claims.extend(jobs.toReversed(), LEASE_MS),
          a.claims.settle(jobs.map(({ id, token }) => ({ verb: "release", id, token }))),
          b.claims.settle(jobs.toReversed().map(({ id, token }) => ({ verb: "release", id, token }))),
        ]);
        expect(answers[2]).toEqual(answers[3].toReversed());
        expect(answers[2].every(({ ok }) => ok)).toBe(true);
      }
    });

    contract.test(
      "PGS-06 jobs that four complete, cancel, reap and cancel in bulk in opposite orders end once each",
      async (harness) => {
        const [a, b] = await twoStores(harness);
        const [c, d] = [await harness.another(), await harness.another()];
        let total = 0;
        for (let round = 0; round < ROUNDS; round += 1) {
          await harness.enqueueMany(new Array(40).fill({ maxAttempts: 1 }));
          const jobs = await harness.claim({ max: 40 });
          const backwards = jobs.toReversed();
          const query = eligible(
            "cancel",
            parseJobQuery(`queue:default created>=${new Date(T0).toISOString()}`),
          );
          const { operation } = await d.operations.start({
            action: "cancel",
            query,
            queueGlobs: null,
            perSecond: 10_000,
            reason: null,
            matched: 0,
            createdBy: "t",
            preview: randomBytes(32),
            untilId: await d.operations.lastJobId(),
          });
          // The leases are over, and nobody has said so yet: the workers may still end their jobs.
          harness.clock.block(LEASE_MS + 1);
          const [completed, cancelled, reaped, step] = await Promise.all([
            a.claims.settle(
              jobs.map(({ id, token }) => ({
                verb: "complete" as const,
                id,
                token,
                result: null,
                resultProblem: null,
              })),
            ),
            Promise.all(backwards.map(({ id }) => b.jobs.cancel(id))),
            c.claims.reap(
              backwards.map(({ id, token }) => ({
                verb: "bury" as const,
                id,
                token,
                failure: { outcome: "lost" as const, error: BOOM },
              })),
            ),
            d.operations.step(operation.id),
          ]);
          const ended = {
            completed: completed.filter(({ ok }) => ok).length,
            cancelled:
              cancelled.filter(({ outcome }) => outcome === "changed").length + (step?.jobs.length ?? 0),
            dead: reaped.filter(({ ok }) => ok).length,
          };
          expect(ended.completed + ended.cancelled + ended.dead).toBe(jobs.length);
          await d.operations.cancel(operation.id);
          const found = await Promise.all(jobs.map(({ id }) => harness.state(id)));
          for (const state of ["completed", "cancelled", "dead"] as const) {
            expect(
              found.filter((each) => each === state),
              state,
            ).toHaveLength(ended[state]);
          }
          total += jobs.length;
        }
        expect((await harness.store.stats.totals())[0]?.events).toMatchObject({
          enqueued: total,
          started: total,
        });
      },
    );

    contract.test("keys that both use in opposite order make one job each", async (harness) => {
      const [a, b] = await twoStores(harness);
      const engines = [a, b].map((store) => createContext(store, { clock: harness.clock }));
      for (let round = 0; round < ROUNDS; round += 1) {
        const requests = Array.from({ length: 8 }, (_, index) => ({
          name: "work",
          idempotencyKey: `${round}-${index}`,
        }));
        const [first, second] = await Promise.all([
          enqueueMany(engines[0]!, requests),
          enqueueMany(engines[1]!, requests.toReversed()),
        ]);
        expect(second.map(({ id }) => id).toReversed()).toEqual(first.map(({ id }) => id));
        expect([...first, ...second].filter(({ deduplicated }) => !deduplicated)).toHaveLength(8);
      }
    });

    contract.test("a key whose job is deleted gives the old job or a new one", async (harness) => {
      const [a, b] = await twoStores(harness);
      const job = newJob({ tags: ["t"], idempotency: { key: "K", fingerprint: "f" } });
      for (let round = 0; round < ROUNDS; round += 1) {
        const [old] = await a.jobs.insertMany([job]);
        const [[again], deleted]: [readonly Enqueued[], JobChange] = await Promise.all([
          a.jobs.insertMany([job]),
          b.jobs.delete(old!.id, false),
        ]);
        expect(deleted.outcome).toBe("changed");
        expect(again?.deduplicated).toBe(again?.id === old?.id);
        const left = (await allJobs(harness.store)).map(({ id }) => id);
        expect(left).toEqual(again?.deduplicated === true ? [] : [again?.id]);
        for (const id of left) await b.jobs.delete(id, false);
      }
    });

    contract.test("a list of jobs that change their states shows each once", async (harness) => {
      const [a, b] = await twoStores(harness);
      await harness.enqueueMany(new Array(25).fill({ queue: "default" }));
      let working = true;
      const work = async (): Promise<void> => {
        for (let round = 0; round < 3 * ROUNDS; round += 1) {
          for (const job of await a.claims.claim(claimRequest({ max: 5 }))) {
            await a.claims.settle([{ verb: "snooze", id: job.id, token: job.token, delayMs: 1 }]);
          }
          harness.clock.block(1);
          await a.claims.promote(10);
        }
        working = false;
      };
      const look = async (): Promise<void> => {
        while (working) {
          await nextTurn();
          const jobs = await allJobs(b, { queue: "default" });
          expect(jobs).toHaveLength(25);
          const { states } = await b.jobs.countByState({ terms: [] }, ["default"], 100, 1_000);
          expect(Object.values(states).reduce((sum, { count }) => sum + count, 0)).toBe(25);
        }
      };
      await Promise.all([work(), look()]);
    });

    contract.test(
      "what one store reads of a job that the other deletes is whole or nothing",
      async (harness) => {
        const [a, b] = await twoStores(harness);
        for (let round = 0; round < ROUNDS; round += 1) {
          const job = await harness.running({ tags: ["t"] });
          await harness.store.claims.progress(job, 5, "on");
          await harness.fail(job, "never");
          const [, detail, attempts] = await Promise.all([
            a.jobs.delete(job.id, false),
            b.jobs.detail(job.id),
            b.jobs.attempts(job.id),
          ]);
          if (detail !== null) {
            expect(detail).toMatchObject({
              tags: ["t"],
              progress: { message: "on", at: T0 },
              lastError: BOOM,
            });
          }
          expect([0, 1]).toContain(attempts.length);
        }
      },
    );
  });
}
