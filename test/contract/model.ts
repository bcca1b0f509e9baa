import fc from "fast-check";
import { describe, expect } from "vitest";
import type { LeaseLossReason } from "../../src/core/errors.js";
import type { Settlement } from "../../src/store/claims.js";
import type { JobChange } from "../../src/store/jobs.js";
import { allJobs, checkBooks } from "../support/recount.js";
import type { Contract } from "./contract.js";
import { BOOM, LEASE_MS, type Harness } from "./harness.js";
import { ModelQueue, type ModelClaim, type ModelJob, type Verb } from "./model-jobs.js";

const LONG = process.env["KONVEIER_LONG_TESTS"] === "1";
const [WALKS, TIMEOUT_MS] = LONG ? [1_000, 900_000] : [40, 120_000];

const BACKOFF_MS = 50;
const VERBS = [
  "complete",
  "fail",
  "bury",
  "release",
  "snooze",
  "extend",
  "progress",
] as const satisfies Verb[];

/** One thing that happens. Indexes are taken modulo what there is. */
type Action =
  | { type: "enqueue"; name: string; priority: number; delayMs: number; budget: number }
  | { type: "claim"; max: number; names: readonly string[] | null }
  | { type: "write"; claim: number; verb: Verb; delayMs: number }
  | { type: "time"; ms: number }
  | { type: "reap" | "promote" | "pause" | "resume" }
  | { type: "cancel" | "revive" | "run-now" | "delete" | "force-delete"; job: number };

const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constant("enqueue"),
      name: fc.constantFrom("a", "b", "c"),
      priority: fc.integer({ min: 0, max: 2 }),
      delayMs: fc.constantFrom(0, 0, 40, 150),
      budget: fc.integer({ min: 1, max: 3 }),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constant("claim"),
      max: fc.integer({ min: 1, max: 4 }),
      names: fc.constantFrom(null, ["a"], ["b", "c"]),
    }),
  },
  {
    weight: 10,
    arbitrary: fc.record({
      type: fc.constant("write"),
      claim: fc.nat(),
      verb: fc.constantFrom(...VERBS),
      delayMs: fc.constantFrom(0, 40),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ type: fc.constant("time"), ms: fc.constantFrom(1, 40, LEASE_MS / 2, LEASE_MS) }),
  },
  {
    weight: 6,
    arbitrary: fc.record({ type: fc.constantFrom("reap", "promote", "reap", "promote", "pause", "resume") }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constantFrom("cancel", "revive", "run-now", "delete", "force-delete"),
      job: fc.nat(),
    }),
  },
);

/** Does to the store and to the model what the actions say, and compares every answer. */
class Walk {
  readonly #model = new ModelQueue(LEASE_MS, BACKOFF_MS);

  constructor(
    private readonly harness: Harness,
    private readonly queue: string,
  ) {}

  async take(action: Action): Promise<void> {
    const { harness } = this;
    switch (action.type) {
      case "enqueue":
        return this.#enqueue(action);
      case "claim":
        return this.#claim(action.max, action.names);
      case "write":
        return this.#write(action);
      case "time":
        harness.clock.block(action.ms);
        return;
      case "reap":
        await harness.reap();
        this.#model.reap(harness.clock.now());
        return;
      case "promote":
        await harness.store.claims.promote(1_000);
        this.#model.promote(harness.clock.now());
        return;
      case "pause":
      case "resume":
        if (action.type === "pause") await harness.store.queues.pause(this.queue, null);
        else await harness.store.queues.resume(this.queue);
        this.#model.paused = action.type === "pause";
        return;
      default:
        return this.#change(action);
    }
  }

  /** The whole queue is as the model says. */
  async compare(): Promise<void> {
    const { store } = this.harness;
    const jobs = await allJobs(store, { queue: this.queue });
    const seen = jobs.map(({ id, state, attempt, maxAttempts, runAt, token, leaseExpiresAt }) => ({
      id,
      state,
      attempt,
      maxAttempts,
      runAt,
      token: token ?? 0,
      leaseUntil: leaseExpiresAt,
    }));
    const wanted = [...this.#model.jobs.values()].map(
      ({ id, state, attempt, maxAttempts, runAt, token, leaseUntil }) => ({
        id,
        state,
        attempt,
        maxAttempts,
        runAt,
        token,
        leaseUntil: state === "running" ? leaseUntil : null,
      }),
    );
    expect(seen.toReversed()).toEqual(wanted);
    for (const { id, history } of this.#model.jobs.values()) {
      const ended = (await store.jobs.attempts(id)).filter(
        ({ outcome }) => outcome !== "running" && outcome !== "completed",
      );
      expect(ended.map(({ outcome }) => outcome)).toEqual(history);
    }
    await checkBooks(store);
  }

  /** Leaves nothing behind for the next walk. */
  async cleanUp(): Promise<void> {
    for (const id of this.#model.jobs.keys()) await this.harness.store.jobs.delete(id, true);
  }

  async #enqueue({ name, priority, delayMs, budget }: Extract<Action, { type: "enqueue" }>): Promise<void> {
    const backoff = { type: "fixed", delayMs: BACKOFF_MS } as const;
    const request = { queue: this.queue, name, priority, delayMs, maxAttempts: budget, backoff };
    const { id, runAt } = await this.harness.enqueue(request);
    this.#model.enqueue({ id, name, priority, budget, runAt }, this.harness.clock.now());
  }

  async #claim(max: number, names: readonly string[] | null): Promise<void> {
    const wanted = this.#model.next(max, names);
    const claimed = await this.harness.claim({ queues: [this.queue], names, max });
    expect(claimed.map(({ id }) => id)).toEqual(wanted.map(({ id }) => id));
    for (const [index, job] of wanted.entries()) {
      const { token, failures, attempt } = claimed[index]!;
      const last = Math.max(0, ...this.#model.claims.map((claim) => claim.token));
      // In one claim tokens grow in no particular order.
      if (index === 0) expect(Math.min(...claimed.map((each) => each.token))).toBeGreaterThan(last);
      expect(failures).toBe(attempt - 1 - (job.maxAttempts - job.budget));
      this.#model.claimed(job, token, this.harness.clock.now());
    }
  }

  async #write({ claim: index, verb, delayMs }: Extract<Action, { type: "write" }>): Promise<void> {
    const { claims } = this.#model;
    const claim = claims[index % claims.length];
    if (claim === undefined) return;
    // The engine decides whether there is another attempt; the store does as it is told.
    const said = verb === "fail" && this.#model.isLastAttempt(claim) ? "bury" : verb;
    const answer = await this.#said(claim, said, delayMs);
    expect(answer, verb).toBe(this.#model.write(claim, verb, delayMs, this.harness.clock.now()));
  }

  async #said({ id, token }: ModelClaim, verb: Verb, delayMs: number): Promise<"ok" | LeaseLossReason> {
    const { claims } = this.harness.store;
    if (verb === "progress") return (await claims.progress({ id, token }, 50, null)) ?? "ok";
    const [answer] =
      verb === "extend"
        ? await claims.extend([{ id, token }], LEASE_MS)
        : await claims.settle([settlementOf(verb, id, token, delayMs)]);
    return answer!.ok ? "ok" : answer!.reason;
  }

  async #change({ type, job: index }: Extract<Action, { job: number }>): Promise<void> {
    const jobs = [...this.#model.jobs.values()];
    const job = jobs[index % jobs.length];
    if (job === undefined) return;
    const { outcome } = await this.#changed(type, job.id);
    expect(outcome, type).toBe(this.#modelChanged(type, job));
  }

  #changed(type: Extract<Action, { job: number }>["type"], id: string): Promise<JobChange> {
    const { jobs } = this.harness.store;
    switch (type) {
      case "cancel":
        return jobs.cancel(id);
      case "revive":
        return jobs.revive(id);
      case "run-now":
        return jobs.runNow(id);
      case "delete":
        return jobs.delete(id, false);
      case "force-delete":
        return jobs.delete(id, true);
    }
  }

  #modelChanged(type: Extract<Action, { job: number }>["type"], job: ModelJob): string {
    const now = this.harness.clock.now();
    switch (type) {
      case "cancel":
        return this.#model.cancel(job);
      case "revive":
        return this.#model.revive(job, now);
      case "run-now":
        return this.#model.runNow(job, now);
      case "delete":
        return this.#model.delete(job, false);
      case "force-delete":
        return this.#model.delete(job, true);
    }
  }
}

function settlementOf(
  verb: Exclude<Verb, "extend" | "progress">,
  id: string,
  token: number,
  delayMs: number,
): Settlement {
  const failure = { outcome: "failed", error: BOOM } as const;
  switch (verb) {
    case "complete":
      return { verb, id, token, result: null, resultProblem: null };
    case "fail":
      return { verb: "retry", id, token, delayMs, failure };
    case "bury":
      return { verb, id, token, failure };
    case "release":
      return { verb, id, token };
    case "snooze":
      return { verb, id, token, delayMs };
  }
}

export function modelContract(contract: Contract): void {
  describe("any sequence of calls", () => {
    const test = async (harness: Harness): Promise<void> => {
      let walks = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(action, { minLength: 20, maxLength: 60 }), async (actions) => {
          walks += 1;
          const walk = new Walk(harness, `walk-${walks}`);
          try {
            for (const action of actions) await walk.take(action);
            await walk.compare();
          } finally {
            await walk.cleanUp();
          }
        }),
        { seed: 20260105, numRuns: WALKS },
      );
    };
    contract.test("ends as the plain model of a queue says, stale claims included", test, TIMEOUT_MS);
  });
}
