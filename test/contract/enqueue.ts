import { describe, expect } from "vitest";
import { MAX_BATCH } from "../../src/core/defaults.js";
import { checkJobRequest } from "../../src/core/job-request.js";
import { T0 } from "../support/fake-clock.js";
import { allJobs } from "../support/recount.js";
import { seededRandom } from "../support/seeded-random.js";
import type { Contract } from "./contract.js";
import { faultsOf, refusal } from "./harness.js";

const NO_ORIGIN = { schedule: null, trace: null, keys: null };
const DAY_MS = 24 * 3_600_000;
const LAST_INSTANT = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

export function enqueueContract(contract: Contract): void {
  describe("enqueue", () => {
    contract.test("a new job is complete from the first moment", async ({ store, enqueue }) => {
      const job = await enqueue({ name: "email.send", payload: { to: "a@example.com" } });
      expect(job).toEqual({
        id: job.id,
        queue: "default",
        name: "email.send",
        state: "pending",
        priority: 4,
        attempt: 0,
        maxAttempts: 20,
        createdAt: T0,
        runAt: T0,
        startedAt: null,
        finishedAt: null,
        workerId: null,
        token: null,
        leaseExpiresAt: null,
      });
      expect(await store.jobs.get(job.id)).toEqual(job);
      expect(await store.jobs.detail(job.id)).toEqual({
        ...job,
        timeoutMs: null,
        unique: null,
        expiresAt: null,
        cancellation: null,
        backoff: null,
        tags: [],
        concurrencyKey: null,
        rateKey: null,
        idempotencyKey: null,
        schedule: null,
        flow: null,
        traceparent: null,
        payloadBytes: 22,
        resultBytes: null,
        resultProblem: null,
        progress: null,
        lastError: null,
        fingerprint: null,
      });
      expect(await store.jobs.payload(job.id)).toBe('{"to":"a@example.com"}');
      expect(await store.jobs.result(job.id)).toBeNull();
      expect(await store.jobs.attempts(job.id)).toEqual([]);
      expect(await store.jobs.logs(job.id, 0, 10)).toEqual([]);
    });

    contract.test("ORD-07 every setting is kept and handed to the worker", async (harness) => {
      const { id } = await harness.enqueue({
        queue: "mail",
        name: "email.send",
        priority: 9,
        runAt: T0 - 5_000,
        maxAttempts: 3,
        backoff: { type: "fixed", delayMs: 5_000, jitter: 0.5 },
        timeoutMs: 60_000,
        idempotencyKey: "key",
        tags: ["a", "b"],
      });
      expect(await harness.job(id)).toMatchObject({
        queue: "mail",
        name: "email.send",
        priority: 9,
        runAt: T0 - 5_000,
        maxAttempts: 3,
        backoff: { type: "fixed", delayMs: 5_000, jitter: 0.5 },
        timeoutMs: 60_000,
        idempotencyKey: "key",
        tags: ["a", "b"],
      });
      expect(await harness.claimOne({ queues: ["mail"] })).toMatchObject({
        id,
        queue: "mail",
        name: "email.send",
        priority: 9,
        attempt: 1,
        maxAttempts: 3,
        failures: 0,
        createdAt: T0,
        runAt: T0 - 5_000,
        payload: "null",
        timeoutMs: 60_000,
        backoff: { type: "fixed", delayMs: 5_000, jitter: 0.5 },
      });
    });

    contract.test("a delayed job is scheduled, a job with a past runAt is pending", async ({ enqueue }) => {
      expect(await enqueue({ delayMs: 1 })).toMatchObject({ state: "scheduled", runAt: T0 + 1 });
      expect(await enqueue({ runAt: T0 + 1 })).toMatchObject({ state: "scheduled", runAt: T0 + 1 });
      expect(await enqueue({ delayMs: 0 })).toMatchObject({ state: "pending", runAt: T0 });
      expect(await enqueue({ runAt: T0 })).toMatchObject({ state: "pending", runAt: T0 });
      expect(await enqueue({ runAt: T0 - 1 })).toMatchObject({ state: "pending", runAt: T0 - 1 });
    });

    contract.test("CLK-01 long delays are exact to the millisecond and end once", async (harness) => {
      const delays = [2 ** 31 - 1, 2 ** 31, 30 * DAY_MS, 400 * DAY_MS];
      for (const delayMs of delays) {
        const { id, runAt } = await harness.enqueue({ delayMs });
        expect(runAt).toBe(harness.clock.now() + delayMs);
        harness.clock.block(delayMs - 1);
        expect(await harness.store.claims.promote(10)).toBe(0);
        harness.clock.block(1);
        expect(await harness.store.claims.promote(10)).toBe(1);
        expect(await harness.store.claims.promote(10)).toBe(0);
        expect((await harness.claimOne()).id).toBe(id);
      }
    });

    contract.test("CLK-09 the last instant is stored, sorted and not run", async (harness) => {
      const last = await harness.enqueue({ runAt: "9999-12-31T23:59:59.999Z" });
      const soon = await harness.enqueue({ delayMs: 1_000 });
      expect(last.runAt).toBe(LAST_INSTANT);
      expect((await harness.job(last.id)).runAt).toBe(LAST_INSTANT);
      const scheduled = await allJobs(harness.store, { state: "scheduled" });
      expect(scheduled.map(({ id }) => id)).toEqual([soon.id, last.id]);
      harness.clock.block(400 * DAY_MS);
      expect(await harness.store.claims.promote(10)).toBe(1);
      expect(await harness.state(last.id)).toBe("scheduled");
      expect(await faultsOf(harness.enqueue({ runAt: LAST_INSTANT + 1 }))).toEqual([
        "/runAt invalid_instant",
      ]);
    });

    contract.test("the store's clock gives the times, not the caller's", async (harness) => {
      harness.clock.stepWall(3_600_000);
      expect(harness.store.now()).toBe(T0 + 3_600_000);
      expect(await harness.enqueue({ delayMs: 5 })).toMatchObject({
        createdAt: T0 + 3_600_000,
        runAt: T0 + 3_600_005,
      });
    });

    contract.test("ids grow and are decimal text", async ({ enqueue, enqueueMany }) => {
      const ids = [await enqueue(), ...(await enqueueMany([{}, {}, {}])), await enqueue()].map(
        ({ id }) => id,
      );
      for (const id of ids) expect(id).toMatch(/^[1-9]\d*$/);
      expect(ids.map(Number)).toEqual(ids.map(Number).toSorted((a, b) => a - b));
      expect(new Set(ids).size).toBe(5);
    });

    contract.test("an id that is none is answered like one that is unknown", async ({ store }) => {
      for (const id of ["0", "-1", "1.5", "01", " 1", "1e3", "abc", "", "99999999999999999999", "1; --"]) {
        expect(await store.jobs.get(id)).toBeNull();
        expect(await store.jobs.detail(id)).toBeNull();
        expect(await store.jobs.payload(id)).toBeNull();
        expect(await store.jobs.attempts(id)).toEqual([]);
        expect(await store.jobs.logs(id, 0, 10)).toEqual([]);
        for (const change of [store.jobs.cancel(id), store.jobs.revive(id), store.jobs.runNow(id)]) {
          expect(await change).toEqual({ outcome: "missing" });
        }
        expect(await store.jobs.delete(id, true)).toEqual({ outcome: "missing" });
      }
    });
  });

  describe("enqueue many", () => {
    contract.test("answers in the order of the requests", async ({ enqueueMany }) => {
      const jobs = await enqueueMany([{ name: "a" }, { name: "b", priority: 9 }, { name: "c" }]);
      expect(jobs.map(({ name }) => name)).toEqual(["a", "b", "c"]);
      expect(await enqueueMany([])).toEqual([]);
    });

    contract.test("keeps all or none", async ({ store, enqueueMany, enqueueKeyed }) => {
      await enqueueKeyed({ idempotencyKey: "taken", payload: 1 });
      const refused = enqueueMany([{ payload: 1 }, { idempotencyKey: "taken", payload: 2 }, { payload: 3 }]);
      expect(await refusal(refused)).toBe("idempotency_key_reused");
      expect(await allJobs(store)).toHaveLength(1);
    });

    contract.test("tells every fault of every request by its index", async ({ store, enqueueMany }) => {
      const refused = enqueueMany([{ priority: 10 }, {}, { name: "", tags: ["ok", ""] }, { payload: 1n }]);
      expect(await faultsOf(refused)).toEqual([
        "/0/priority out_of_range",
        "/2/name invalid_name",
        "/2/tags/1 invalid_tag",
        "/3/payload payload_not_json",
      ]);
      expect(await allJobs(store)).toEqual([]);
    });

    contract.test("takes a full batch and refuses a larger one", async ({ enqueueMany }) => {
      expect(await enqueueMany(new Array(MAX_BATCH).fill({}))).toHaveLength(MAX_BATCH);
      expect(await refusal(enqueueMany(new Array(MAX_BATCH + 1).fill({})))).toBe("validation_failed");
    });

    contract.test("ORD-03 jobs of one instant are claimed in the order of insertion", async (harness) => {
      const many = await harness.enqueueMany(new Array(1_000).fill({}));
      const single = await Promise.all(Array.from({ length: 1_000 }, () => harness.enqueue()));
      const claimed = [...(await harness.claim({ max: 1_000 })), ...(await harness.claim({ max: 1_000 }))];
      expect(claimed.map(({ id }) => id)).toEqual([...many, ...single].map(({ id }) => id));
    });
  });

  describe("names", () => {
    contract.test("PAY-15 names that mean something elsewhere work everywhere", async (harness) => {
      const names = [
        "jobs",
        "sqlite_master",
        "retries",
        "CON",
        "constructor",
        "toString",
        "1",
        "a".repeat(128),
      ];
      for (const name of names) {
        const job = await harness.enqueue({ queue: name, name });
        expect((await harness.store.queues.get(name))?.counts.pending).toBe(1);
        expect((await harness.claimOne({ queues: [name], names: [name] })).id).toBe(job.id);
      }
      const queues = await harness.store.queues.list();
      expect(queues.map(({ name }) => name)).toEqual(names.toSorted());
    });

    contract.test("the longest names and keys find room, of four bytes a character", async (harness) => {
      // From all over, so that no index makes them shorter.
      const random = seededRandom(7);
      const text = (length: number): string =>
        String.fromCodePoint(...Array.from({ length }, () => 0x20000 + Math.floor(random() * 0xa000)));
      const request = {
        queue: "q".repeat(128),
        name: "n".repeat(128),
        idempotencyKey: text(255),
        unique: { key: text(255) },
        concurrencyKey: text(255),
        rateKey: text(255),
        tags: [text(64)],
      };
      const { id } = await harness.enqueue(request);
      expect(await harness.enqueueKeyed(request)).toMatchObject({ id, deduplicated: true });
      const by = { queues: [request.queue], names: [request.name], claimId: text(255) };
      const [job] = await harness.claim(by);
      expect(job?.id).toBe(id);
      await harness.complete(job!);
      await expect(harness.enqueue({ tags: [text(65)] })).rejects.toMatchObject({
        code: "validation_failed",
      });
    });

    contract.test("SQL-13 names that differ only in case are different", async (harness) => {
      await harness.enqueueMany([
        { queue: "Mail", name: "Send", tags: ["Tag"] },
        { queue: "mail", name: "send", tags: ["tag"] },
      ]);
      const queues = await harness.store.queues.list();
      expect(queues.map(({ name }) => name)).toEqual(["Mail", "mail"]);
      expect(await allJobs(harness.store, { name: "send" })).toHaveLength(1);
      expect(await allJobs(harness.store, { tag: "Tag" })).toHaveLength(1);
      expect(await harness.claim({ queues: ["MAIL"] })).toEqual([]);
    });
  });

  describe("payloads", () => {
    const PAYLOADS: Readonly<Record<string, unknown>> = {
      "PAY-01 NUL in a value and in a key": { "a\0b": "x\0y" },
      "PAY-03 lone surrogates and joined emoji": ["\ud800", "a\udc59b", "👨‍👩‍👧", { "\udfff": 1 }],
      "PAY-07 keys of prototypes": JSON.parse(
        '{"__proto__":{"admin":true},"constructor":{"prototype":{"x":1}},"toString":1}',
      ) as unknown,
      "PAY-12 quotes, backslashes and SQL": `"'\\\\x41'; DROP TABLE jobs; --\n$1 ? :name E'\\u0041'`,
      "SQL-13 numbers and booleans": [0, 1e300, -1.5e-300, 0.1 + 0.2, Number.MAX_SAFE_INTEGER, true, false],
      "SQL-13 emptiness": ["", [], {}, null],
      "a string alone": "text",
      "the largest payload": "x".repeat(256 * 1024 - 2),
      "multi-byte text": "ё漢😀".repeat(1_000),
    };

    for (const [what, payload] of Object.entries(PAYLOADS)) {
      contract.test(`${what}: the same text comes out`, async (harness) => {
        const text = JSON.stringify(payload);
        const { id } = await harness.enqueue({ payload });
        expect(await harness.store.jobs.payload(id)).toBe(text);
        const job = await harness.claimOne();
        expect(job.payload).toBe(text);
        await harness.complete(job, payload);
        expect(await harness.store.jobs.result(id)).toBe(text);
        const bytes = Buffer.byteLength(text);
        expect(await harness.job(id)).toMatchObject({ payloadBytes: bytes, resultBytes: bytes });
        expect(({} as { admin?: unknown }).admin).toBeUndefined();
      });
    }

    contract.test("PAY-09 text that no double can hold passes through unchanged", async (harness) => {
      const payload = '{ "big": 9007199254740993, "huge": 1e400, "zero": -0,\n "twice": 1, "twice": 2 }';
      const [inserted] = await harness.store.jobs.insertMany([
        { ...checkJobRequest({ name: "work" }), name: "work", payload, idempotency: null, ...NO_ORIGIN },
      ]);
      expect(await harness.store.jobs.payload(inserted!.id)).toBe(payload);
      expect((await harness.claimOne()).payload).toBe(payload);
    });

    contract.test("PAY-04 PAY-06 what JSON cannot hold is refused and nothing is kept", async (harness) => {
      const cycle: Record<string, unknown> = {};
      cycle["self"] = cycle;
      expect(await refusal(harness.enqueue({ payload: { n: 1n } }))).toBe("payload_not_json");
      expect(await refusal(harness.enqueue({ payload: cycle }))).toBe("payload_not_json");
      expect(await refusal(harness.enqueue({ payload: "x".repeat(256 * 1024) }))).toBe("payload_too_large");
      expect(await allJobs(harness.store)).toEqual([]);
    });

    contract.test(
      "PAY-01 PAY-07 tags: control characters are refused, all other names work",
      async (harness) => {
        for (const tag of ["a\0b", "\ud800", "", "a\nb", "x".repeat(65)]) {
          expect(await faultsOf(harness.enqueue({ tags: [tag] }))).toEqual(["/tags/0 invalid_tag"]);
        }
        const tags = ["__proto__", "constructor", "a b", "%", "_", "тег", "👨‍👩‍👧", "'\"", "\u00e9", "e\u0301"];
        const { id } = await harness.enqueue({ tags: [...tags, "a b"] });
        expect((await harness.job(id)).tags).toEqual(tags);
        for (const tag of tags) expect(await allJobs(harness.store, { tag })).toHaveLength(1);
        expect(await allJobs(harness.store, { tag: "a" })).toEqual([]);
      },
    );
  });
}
