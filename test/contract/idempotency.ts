import { describe, expect, vi } from "vitest";
import type { JobRequest } from "../../src/core/job-request.js";
import { createContext } from "../../src/engine/context.js";
import { enqueue, enqueueMany } from "../../src/engine/enqueue.js";
import { allJobs } from "../support/recount.js";
import { T0 } from "../support/fake-clock.js";
import type { Contract } from "./contract.js";
import { faultsOf, LEASE_MS, refusal, type Harness } from "./harness.js";

const KEY = { idempotencyKey: "K" } as const;

export function idempotencyContract(contract: Contract): void {
  describe("idempotency keys", () => {
    contract.test("a repeat gets the first job and changes nothing", async (harness) => {
      const first = await harness.enqueueKeyed({ ...KEY, payload: { a: 1, b: 2 } });
      expect(first.deduplicated).toBe(false);
      harness.clock.block(1_000);
      const second = await harness.enqueueKeyed({ ...KEY, payload: { b: 2, a: 1 } });
      expect(second).toEqual({ ...first, deduplicated: true });
      expect(await allJobs(harness.store)).toHaveLength(1);
      const [stat] = await harness.store.stats.series({ from: T0, to: T0 + 60_000, step: "minute" }, "lanes");
      expect(stat?.events.enqueued).toBe(1);
    });

    contract.test(
      "a large batch is what it was when it was given, and others have their turn",
      async (harness) => {
        const numbers = Array.from({ length: 40_000 }, (_, index) => index);
        const requests = Array.from({ length: 6 }, (_, index) => ({
          name: "work",
          payload: { index, numbers: [...numbers] },
          idempotencyKey: `K${index}`,
        }));
        let turns = 0;
        const count = (): void => {
          turns += 1;
          turning = setImmediate(count);
        };
        let turning = setImmediate(count);
        const insertMany = harness.store.jobs.insertMany.bind(harness.store.jobs);
        let turnsBefore = 0;
        vi.spyOn(harness.store.jobs, "insertMany").mockImplementationOnce((jobs) => {
          turnsBefore = turns;
          return insertMany(jobs);
        });
        const given = structuredClone(requests);
        const inserting = enqueueMany(harness.engine, requests);
        for (const request of requests) {
          request.payload.numbers.length = 0;
          request.idempotencyKey = "other";
        }
        const first = await inserting;
        clearImmediate(turning);
        expect(turnsBefore).toBeGreaterThanOrEqual(3);
        expect(first.map(({ deduplicated }) => deduplicated)).toEqual(given.map(() => false));
        const again = await enqueueMany(harness.engine, given);
        expect(again.map(({ id, deduplicated }) => [id, deduplicated])).toEqual(
          first.map(({ id }) => [id, true]),
        );
      },
    );

    contract.test("the same key for another job is refused", async (harness) => {
      const job = await harness.enqueueKeyed({ ...KEY, name: "work", payload: { a: 1 } });
      const others: Partial<JobRequest>[] = [
        { payload: { a: 2 } },
        { payload: { a: 1 }, name: "other" },
        { payload: { a: 1 }, queue: "other" },
        { payload: { a: 1 }, priority: 5 },
        { payload: { a: 1 }, delayMs: 1 },
        { payload: { a: 1 }, runAt: T0 },
        { payload: { a: 1 }, maxAttempts: 3 },
        { payload: { a: 1 }, timeoutMs: 3 },
        { payload: { a: 1 }, backoff: { type: "fixed", delayMs: 0 } },
        { payload: { a: 1 }, tags: ["x"] },
      ];
      for (const other of others) {
        expect(await refusal(harness.enqueueKeyed({ ...KEY, ...other }))).toBe("idempotency_key_reused");
      }
      expect((await allJobs(harness.store)).map(({ id }) => id)).toEqual([job.id]);
      expect((await harness.enqueueKeyed({ ...KEY, payload: { a: 1 } })).deduplicated).toBe(true);
    });

    contract.test("a repeat means the same however it is written", async (harness) => {
      await harness.enqueueKeyed({ ...KEY, runAt: "2026-02-01T00:00:00Z", tags: ["a", "b"] });
      const repeats: Partial<JobRequest>[] = [
        { runAt: "2026-02-01T05:30:00.000+05:30", tags: ["b", "a"] },
        { runAt: new Date(Date.UTC(2026, 1, 1)), tags: ["a", "b", "a"], priority: 4, queue: "default" },
        { runAt: Date.UTC(2026, 1, 1), tags: ["a", "b"], maxAttempts: 20, payload: null },
      ];
      for (const repeat of repeats) {
        expect((await harness.enqueueKeyed({ ...KEY, ...repeat })).deduplicated).toBe(true);
      }
    });

    contract.test("a repeat with a delay is the same job although time has passed", async (harness) => {
      const job = await harness.enqueueKeyed({ ...KEY, delayMs: 5_000 });
      harness.clock.block(3_000);
      const repeat = await harness.enqueueKeyed({ ...KEY, delayMs: 5_000 });
      expect(repeat).toEqual({ ...job, deduplicated: true });
    });

    contract.test("IDM-01 100 parallel calls over two connections make one job", async (harness) => {
      const other = createContext(await harness.another(), { clock: harness.clock });
      const request = { ...KEY, name: "work", payload: { a: 1 } };
      const answers = await Promise.all(
        Array.from({ length: 100 }, (_, index) => enqueue(index % 2 === 0 ? harness.engine : other, request)),
      );
      expect(new Set(answers.map(({ id }) => id)).size).toBe(1);
      expect(answers.filter(({ deduplicated }) => !deduplicated)).toHaveLength(1);
      expect(await allJobs(harness.store)).toHaveLength(1);
    });

    contract.test("IDM-01 of parallel calls for different jobs under one key, one wins", async (harness) => {
      const other = createContext(await harness.another(), { clock: harness.clock });
      const answers = await Promise.allSettled(
        Array.from({ length: 100 }, (_, index) =>
          enqueue(index % 2 === 0 ? harness.engine : other, { ...KEY, name: "work", payload: index % 5 }),
        ),
      );
      const accepted = answers.filter((answer) => answer.status === "fulfilled");
      expect(accepted).toHaveLength(20);
      expect(new Set(accepted.map(({ value }) => value.id)).size).toBe(1);
      expect(accepted.filter(({ value }) => !value.deduplicated)).toHaveLength(1);
    });

    contract.test("IDM-03 a refused batch leaves no key behind", async (harness) => {
      await harness.enqueueKeyed({ idempotencyKey: "taken", payload: 1 });
      const batch = [{ ...KEY }, { idempotencyKey: "taken", payload: 2 }];
      expect(await refusal(harness.enqueueMany(batch))).toBe("idempotency_key_reused");
      const accepted = await harness.enqueueKeyed(KEY);
      expect(accepted.deduplicated).toBe(false);
      expect(await harness.state(accepted.id)).toBe("pending");
    });

    contract.test("a key that comes twice in one batch makes one job", async (harness) => {
      const [first, other, second] = await harness.enqueueMany([KEY, {}, KEY]);
      expect(second?.id).toBe(first?.id);
      expect(other?.id).not.toBe(first?.id);
      expect(await allJobs(harness.store)).toHaveLength(2);
    });

    contract.test("calls of one turn with the same objects are told apart", async (harness) => {
      const insertMany = vi.spyOn(harness.store.jobs, "insertMany");
      await harness.enqueueKeyed(KEY);
      await harness.enqueue();
      const [keyed, plain] = insertMany.mock.calls.map(([jobs]) => jobs[0]!);
      insertMany.mockRestore();
      const other = { ...keyed!, idempotency: { key: "other", fingerprint: "f" } };
      const answers = await Promise.all(
        [[plain!], [other, plain!], [other], [plain!, other]].map((jobs) =>
          harness.store.jobs.insertMany(jobs),
        ),
      );
      const ids = answers.flat().map(({ id }) => id);
      const [first, second, third, fourth, fifth, sixth] = ids;
      expect(new Set([first, second, third, fifth]).size).toBe(4);
      expect([fourth, sixth]).toEqual([second, second]);
      expect(answers.flat().map(({ deduplicated }) => deduplicated)).toEqual([
        false,
        false,
        false,
        true,
        false,
        true,
      ]);
      expect(await allJobs(harness.store)).toHaveLength(6);
    });

    contract.test("a key that comes twice in one batch for different jobs is refused", async (harness) => {
      const batch = [
        { ...KEY, payload: 1 },
        { ...KEY, payload: 2 },
      ];
      expect(await refusal(harness.enqueueMany(batch))).toBe("idempotency_key_reused");
      expect(await allJobs(harness.store)).toEqual([]);
    });

    contract.test("IDM-09 keys are equal only when every character is", async (harness) => {
      const keys = [
        "k",
        "K",
        "k ",
        " k",
        "\u00e9",
        "e\u0301",
        "ß",
        "ss",
        "1",
        "01",
        "%",
        "_",
        "k'",
        'k"',
        "__proto__",
      ];
      for (const idempotencyKey of keys) {
        expect((await harness.enqueueKeyed({ idempotencyKey })).deduplicated).toBe(false);
      }
      for (const idempotencyKey of keys) {
        expect((await harness.enqueueKeyed({ idempotencyKey })).deduplicated).toBe(true);
      }
      for (const idempotencyKey of ["", "a\0b", "\ud800", "x".repeat(256)]) {
        const refused = harness.enqueueKeyed({ idempotencyKey });
        expect(await faultsOf(refused)).toEqual(["/idempotencyKey invalid_key"]);
      }
    });

    contract.test("IDM-09 payloads are equal only when every value is", async (harness) => {
      const payloads = [
        {},
        { a: 1 },
        { a: "1" },
        { a: null },
        { a: { b: 1 } },
        { a: { b: 2 } },
        [1, 2],
        [2, 1],
      ];
      for (const [first, payload] of payloads.entries()) {
        const idempotencyKey = `key-${first}`;
        await harness.enqueueKeyed({ idempotencyKey, payload });
        for (const [second, other] of payloads.entries()) {
          if (first === second) continue;
          const refused = harness.enqueueKeyed({ idempotencyKey, payload: other });
          expect(await refusal(refused)).toBe("idempotency_key_reused");
        }
      }
    });
  });

  describe("IDM-04 the life of an idempotency key", () => {
    const keyed = { ...KEY, maxAttempts: 2, backoff: { type: "fixed", delayMs: 1_000 } } as const;

    /** Each brings the job of the key into a state in which it still exists. */
    const ways: Readonly<Record<string, (harness: Harness) => Promise<unknown>>> = {
      pending: () => Promise.resolve(),
      running: (harness) => harness.claimOne(),
      "waiting for its retry": async (harness) => harness.fail(await harness.claimOne()),
      snoozed: async (harness) => harness.snooze(await harness.claimOne(), 1_000),
      completed: async (harness) => harness.complete(await harness.claimOne()),
      dead: async (harness) => harness.fail(await harness.claimOne(), "never"),
      "dead because its worker vanished": async (harness) => {
        for (let attempt = 1; attempt <= 2; attempt += 1) {
          await harness.claimOne();
          harness.clock.block(LEASE_MS);
          await harness.reap();
          harness.clock.block(1_000);
          await harness.store.claims.promote(1);
        }
      },
      cancelled: async (harness) => {
        const [job] = await allJobs(harness.store);
        await harness.store.jobs.cancel(job!.id);
      },
    };

    for (const [state, way] of Object.entries(ways)) {
      contract.test(
        `${state}: the key still gives the job, and is free once that is deleted`,
        async (harness) => {
          const first = await harness.enqueueKeyed(keyed);
          await way(harness);
          expect(await harness.enqueueKeyed(keyed)).toMatchObject({
            deduplicated: true,
            id: first.id,
          });
          await harness.store.jobs.delete(first.id, true);
          const second = await harness.enqueueKeyed(keyed);
          expect(second.deduplicated).toBe(false);
          expect(second.id).not.toBe(first.id);
        },
      );
    }

    contract.test("the key is free once retention has removed the job", async (harness) => {
      const first = await harness.enqueueKeyed(keyed);
      await harness.complete(await harness.claimOne());
      harness.clock.block(1_001);
      const retention = { completedMs: 1_000, cancelledMs: null, deadMs: null, maxCompleted: null };
      expect(await harness.store.maintenance.prune(retention, 10)).toBe(1);
      const second = await harness.enqueueKeyed(keyed);
      expect(second.deduplicated).toBe(false);
      expect(second.id).not.toBe(first.id);
    });

    contract.test("IDM-07 removing the old job again does not free the new job's key", async (harness) => {
      const first = await harness.enqueueKeyed(KEY);
      await harness.store.jobs.delete(first.id, false);
      const second = await harness.enqueueKeyed(KEY);
      expect(await harness.store.jobs.delete(first.id, true)).toEqual({ outcome: "missing" });
      expect(await harness.enqueueKeyed(KEY)).toMatchObject({
        deduplicated: true,
        id: second.id,
      });
    });

    contract.test("IDM-06 RTY-13 a job is never in conflict with its own key", async (harness) => {
      const job = await harness.enqueueKeyed({ ...keyed, delayMs: 1_000 });
      harness.clock.block(1_000);
      expect(await harness.store.claims.promote(10)).toBe(1);
      await harness.fail(await harness.claimOne());
      expect(await harness.state(job.id)).toBe("scheduled");
      harness.clock.block(1_000);
      expect(await harness.store.claims.promote(10)).toBe(1);
      await harness.fail(await harness.claimOne());
      expect(await harness.state(job.id)).toBe("dead");
      expect(await harness.store.jobs.revive(job.id)).toMatchObject({ outcome: "changed" });
      await harness.complete(await harness.claimOne());
      expect(await harness.enqueueKeyed({ ...keyed, delayMs: 1_000 })).toMatchObject({
        deduplicated: true,
        state: "completed",
      });
    });
  });
}
