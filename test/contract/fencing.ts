import { describe, expect } from "vitest";
import type { LeaseLossReason } from "../../src/core/errors.js";
import type { ClaimedJob } from "../../src/core/job.js";
import type { ClaimKey } from "../../src/store/claims.js";
import type { Store } from "../../src/store/store.js";
import { T0 } from "../support/fake-clock.js";
import { allJobs } from "../support/recount.js";
import type { Contract } from "./contract.js";
import { BOOM, LEASE_MS, type Harness } from "./harness.js";

const FAILURE = { outcome: "failed", error: BOOM } as const;

/** Every write of a claim, and the reason that it is refused with; `null` when it is not refused. */
const WRITES: Readonly<Record<string, (store: Store, key: ClaimKey) => Promise<LeaseLossReason | null>>> = {
  complete: (store, key) =>
    settled(store, { verb: "complete", ...key, result: '"stale"', resultProblem: null }),
  fail: (store, key) => settled(store, { verb: "retry", ...key, delayMs: 0, failure: FAILURE }),
  bury: (store, key) => settled(store, { verb: "bury", ...key, failure: FAILURE }),
  release: (store, key) => settled(store, { verb: "release", ...key }),
  snooze: (store, key) => settled(store, { verb: "snooze", ...key, delayMs: 10 }),
  extend: async (store, key) => {
    const [answer] = await store.claims.extend([key], 60_000);
    return answer!.ok ? null : answer!.reason;
  },
  reap: async (store, key) => {
    const [answer] = await store.claims.reap([{ verb: "bury", ...key, failure: FAILURE }]);
    return answer!.ok ? null : answer!.reason;
  },
  progress: (store, key) => store.claims.progress(key, 99, "stale"),
  log: (store, key) => store.claims.log(key, [{ level: "info", message: "stale" }]),
  "store a step": (store, key) => store.steps.store(key, "stale", null),
};

type SettleArgument = Parameters<Store["claims"]["settle"]>[0][number];

async function settled(store: Store, settlement: SettleArgument): Promise<LeaseLossReason | null> {
  const [answer] = await store.claims.settle([settlement]);
  return answer!.ok ? null : answer!.reason;
}

interface Situation {
  /** Makes A's claim stale. Answers nothing: A finds out by itself. */
  readonly make: (harness: Harness, a: ClaimedJob) => Promise<unknown>;
  readonly reason: LeaseLossReason;
  /** What A itself said; saying it again is fine, so it is left out here. */
  readonly except?: readonly string[];
}

/** What may have become of a job that A still believes to hold. */
const SITUATIONS: Readonly<Record<string, Situation>> = {
  "its lease was reaped and B claimed the job": {
    reason: "reclaimed",
    make: async (harness) => {
      await loseLease(harness);
      await harness.claimOne({ workerId: "worker-b" });
    },
  },
  "its lease was reaped and the job waits": { reason: "reclaimed", make: loseLease },
  "its lease was reaped and that was the last attempt": {
    reason: "reclaimed",
    make: async (harness, a) => {
      for (let attempt = a.attempt; attempt <= a.maxAttempts; attempt += 1) {
        await loseLease(harness);
        await harness.claim();
      }
      expect(await harness.state(a.id)).toBe("dead");
    },
  },
  "B completed the job": {
    reason: "reclaimed",
    make: async (harness) => {
      await loseLease(harness);
      await harness.complete(await harness.claimOne({ workerId: "worker-b" }), "B");
    },
  },
  "the job was cancelled": {
    reason: "cancelled",
    make: (harness, a) => harness.store.jobs.cancel(a.id),
  },
  "the job was cancelled and retried by hand": {
    reason: "reclaimed",
    make: async (harness, a) => {
      await harness.store.jobs.cancel(a.id);
      await harness.store.jobs.revive(a.id);
    },
  },
  "the job was deleted": {
    reason: "gone",
    make: (harness, a) => harness.store.jobs.delete(a.id, true),
  },
  "A completed it": {
    reason: "reclaimed",
    except: ["complete"],
    make: (harness, a) => harness.complete(a, "A"),
  },
  "A failed it and B claimed it": {
    reason: "reclaimed",
    except: ["fail", "bury"],
    make: async (harness, a) => {
      await harness.fail(a, { delayMs: 0 });
      await harness.claimOne({ workerId: "worker-b" });
    },
  },
  "A released it and B claimed it": {
    reason: "reclaimed",
    make: async (harness, a) => {
      await harness.release(a);
      await harness.claimOne({ workerId: "worker-b" });
    },
  },
  "A snoozed it and B claimed it": {
    reason: "reclaimed",
    make: async (harness, a) => {
      await harness.snooze(a, 0);
      await harness.claimOne({ workerId: "worker-b" });
    },
  },
};

async function loseLease(harness: Harness): Promise<void> {
  harness.clock.block(LEASE_MS);
  await harness.reap();
  await harness.store.claims.promote(10);
}

/** Everything that can be read about the database. */
async function everything({ store }: Harness, id: string): Promise<unknown> {
  return {
    jobs: await allJobs(store),
    detail: await store.jobs.detail(id),
    payload: await store.jobs.payload(id),
    result: await store.jobs.result(id),
    attempts: await store.jobs.attempts(id),
    logs: await store.jobs.logs(id, 0, 100),
    steps: await store.steps.list(id),
    queues: await store.queues.list(),
    stats: await store.stats.series({ from: T0, to: T0 + 3_600_000, step: "minute" }, "lanes"),
    expired: await store.claims.expired(10),
    nextDue: await store.claims.nextDue(),
  };
}

export function fencingContract(contract: Contract): void {
  describe("CLM-03 LSE-01 the writes of a stale claim", () => {
    for (const [what, { make, reason, except = [] }] of Object.entries(SITUATIONS)) {
      contract.test(`change nothing when ${what}`, async (harness) => {
        const a = await harness.running({ maxAttempts: 3, backoff: { type: "fixed", delayMs: 0 } });
        await harness.store.claims.progress(a, 10, "A at work");
        await harness.store.claims.log(a, [{ level: "info", message: "A at work" }]);
        await make(harness, a);
        const before = await everything(harness, a.id);
        for (const [verb, write] of Object.entries(WRITES)) {
          if (except.includes(verb)) continue;
          expect(await write(harness.store, a), verb).toBe(reason);
          expect(await everything(harness, a.id), verb).toEqual(before);
        }
        expect(await harness.store.claims.current(a)).toBe(reason);
      });
    }

    contract.test("CLM-03 leave the job to B, whose result counts once", async (harness) => {
      const a = await harness.running({ backoff: { type: "fixed", delayMs: 0 } });
      await loseLease(harness);
      const b = await harness.claimOne({ workerId: "worker-b" });
      expect(b.token).toBeGreaterThan(a.token);
      for (const write of Object.values(WRITES)) await write(harness.store, a);
      await harness.complete(b, "B");
      for (const write of Object.values(WRITES)) await write(harness.store, a);
      expect(await harness.store.jobs.result(a.id)).toBe('"B"');
      expect(await harness.job(a.id)).toMatchObject({ state: "completed", attempt: 2, workerId: "worker-b" });
      expect(harness.events.about(a.id)).toEqual(["job.lost", "job.completed"]);
      expect((await harness.store.jobs.attempts(a.id)).map(({ outcome }) => outcome)).toEqual([
        "lost",
        "completed",
      ]);
    });

    contract.test("are refused when only the token is wrong", async (harness) => {
      const a = await harness.running();
      const before = await everything(harness, a.id);
      for (const token of [a.token - 1, a.token + 1, 0, -1]) {
        for (const [verb, write] of Object.entries(WRITES)) {
          expect(await write(harness.store, { id: a.id, token }), verb).toBe("reclaimed");
        }
      }
      expect(await everything(harness, a.id)).toEqual(before);
      expect(await harness.complete(a)).toMatchObject({ ok: true });
    });

    contract.test("are refused for a job that never was claimed", async (harness) => {
      const { id } = await harness.enqueue();
      const before = await everything(harness, id);
      for (const [verb, write] of Object.entries(WRITES)) {
        for (const token of [0, 1]) expect(await write(harness.store, { id, token }), verb).toBe("reclaimed");
      }
      expect(await everything(harness, id)).toEqual(before);
    });

    contract.test("LSE-13 leave nothing behind of a deleted job", async (harness) => {
      const a = await harness.running({ idempotencyKey: "K", tags: ["t"] });
      await harness.store.jobs.delete(a.id, true);
      for (const write of Object.values(WRITES)) expect(await write(harness.store, a)).toBe("gone");
      expect(await allJobs(harness.store)).toEqual([]);
      expect(await allJobs(harness.store, { tag: "t" })).toEqual([]);
      expect(await harness.store.jobs.detail(a.id)).toBeNull();
      expect(await harness.store.jobs.logs(a.id, 0, 10)).toEqual([]);
      const next = await harness.enqueueKeyed({ idempotencyKey: "K", tags: ["t"] });
      expect(next.deduplicated).toBe(false);
      expect(next.id).not.toBe(a.id);
    });
  });
}
