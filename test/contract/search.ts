import fc from "fast-check";
import { describe, expect } from "vitest";
import { parseJobQuery } from "../../src/core/job-query/parse.js";
import { printJobQuery } from "../../src/core/job-query/print.js";
import { EVERY_JOB, type JobQuery, type JobTerm } from "../../src/core/job-query/query.js";
import { JOB_STATES, type JobState } from "../../src/core/states.js";
import type { JobCursor, JobScan } from "../../src/store/jobs.js";
import type { Store } from "../../src/store/store.js";
import { T0 } from "../support/fake-clock.js";
import type { Contract } from "./contract.js";
import { BOOM, type Harness } from "./harness.js";
import { modelOf } from "./query-model.js";
import { FINGERPRINTS, knownJobs, makeJobs } from "./search-jobs.js";

const LONG = process.env["KONVEIER_LONG_TESTS"] === "1";
const [QUERIES, TIMEOUT_MS] = LONG ? [400, 900_000] : [50, 120_000];

type Globs = readonly string[] | null;

const UNBOUNDED = Number.POSITIVE_INFINITY;

const negated = fc.boolean();
const some = <T>(...values: T[]) =>
  fc.uniqueArray(fc.constantFrom(...values), { minLength: 1, maxLength: 3 });
const text = (field: string, ...values: string[]) =>
  fc.record({ kind: fc.constant("text"), field: fc.constant(field), negated, values: some(...values) });
const order = fc.constantFrom(">", ">=", "<", "<=");
const path = fc.constantFrom(
  [],
  ["a"],
  ["n"],
  ["a", "b"],
  ["a", "c", 0, "d"],
  ["a", 1],
  [1],
  [2, 0],
  ["größe"],
  ["$"],
  ["x"],
);
const document = fc.constantFrom("payload", "payload", "result");
const scalar = fc.constantFrom(
  "1",
  1,
  1.5,
  true,
  null,
  "x",
  "deep Text",
  "Hello World",
  0,
  5,
  -3,
  7,
  "Ä",
  "100%_\\'\"",
);

/** Terms that are true of some of the jobs. */
const term = fc.oneof(
  fc.record({ kind: fc.constant("state"), negated, values: some(...JOB_STATES) }),
  fc.record({
    kind: fc.constant("state"),
    negated: fc.constant(false),
    values: fc.constantFrom(...JOB_STATES).map((state) => [state]),
  }),
  text("queue", "email", "email*", "*a*", "image", "a_b", "*", "*-*l*", "none"),
  text("name", "send", "*s*", "S*", "x", "resize:small", "*:*", "*.*"),
  text("tag", "vip", "red", "100%", "'; DROP TABLE jobs; --", "VIP", "%"),
  text("key", "order 1-1", "order 7-7", "order 9-89", "order%"),
  text("id", "1", "7", "100", "329", "9007199254740991"),
  text("worker", "worker-a", "worker-b", "host:1'", "worker-*"),
  text("schedule", "nightly", "hourly", "never"),
  text("fingerprint", ...FINGERPRINTS),
  fc.record({
    kind: fc.constant("word"),
    negated,
    value: fc.constantFrom("SEND", "e", "%", "_", ".", ":small", "'"),
  }),
  fc.record({
    kind: fc.constant("error"),
    negated,
    values: some("TIMEOUT", "100%_'", "größe", "GRÖSSE", "\\", "secret", "fehler", "e"),
  }),
  fc.record({
    kind: fc.constant("number"),
    field: fc.constantFrom("attempt", "priority"),
    operator: fc.oneof(order, fc.constantFrom("!=", "=")),
    negated,
    values: fc.tuple(fc.constantFrom(0, 1, 4, 9)),
  }),
  fc.record({
    kind: fc.constant("time"),
    field: fc.constantFrom("created", "run", "started", "finished"),
    operator: order,
    negated,
    value: fc.constantFrom(
      { fromNowMs: -200_000 },
      { fromNowMs: -60_000 },
      { fromNowMs: 0 },
      { instant: T0 + 100_000 },
      { instant: T0 + 10_002_000 },
    ),
  }),
  fc.record({
    kind: fc.constant("json"),
    document,
    path,
    operator: fc.constantFrom("=", "!="),
    negated,
    values: fc.tuple(scalar),
  }),
  fc.record({
    kind: fc.constant("json"),
    document,
    path,
    operator: order,
    negated,
    values: fc.tuple(fc.constantFrom(0, 1, 1.5, 100, -3)),
  }),
  fc.record({
    kind: fc.constant("json"),
    document,
    path,
    operator: fc.constant("~"),
    negated,
    values: some("x", "TEXT", "1", "%_", "world", "ä"),
  }),
) as fc.Arbitrary<JobTerm>;

/** Through its text, as everybody gives it. */
const query = fc.array(term, { maxLength: 3 }).map((terms) => parseJobQuery(printJobQuery({ terms })));
const queueGlobs = fc.constantFrom<Globs>(null, null, ["email*"], ["image", "a_*"], []);

/** All pages of a search, and what its scans said. */
async function walk(
  store: Store,
  asked: JobQuery,
  globs: Globs,
  limit: number,
  budgetMs: number,
  between: () => Promise<void> = () => Promise.resolve(),
): Promise<{ ids: string[]; scans: (JobScan | null)[] }> {
  const ids: string[] = [];
  const scans: (JobScan | null)[] = [];
  let cursor: JobCursor | null = null;
  do {
    const page = await store.jobs.search(asked, globs, limit, cursor, budgetMs);
    expect(page.items.length).toBeLessThanOrEqual(limit);
    if (page.scan !== null) expect(page.scan.complete).toBe(page.next === null);
    ids.push(...page.items.map(({ id }) => id));
    scans.push(page.scan);
    cursor = page.next;
    if (cursor !== null) await between();
  } while (cursor !== null);
  return { ids, scans };
}

async function walkIds(
  store: Store,
  asked: JobQuery,
  globs: Globs,
  limit: number,
  examineAtMost: number,
  between: () => Promise<void> = () => Promise.resolve(),
): Promise<string[]> {
  const ids: string[] = [];
  let after: string | null = null;
  do {
    const answer = await store.jobs.matching(asked, globs, after, limit, examineAtMost);
    expect(answer.ids.length).toBeLessThanOrEqual(Math.min(limit, examineAtMost));
    ids.push(...answer.ids);
    after = answer.lastExaminedId;
    if (after !== null) await between();
  } while (after !== null);
  return ids;
}

async function find(harness: Harness, filter: string): Promise<string[]> {
  return (await walk(harness.store, parseJobQuery(filter), null, 500, UNBOUNDED)).ids;
}

/** Not every text can be a path, but whatever is taken for one does no harm. */
async function refusedOrHarmless(store: Store, filter: string): Promise<void> {
  let asked;
  try {
    asked = parseJobQuery(filter);
  } catch (error) {
    expect(error).toMatchObject({ code: "bad_filter" });
    return;
  }
  await store.jobs.search(asked, null, 5, null, 0);
}

function withoutStates({ terms }: JobQuery): JobQuery {
  return { terms: terms.filter(({ kind }) => kind !== "state") };
}

/** The counts by state are those of the jobs that match. */
async function checkStateCounts(
  store: Store,
  asked: JobQuery,
  globs: Globs,
  wanted: readonly { readonly state: JobState }[],
): Promise<void> {
  const query = withoutStates(asked);
  const { states, scan } = await store.jobs.countByState(query, globs, 1_000, UNBOUNDED);
  for (const state of JOB_STATES) {
    const count = wanted.filter((job) => job.state === state).length;
    expect(states[state], `${state} of ${printJobQuery(query)}`).toEqual({ count, capped: false });
  }
  expect(scan?.complete ?? true).toBe(true);
}

export function searchContract(contract: Contract): void {
  describe("search", () => {
    contract.test(
      "every query has the jobs, pages, counts and ids of the plain model",
      async (harness) => {
        await makeJobs(harness);
        const { store } = harness;
        const jobs = await knownJobs(store);
        const now = store.now();
        let nonempty = 0;
        await fc.assert(
          fc.asyncProperty(
            query,
            queueGlobs,
            fc.constantFrom(4, 17, 60, 500),
            fc.constantFrom(0, UNBOUNDED),
            async (asked, globs, limit, budgetMs) => {
              const wanted = modelOf(asked, globs, jobs, now).map(({ id }) => id);
              if (wanted.length > 0) nonempty += 1;
              const what = printJobQuery(asked);
              expect((await walk(store, asked, globs, limit, budgetMs)).ids, what).toEqual(wanted);
              expect(await store.jobs.count(asked, globs, 1_000, UNBOUNDED), what).toMatchObject({
                count: wanted.length,
                capped: false,
              });
              await checkStateCounts(store, asked, globs, modelOf(withoutStates(asked), globs, jobs, now));
              const ascending = wanted.toSorted((a, b) => Number(a) - Number(b));
              expect(await walkIds(store, asked, globs, limit, 40), what).toEqual(ascending);
            },
          ),
          { numRuns: QUERIES, seed: 20260105 },
        );
        expect(nonempty).toBeGreaterThan(QUERIES / 4);
      },
      TIMEOUT_MS,
    );

    contract.test(
      "a spent budget gives partial pages, and going on by the cursor gives everything",
      async (harness) => {
        await makeJobs(harness);
        const { store } = harness;
        const jobs = await knownJobs(store);
        for (const filter of [
          "payload.a=1",
          "worker:nobody",
          "error~timeout -tag:vip",
          "state:dead schedule:nightly",
        ]) {
          const asked = parseJobQuery(filter);
          const { ids, scans } = await walk(store, asked, null, 500, 0);
          expect(ids, filter).toEqual(modelOf(asked, null, jobs, store.now()).map(({ id }) => id));
          // A store may know better than to look at everything.
          if (scans[0] === null || filter.startsWith("state:dead")) continue;
          expect(scans.length, filter).toBeGreaterThan(2);
          const examined = scans.reduce((sum, scan) => sum + (scan?.examined ?? 0), 0);
          expect(examined, filter).toBe(jobs.length);
          for (const scan of scans.slice(0, -1)) {
            const at = jobs.find(({ job }) => job.createdAt === scan?.until);
            expect(at, filter).toBeDefined();
          }
          expect(scans.at(-1)).toMatchObject({ until: null, complete: true });
        }
        const counted = await store.jobs.count(parseJobQuery("payload.a=none"), null, 10, 0);
        expect(counted).toMatchObject({ count: 0, capped: false, scan: { complete: false } });
      },
    );

    contract.test("what the counters or an index know needs no scan", async (harness) => {
      await makeJobs(harness);
      const { jobs } = harness.store;
      for (const filter of ["", "state:dead", "tag:vip", "id:7", "queue:none", "key:x", "state:blocked"]) {
        const page = await jobs.search(parseJobQuery(filter), null, 5, null, 0);
        expect(page.scan, filter).toBeNull();
      }
      for (const filter of ["queue:email", "state:dead,pending", "-name:s*", "send"]) {
        expect(await jobs.count(parseJobQuery(filter), ["e*"], 1, 0), filter).toMatchObject({
          capped: false,
          scan: null,
        });
      }
      expect(await jobs.count(parseJobQuery("tag:vip"), null, 3, 0)).toEqual({
        count: 3,
        capped: true,
        scan: null,
      });
      expect(await jobs.count(parseJobQuery("priority>=0"), null, 3, 0)).toMatchObject({
        count: 3,
        capped: true,
      });
    });

    contract.test("counts by state share one budget, and go no further than the cap", async (harness) => {
      await makeJobs(harness);
      await harness.enqueueMany(new Array(300).fill({}));
      const { jobs } = harness.store;
      const exact = await jobs.countByState(parseJobQuery("queue:email"), null, 1, 0);
      expect(exact.scan).toBeNull();
      expect(Object.values(exact.states).some(({ count }) => count > 1)).toBe(true);
      expect(Object.values(exact.states).every(({ capped }) => !capped)).toBe(true);
      const capped = await jobs.countByState(parseJobQuery("priority>=0"), null, 3, UNBOUNDED);
      expect(Object.values(capped.states).every(({ count }) => count <= 3)).toBe(true);
      expect(Object.values(capped.states).some((state) => state.capped && state.count === 3)).toBe(true);
      // Without time, what may have been missed is said to be capped.
      const hurried = await jobs.countByState(parseJobQuery("payload.a=none"), null, 1_000, 0);
      if (hurried.scan === null) return;
      expect(hurried.scan.complete).toBe(false);
      expect(hurried.states.pending.capped).toBe(true);
      expect(hurried.states.blocked.capped).toBe(false);
      expect(hurried.scan.examined).toBeGreaterThan(0);
      const all = await jobs.countByState(parseJobQuery("payload.a=none"), null, 1_000, UNBOUNDED);
      expect(all.scan).toMatchObject({ complete: true });
      expect(all.scan?.examined).toBeGreaterThan(hurried.scan.examined);
    });

    contract.test("jobs that come and change during a walk cost no other job its place", async (harness) => {
      await makeJobs(harness);
      const { store } = harness;
      const asked = parseJobQuery("-tag:red payload.a!=5");
      const jobs = await knownJobs(store);
      const wanted = modelOf(asked, null, jobs, store.now()).map(({ id }) => id);
      const disturb = async (): Promise<void> => {
        await harness.enqueueMany([{ payload: { a: 1 } }, {}]);
        await harness.complete(await harness.claimOne());
      };
      for (const budgetMs of [0, UNBOUNDED]) {
        const { ids } = await walk(store, asked, null, 9, budgetMs, disturb);
        const there = new Set(jobs.map(({ job }) => job.id));
        expect(ids.filter((id) => there.has(id))).toEqual(wanted);
        expect(new Set(ids).size).toBe(ids.length);
      }
    });

    contract.test("a walk over ids may change the jobs that it meets", async (harness) => {
      await makeJobs(harness);
      const { store } = harness;
      const asked = parseJobQuery("state:pending,scheduled tag:vip");
      const wanted = modelOf(asked, null, await knownJobs(store), store.now()).map(({ id }) => id);
      const met: string[] = [];
      let after: string | null = null;
      do {
        const answer = await store.jobs.matching(asked, null, after, 3, 50);
        for (const id of answer.ids) await store.jobs.cancel(id);
        met.push(...answer.ids);
        after = answer.lastExaminedId;
      } while (after !== null);
      expect(met).toEqual(wanted.toReversed());
      expect(await find(harness, "state:pending,scheduled tag:vip")).toEqual([]);
    });

    contract.test("a bulk retry sees what was done before it", async (harness) => {
      const { id, token } = await harness.running();
      const failure = { outcome: "failed", error: BOOM } as const;
      await harness.store.claims.settle([{ verb: "bury", id, token, failure }]);
      expect(await harness.store.jobs.reviveMany({ queue: "default" }, harness.clock.now(), 10)).toBe(1);
      expect(await harness.state(id)).toBe("pending");
    });

    contract.test("SEC-34 text of a filter is compared, never run", async (harness) => {
      await makeJobs(harness, 60);
      const jobs = await knownJobs(harness.store);
      const now = harness.store.now();
      const evil = [
        "'",
        "''",
        "--",
        ";",
        "$1",
        "?",
        "?1",
        "@a",
        ":a",
        "%",
        "_",
        "\\",
        "(",
        ")",
        "*",
        "[a-z]",
        "\0",
        "x' OR '1'='1",
        "'; DROP TABLE jobs; --",
        "$.a",
        "$[0]",
        '"',
        "1e999",
        "\ufffd",
        "NULL",
        "/*",
      ];
      const fields = [
        "tag:",
        "key:",
        "worker:",
        "schedule:",
        "error~",
        "payload.a=",
        "payload.a~",
        "result.a!=",
        "",
      ];
      for (const value of evil) {
        for (const field of fields) {
          const asked = parseJobQuery(`${field}"${value.replaceAll(/["\\]/g, String.raw`\$&`)}"`);
          const known = modelOf(asked, null, jobs, now);
          const found = await walk(harness.store, asked, null, 500, UNBOUNDED);
          expect(found.ids, field + value).toEqual(known.map(({ id }) => id));
        }
        await refusedOrHarmless(harness.store, `payload.${value}=1`);
        await refusedOrHarmless(harness.store, `payload.a${value}[0]=1`);
        expect((await harness.store.jobs.search(EVERY_JOB, [value], 5, null, 0)).items.length).toBe(
          value === "*" ? 5 : 0,
        );
      }
      expect(await knownJobs(harness.store)).toEqual(jobs);
    });

    contract.test("DSH-06 one huge or odd job does not cost the others their page", async (harness) => {
      const huge = `${"x".repeat(200_000)}needle`;
      const { id } = await harness.enqueue({ payload: { a: huge } });
      const failing = await harness.running({ priority: 9, payload: "\0\u0001\u2028" });
      const message = `${"é".repeat(3_900)} foo`;
      await harness.fail(failing, "never", { outcome: "failed", error: { type: "E", message, stack: huge } });
      expect(await find(harness, "payload.a~NEEDLE")).toEqual([id]);
      expect(await find(harness, "error~foo")).toEqual([failing.id]);
      expect(await find(harness, "error~needle")).toEqual([]);
      for (const filter of ["foo", "%", "_", "'", "\\", '"("'])
        expect(await find(harness, filter)).toEqual([]);
    });
  });
}
