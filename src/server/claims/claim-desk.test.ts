import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { FakeClock } from "../../../test/support/fake-clock.js";
import { settled } from "../../../test/support/settled.js";
import { tempDirectory } from "../../../test/support/temp-directory.js";
import { MAX_CLAIM_BYTES, MAX_PAYLOAD_BYTES } from "../../core/defaults.js";
import { KonveierError } from "../../core/errors.js";
import type { ClaimedJob } from "../../core/job.js";
import type { AnyClaim } from "../../engine/claim.js";
import { createContext, type EngineContext } from "../../engine/context.js";
import { enqueue, enqueueMany } from "../../engine/enqueue.js";
import { openSqliteStore } from "../../store/sqlite/open.js";
import { ClaimDesk } from "./claim-desk.js";

/** A desk whose clock stands still: only a change of the store or the test wakes anybody. */
function setUp(): { context: EngineContext; clock: FakeClock; desk: ClaimDesk } {
  const store = openSqliteStore(join(tempDirectory(), "konveier.db"));
  onTestFinished(() => store.close());
  const clock = new FakeClock();
  const context = createContext(store, { clock });
  const desk = new ClaimDesk(context);
  onTestFinished(() => desk.close());
  return { context, clock, desk };
}

/** Of a client that stays. */
const never = (): AbortSignal => new AbortController().signal;
const WAIT_MS = 60_000;

function by(workerId: string, changes: Partial<AnyClaim> = {}): AnyClaim {
  return { workerId, queues: ["default"], names: null, max: 1, leaseMs: 30_000, ...changes };
}

/** A claim that waits, and what has come of it so far. */
function waiting(
  desk: ClaimDesk,
  request: AnyClaim,
  gone: AbortSignal = never(),
): { jobs: readonly ClaimedJob[] | null; error: unknown } {
  const outcome: { jobs: readonly ClaimedJob[] | null; error: unknown } = { jobs: null, error: null };
  desk.claim(request, WAIT_MS, gone).then(
    (jobs) => (outcome.jobs = jobs),
    (error: unknown) => (outcome.error = error),
  );
  return outcome;
}

const ids = (outcome: { jobs: readonly ClaimedJob[] | null }): string[] | null =>
  outcome.jobs?.map(({ id }) => id) ?? null;

describe("a waiting claim", () => {
  test("is answered at once when there is a job", async () => {
    const { context, desk } = setUp();
    const job = await enqueue(context, { name: "a" });
    expect(await desk.claim(by("w"), WAIT_MS, never())).toMatchObject([{ id: job.id, attempt: 1 }]);
  });

  test("is woken by a job, and only by one that it can have", async () => {
    const { context, desk } = setUp();
    const outcome = waiting(desk, by("w", { queues: ["mail", "default"], names: ["a"] }));
    await settled();
    await enqueueMany(context, [{ name: "a", queue: "other" }, { name: "b" }]);
    await settled();
    expect(outcome.jobs).toBeNull();
    const job = await enqueue(context, { name: "a" });
    await settled();
    expect(ids(outcome)).toEqual([job.id]);
  });

  test("misses no job that comes while it looks", async () => {
    const { context, desk } = setUp();
    const claim = context.store.claims.claim.bind(context.store.claims);
    vi.spyOn(context.store.claims, "claim").mockImplementationOnce(async (request) => {
      const jobs = await claim(request);
      // Stored, and told to all who wait, before this look has come to its end.
      await enqueue(context, { name: "a" });
      return jobs;
    });
    const outcome = waiting(desk, by("w"));
    await settled();
    expect(ids(outcome)).toEqual(["1"]);
  });

  test("looks again by itself, should a wake-up be lost", async () => {
    const { context, clock, desk } = setUp();
    const outcome = waiting(desk, by("w"));
    await settled();
    const claims = vi.spyOn(context.store.claims, "claim");
    await clock.advance(3_000);
    expect(claims.mock.calls.length).toBeGreaterThanOrEqual(2);
    expect(outcome.jobs).toBeNull();
  });

  test("ends without jobs when its time is up", async () => {
    const { clock, desk } = setUp();
    const outcome = waiting(desk, by("w"));
    await clock.advance(WAIT_MS - 1);
    expect(outcome.jobs).toBeNull();
    await clock.advance(1);
    expect(outcome.jobs).toEqual([]);
  });

  test("leaves no timer behind", async () => {
    const { context, clock, desk } = setUp();
    await settled();
    const idle = clock.pendingTimers;
    const outcome = waiting(desk, by("w"));
    await enqueue(context, { name: "a" });
    await settled();
    expect(outcome.jobs).toHaveLength(1);
    expect(clock.pendingTimers).toBe(idle);
  });

  test("gets nothing any more when its client is gone", async () => {
    const { context, desk } = setUp();
    const client = new AbortController();
    const outcome = waiting(desk, by("w"), client.signal);
    await settled();
    client.abort();
    await settled();
    expect(outcome.jobs).toEqual([]);
    await enqueue(context, { name: "a" });
    await settled();
    expect(await desk.claim(by("other"), 0, never())).toMatchObject([{ attempt: 1 }]);
  });

  test("is told of faults like any claim", async () => {
    const { desk } = setUp();
    const bad = desk.claim(by("", { queues: [], max: 0 }), WAIT_MS, never());
    await expect(bad).rejects.toMatchObject({ code: "validation_failed" });
  });

  test("that fails does not take the others with it", async () => {
    const { context, desk } = setUp();
    const claim = context.store.claims.claim.bind(context.store.claims);
    vi.spyOn(context.store.claims, "claim").mockImplementation((request) =>
      request.workerId === "broken" ? Promise.reject(new KonveierError("store_busy", "x")) : claim(request),
    );
    const broken = waiting(desk, by("broken"));
    const sound = waiting(desk, by("sound"));
    await settled();
    expect(broken.error).toMatchObject({ code: "store_busy" });
    const job = await enqueue(context, { name: "a" });
    await settled();
    expect(ids(sound)).toEqual([job.id]);
  });
});

describe("many waiting claims", () => {
  test("are served in the order of their arrival", async () => {
    const { context, desk } = setUp();
    const outcomes = Array.from({ length: 40 }, (_, index) => waiting(desk, by(`w${index}`)));
    await settled();
    const jobs = await enqueueMany(
      context,
      Array.from({ length: 25 }, () => ({ name: "a" })),
    );
    await settled();
    expect(outcomes.slice(0, 25).map((outcome) => ids(outcome)?.[0])).toEqual(jobs.map(({ id }) => id));
    expect(outcomes.slice(25).every(({ jobs }) => jobs === null)).toBe(true);
  });

  test("are served one after another when each gets all that a claim may carry", async () => {
    const { context, desk } = setUp();
    const outcomes = Array.from({ length: 3 }, (_, index) => waiting(desk, by(`w${index}`, { max: 1000 })));
    await settled();
    const payload = "x".repeat(MAX_PAYLOAD_BYTES - 2);
    const largest = MAX_CLAIM_BYTES / MAX_PAYLOAD_BYTES;
    await enqueueMany(
      context,
      Array.from({ length: 2 * largest + 1 }, () => ({ name: "a", payload })),
    );
    await settled();
    expect(outcomes.map(({ jobs }) => jobs?.length)).toEqual([largest, largest, 1]);
  });

  test.each([
    ["in one line", () => ["a"]],
    ["in lines of their own", (index: number) => [`name-${index}`]],
    ["without a wait", null],
  ])("for many queues do not all look in one turn of the event loop: %s", async (_what, namesOf) => {
    const { context, desk } = setUp();
    const queues = Array.from({ length: 1_000 }, (_, index) => `queue-${index}`);
    let looksInTurn = 0;
    let most = 0;
    const claim = context.store.claims.claimAs.bind(context.store.claims);
    const looks = vi.spyOn(context.store.claims, "claimAs").mockImplementation((request) => {
      if (looksInTurn === 0) setImmediate(() => (looksInTurn = 0));
      looksInTurn += 1;
      most = Math.max(most, looksInTurn);
      return claim(request);
    });
    const outcomes = Array.from({ length: 20 }, (_, index) => {
      const names = namesOf?.(index) ?? null;
      const request = by(`w${index}`, { queues, names, claimId: "c" });
      return namesOf === null ? desk.claim(request, 0, never()) : waiting(desk, request);
    });
    await settled();
    // Others look in the meantime, each in its own turn.
    await enqueueMany(context, [{ name: "x", queue: "queue-7" }]);
    await settled();
    expect(outcomes).toHaveLength(20);
    expect(looks.mock.calls.length).toBeGreaterThanOrEqual(20);
    expect(most).toBeLessThanOrEqual(2);
  });

  test("whose client is gone before its turn to look gets nothing", async () => {
    const { context, desk } = setUp();
    const queues = Array.from({ length: 1_000 }, (_, index) => `queue-${index}`);
    const first = waiting(desk, by("first", { queues: [...queues, "first"] }));
    const client = new AbortController();
    const gone = waiting(desk, by("gone", { queues }), client.signal);
    const next = waiting(desk, by("next", { queues: [...queues, "next"] }));
    client.abort();
    await settled();
    expect([first.jobs, gone.jobs, next.jobs]).toEqual([null, [], null]);
    const jobs = await enqueueMany(context, [
      { name: "x", queue: "first" },
      { name: "x", queue: "next" },
    ]);
    await settled();
    expect([ids(first), ids(next)]).toEqual(jobs.map(({ id }) => [id]));
  });

  test("do not all ask for one job", async () => {
    const { context, desk } = setUp();
    for (let index = 0; index < 200; index += 1) waiting(desk, by(`w${index}`));
    await settled();
    const claims = vi.spyOn(context.store.claims, "claim");
    await enqueue(context, { name: "a" });
    await settled();
    // One gets it, and two find that nothing is left.
    expect(claims.mock.calls.length).toBeLessThanOrEqual(3);
  });

  test("with other names are not held up by those in front", async () => {
    const { context, desk } = setUp();
    for (let index = 0; index < 50; index += 1) waiting(desk, by(`w${index}`, { names: ["a"] }));
    const outcome = waiting(desk, by("b", { names: ["b"] }));
    await settled();
    const job = await enqueue(context, { name: "b" });
    await settled();
    expect(ids(outcome)).toEqual([job.id]);
  });

  test("share one subscription", async () => {
    const { context, desk } = setUp();
    const subscribe = vi.spyOn(context.store, "onChange");
    for (let index = 0; index < 20; index += 1) waiting(desk, by(`w${index}`, { queues: [`q${index}`] }));
    await settled();
    expect(subscribe).not.toHaveBeenCalled();
  });
});

describe("a claim with a name", () => {
  test("that comes again while the first waits gets the same jobs, whichever of them its worker still hears", async () => {
    const { context, desk } = setUp();
    const first = waiting(desk, by("w", { claimId: "c" }));
    for (let index = 0; index < 10; index += 1) waiting(desk, by(`w${index}`));
    const second = waiting(desk, by("w", { claimId: "c" }));
    await settled();
    expect([first.jobs, second.jobs]).toEqual([null, null]);
    const job = await enqueue(context, { name: "a" });
    await settled();
    expect([ids(first), ids(second)]).toEqual([[job.id], [job.id]]);
    expect(second.jobs).toEqual(first.jobs);
  });

  test("that comes too late, when its client is gone, ends no other", async () => {
    const { context, desk } = setUp();
    const heard = waiting(desk, by("w", { claimId: "c" }));
    await settled();
    const client = new AbortController();
    const late = waiting(desk, by("w", { claimId: "c" }), client.signal);
    await settled();
    client.abort();
    const job = await enqueue(context, { name: "a" });
    await settled();
    expect([late.jobs, ids(heard)]).toEqual([[], [job.id]]);
  });

  test("shares nothing with another claimant's of the same name", async () => {
    const { context, desk } = setUp();
    const first = waiting(desk, by("w", { claimId: "c", claimant: "one" }));
    const second = waiting(desk, by("w", { claimId: "c", claimant: "two" }));
    await settled();
    expect([first.jobs, second.jobs]).toEqual([null, null]);
    const jobs = await enqueueMany(context, [{ name: "a" }, { name: "a" }]);
    await settled();
    expect([ids(first), ids(second)]).toEqual([[jobs[0]?.id], [jobs[1]?.id]]);
  });

  test("that comes again while the first is served gets the same jobs", async () => {
    const { context, desk } = setUp();
    await enqueueMany(context, [{ name: "a" }, { name: "a" }]);
    const first = waiting(desk, by("w", { claimId: "c" }));
    const second = waiting(desk, by("w", { claimId: "c" }));
    await settled();
    expect(first.jobs).toMatchObject([{ id: "1", attempt: 1 }]);
    expect(second.jobs).toEqual(first.jobs);
  });

  test("that comes again gets its jobs, however many wait before it", async () => {
    const { context, desk } = setUp();
    await enqueue(context, { name: "a" });
    const [job] = await desk.claim(by("w", { claimId: "c" }), 0, never());
    for (let index = 0; index < 100; index += 1) waiting(desk, by(`w${index}`));
    await settled();
    const again = waiting(desk, by("w", { claimId: "c" }));
    await settled();
    expect(again.jobs).toEqual([job]);
  });

  test("whose jobs have ended is answered without any, and holds up nobody behind it", async () => {
    const { context, desk } = setUp();
    await enqueue(context, { name: "a" });
    const [job] = await desk.claim(by("w", { claimId: "c" }), 0, never());
    const { id, token } = job!;
    await context.store.claims.settle([{ verb: "complete", id, token, result: null, resultProblem: null }]);
    const again = waiting(desk, by("w", { claimId: "c" }));
    const next = waiting(desk, by("next"));
    const added = await enqueue(context, { name: "a" });
    await settled();
    expect([again.jobs, ids(next)]).toEqual([[], [added.id]]);
    expect(await desk.claim(by("w", { claimId: "c" }), 0, never())).toEqual([]);
  });

  test("that gets few of many leaves no job lying", async () => {
    const { context, desk } = setUp();
    await enqueue(context, { name: "a" });
    await desk.claim(by("w", { claimId: "c", max: 5 }), 0, never());
    const again = waiting(desk, by("w", { claimId: "c", max: 5 }));
    const next = waiting(desk, by("next", { max: 5 }));
    await enqueue(context, { name: "a" });
    await settled();
    expect([ids(again), ids(next)]).toEqual([["1"], ["2"]]);
  });
});

describe("a desk that drains", () => {
  test("answers those who wait and refuses new claims", async () => {
    const { desk } = setUp();
    const outcomes = [waiting(desk, by("w1")), waiting(desk, by("w2", { queues: ["mail"] }))];
    await settled();
    desk.drain();
    await settled();
    expect(outcomes.map(({ jobs }) => jobs)).toEqual([[], []]);
    await expect(desk.claim(by("w3"), 0, never())).rejects.toMatchObject({ code: "draining" });
    await expect(desk.claim(by("w3"), WAIT_MS, never())).rejects.toMatchObject({ code: "draining" });
  });

  test("hands over what was on its way", async () => {
    const { context, desk } = setUp();
    const claim = context.store.claims.claim.bind(context.store.claims);
    vi.spyOn(context.store.claims, "claim").mockImplementation(async (request) => {
      const jobs = await claim(request);
      if (jobs.length > 0) desk.drain();
      return jobs;
    });
    const outcome = waiting(desk, by("w"));
    await settled();
    const job = await enqueue(context, { name: "a" });
    await settled();
    expect(ids(outcome)).toEqual([job.id]);
  });
});
