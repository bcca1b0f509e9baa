import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, vi } from "vitest";
import { queueOf, type JobEvent, type JournalEvent } from "../../src/core/journal.js";
import { TRANSITIONS, type JobState } from "../../src/core/states.js";
import { WANTED_MS } from "../../src/store/events.js";
import type { Store } from "../../src/store/store.js";
import { enqueue } from "../../src/engine/enqueue.js";
import { fireDue } from "../../src/engine/schedules/fire.js";
import { putSchedule } from "../../src/engine/schedules/put.js";
import type { Contract } from "./contract.js";
import { allJobs } from "../support/recount.js";
import { claimRequest, LEASE_MS, refusal, type Harness } from "./harness.js";

/** Everything after an id, read in pages of `limit`. */
async function eventsAfter(store: Store, id: number, limit = 500): Promise<JournalEvent[]> {
  const events: JournalEvent[] = [];
  for (;;) {
    const page = await store.events.after(events.at(-1)?.seq ?? id, limit);
    if (page.gap !== null) throw new Error(`A gap after ${id}: ${page.gap}`);
    events.push(...page.events);
    if (page.events.length < limit) return events;
  }
}

/** Begins to record. Resolves with what tells everything that has happened since. */
async function follow(store: Store): Promise<() => Promise<JournalEvent[]>> {
  await store.events.want();
  const start = await store.events.latest();
  return () => eventsAfter(store, start);
}

/** An event of a job in one line. */
function lineOf({ id, transition, from, to, attempt }: JobEvent): string {
  return `${id} ${transition}: ${from ?? "-"} > ${to ?? "-"} (${attempt})`;
}

function jobEvents(events: readonly JournalEvent[]): (JobEvent & JournalEvent)[] {
  return events.filter((event) => event.type === "job");
}

/** Checks that the events of each job are a path of the state machine. @returns where each path ends */
function endsOfPaths(events: readonly JournalEvent[]): Map<string, JobState | null> {
  const states = new Map<string, JobState | null>();
  for (const event of jobEvents(events)) {
    const { id, transition, from, to } = event;
    expect(from, lineOf(event)).toBe(states.get(id) ?? null);
    if (transition === "enqueue") expect(states.has(id)).toBe(false);
    else if (transition === "delete") expect(to).toBeNull();
    else {
      const known: { from: readonly JobState[]; to: readonly JobState[] } = TRANSITIONS[transition];
      expect(known.from, lineOf(event)).toContain(from);
      expect(known.to, lineOf(event)).toContain(to);
    }
    states.set(id, to);
  }
  return states;
}

function expectContiguous(events: readonly JournalEvent[]): void {
  const first = events[0]?.seq ?? 0;
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => first + index));
}

/** Each change of a job, and what its event says. */
const CHANGES: Readonly<Record<string, (harness: Harness) => Promise<readonly string[]>>> = {
  "an enqueue": async (harness) => {
    const [a, b] = await harness.enqueueMany([{}, { delayMs: 5 }]);
    return [`${a!.id} enqueue: - > pending (0)`, `${b!.id} enqueue: - > scheduled (0)`];
  },
  "an enqueue with a known key": async (harness) => {
    const { id } = await harness.enqueue({ idempotencyKey: "k" });
    await harness.enqueueKeyed({ idempotencyKey: "k" });
    return [`${id} enqueue: - > pending (0)`];
  },
  "a promotion": async (harness) => {
    const { id } = await harness.enqueue({ delayMs: 5 });
    harness.clock.block(5);
    await harness.store.claims.promote(10);
    return [`${id} enqueue: - > scheduled (0)`, `${id} promote: scheduled > pending (0)`];
  },
  "a completion, said twice": async (harness) => {
    const job = await harness.running();
    await harness.complete(job);
    await harness.complete(job);
    return [...started(job.id), `${job.id} complete: running > completed (1)`];
  },
  "a failure with another attempt": async (harness) => {
    const job = await harness.running();
    await harness.fail(job, { delayMs: 0 });
    return [...started(job.id), `${job.id} retry: running > pending (1)`];
  },
  "a failure for good": async (harness) => {
    const job = await harness.running();
    await harness.fail(job, "never");
    await harness.store.jobs.revive(job.id);
    return [...started(job.id), `${job.id} bury: running > dead (1)`, `${job.id} revive: dead > pending (1)`];
  },
  "a lost lease": async (harness) => {
    const job = await harness.running({ backoff: { type: "fixed", delayMs: 50 } });
    harness.clock.block(LEASE_MS);
    await harness.reap();
    return [...started(job.id), `${job.id} retry: running > scheduled (1)`];
  },
  "a release": async (harness) => {
    const job = await harness.running();
    await harness.release(job);
    return [...started(job.id), `${job.id} release: running > pending (0)`];
  },
  "a snooze": async (harness) => {
    const job = await harness.running();
    await harness.snooze(job, 5);
    return [...started(job.id), `${job.id} snooze: running > scheduled (0)`];
  },
  "a cancellation, said twice": async (harness) => {
    const job = await harness.running();
    await harness.store.jobs.cancel(job.id);
    await harness.store.jobs.cancel(job.id);
    return [...started(job.id), `${job.id} cancel: running > cancelled (1)`];
  },
  "a run now": async (harness) => {
    const { id } = await harness.enqueue({ delayMs: 5 });
    await harness.store.jobs.runNow(id);
    return [`${id} enqueue: - > scheduled (0)`, `${id} run-now: scheduled > pending (0)`];
  },
  "a delete": async (harness) => {
    const job = await harness.running();
    await harness.store.jobs.delete(job.id, true);
    return [...started(job.id), `${job.id} delete: running > - (1)`];
  },
  "a pruned job": async (harness) => {
    const job = await harness.running();
    await harness.complete(job);
    harness.clock.block(1_000);
    const forever = { cancelledMs: null, deadMs: null, maxCompleted: null };
    await harness.store.maintenance.prune({ ...forever, completedMs: 10 }, 10);
    return [
      ...started(job.id),
      `${job.id} complete: running > completed (1)`,
      `${job.id} delete: completed > - (1)`,
    ];
  },
  "a late word of a stale claim": async (harness) => {
    const job = await harness.running();
    await harness.store.jobs.cancel(job.id);
    expect(await refusal(harness.complete(job))).toBe("lease_lost");
    return [...started(job.id), `${job.id} cancel: running > cancelled (1)`];
  },
};

function started(id: string): string[] {
  return [`${id} enqueue: - > pending (0)`, `${id} claim: pending > running (1)`];
}

/** Something that either of two processes does, with luck: it may be refused or find nothing. */
type Work = (harness: Harness, store: Store, ids: readonly string[], pick: number) => Promise<unknown>;

const WORK: Readonly<Record<string, Work>> = {
  enqueue: (harness) => harness.enqueueMany([{ maxAttempts: 2 }, { delayMs: 20 }]),
  claim: (_, store) => store.claims.claim(claimRequest({ max: 2 })),
  complete: (_, store, ids, pick) => settleAny(store, ids, pick, "complete"),
  fail: (_, store, ids, pick) => settleAny(store, ids, pick, "fail"),
  release: (_, store, ids, pick) => settleAny(store, ids, pick, "release"),
  time: (harness) => {
    harness.clock.block(LEASE_MS / 2);
    return Promise.resolve();
  },
  reap: (harness) => harness.reap(),
  promote: (_, store) => store.claims.promote(10),
  cancel: (_, store, ids, pick) => store.jobs.cancel(any(ids, pick)),
  revive: (_, store, ids, pick) => store.jobs.revive(any(ids, pick)),
  runNow: (_, store, ids, pick) => store.jobs.runNow(any(ids, pick)),
  delete: (_, store, ids, pick) => store.jobs.delete(any(ids, pick), pick % 2 === 0),
};

function any(ids: readonly string[], pick: number): string {
  return ids[pick % Math.max(1, ids.length)] ?? "1";
}

async function settleAny(store: Store, ids: readonly string[], pick: number, verb: string): Promise<unknown> {
  const job = await store.jobs.get(any(ids, pick));
  const key = { id: job?.id ?? "1", token: job?.token ?? 0 };
  const failure = { outcome: "failed", error: { type: "Error", message: "x", stack: null } } as const;
  if (verb === "complete") {
    return store.claims.settle([{ verb, ...key, result: null, resultProblem: null }]);
  }
  if (verb === "release") return store.claims.settle([{ verb, ...key }]);
  return store.claims.settle([
    pick % 2 === 0
      ? { verb: "bury", ...key, failure }
      : { verb: "retry", ...key, delayMs: pick % 3, failure },
  ]);
}

export function eventsContract(contract: Contract): void {
  describe("events", () => {
    for (const [change, make] of Object.entries(CHANGES)) {
      contract.test(`${change} is told, each change once`, async (harness) => {
        const told = await follow(harness.store);
        const expected = await make(harness);
        const events = await told();
        expect(jobEvents(events).map(lineOf)).toEqual(expected);
        expectContiguous(events);
        for (const event of events) {
          expect(queueOf(event)).toBe("default");
          expect(event.at).toBeLessThanOrEqual(harness.store.now());
        }
      });
    }

    contract.test("pausing and resuming a queue is told when it changes something", async (harness) => {
      const { queues } = harness.store;
      const told = await follow(harness.store);
      await queues.resume("q");
      await queues.pause("q", "a");
      await queues.pause("q", "a");
      await queues.pause("q", "b");
      await queues.resume("q");
      await queues.resume("q");
      const events = await told();
      expect(events.map((event) => event.type === "queue" && event.action)).toEqual([
        "paused",
        "paused",
        "resumed",
      ]);
    });

    contract.test("what happens to schedules and their slots is told", async (harness) => {
      const { engine, store, clock } = harness;
      const told = await follow(store);
      await putSchedule(engine, "often", { everyMs: 60_000, job: { name: "work", queue: "q" } }, "api");
      await clock.advance(60_000);
      await fireDue(engine);
      await store.schedules.pause("often", null);
      const paused = (await store.schedules.get("often"))!;
      const next = { slot: clock.now() + 5, at: clock.now() + 5 };
      await store.schedules.resume("often", paused.version, next);
      const { version } = (await store.schedules.get("often"))!;
      await store.schedules.stop("often", version, "no such zone");
      await store.schedules.delete("often");
      await store.schedules.delete("often");
      const events = (await told()).filter((event) => event.type === "schedule");
      expect(events.map(({ action }) => action)).toEqual([
        "written",
        "fired",
        "paused",
        "resumed",
        "stopped",
        "deleted",
      ]);
      expect(events.map(queueOf)).toEqual(events.map(() => "q"));
      expect(events[1]).toMatchObject({ key: "often", jobId: "1" });
    });

    contract.test(
      "nothing is recorded when nobody wants it, and everything once somebody does",
      async (harness) => {
        const { store } = harness;
        const other = await harness.another();
        await harness.enqueue();
        expect(await store.events.latest()).toBe(0);
        await other.events.want();
        const start = await other.events.latest();
        const { id } = await harness.enqueue();
        await other.jobs.cancel(id);
        expect((await eventsAfter(other, start)).map(({ seq }) => seq)).toEqual([start + 1, start + 2]);
        // Wanted again in time: it goes on without a gap.
        harness.clock.block(WANTED_MS - 1);
        await store.events.want();
        harness.clock.block(WANTED_MS - 1);
        await harness.enqueue();
        expect(await eventsAfter(other, start)).toHaveLength(3);
        harness.clock.block(1);
        await harness.enqueue();
        expect(await eventsAfter(other, start)).toHaveLength(3);
      },
    );

    contract.test("what happened unrecorded is a gap for those who followed before", async (harness) => {
      const { store, clock } = harness;
      await store.events.want();
      await harness.enqueue();
      const before = await store.events.latest();
      clock.block(WANTED_MS);
      await harness.enqueue();
      // A clock that goes back must not hide it.
      clock.stepWall(-WANTED_MS);
      await store.events.want();
      expect(await store.events.after(before, 10)).toMatchObject({ events: [], gap: "history_gap" });
      const start = await store.events.latest();
      expect(await store.events.oldest()).toBe(start);
      await harness.enqueue();
      expect(await eventsAfter(store, start)).toHaveLength(1);
    });

    contract.test(
      "ids that no event has had yet, and ids no longer kept, are told apart",
      async (harness) => {
        const { store } = harness;
        await store.events.want();
        const latest = await store.events.latest();
        expect(await store.events.after(latest, 10)).toEqual({ events: [], gap: null, latest });
        expect(await store.events.after(latest + 1, 10)).toEqual({ events: [], gap: "unknown_id", latest });
        expect(await store.events.after(latest - 1, 10)).toEqual({ events: [], gap: "history_gap", latest });
      },
    );

    contract.test("a page of any size ends anywhere, also within one write", async (harness) => {
      await harness.store.events.want();
      const start = await harness.store.events.latest();
      await harness.enqueueMany(Array.from({ length: 700 }, () => ({})));
      await harness.enqueueMany([{}, {}, {}]);
      const all = await eventsAfter(harness.store, start, 1_000);
      expect(all).toHaveLength(703);
      expectContiguous(all);
      for (const limit of [1, 7, 499, 500, 501, 703]) {
        expect(await eventsAfter(harness.store, start, limit), String(limit)).toEqual(all);
      }
    });

    contract.test("a refused write leaves none, beside others in the same moment", async (harness) => {
      await harness.enqueue({ idempotencyKey: "k", payload: 1 });
      const told = await follow(harness.store);
      const [code] = await Promise.all([
        refusal(harness.enqueueKeyed({ idempotencyKey: "k", payload: 2 })),
        harness.enqueue(),
        harness.enqueue(),
      ]);
      expect(code).toBe("idempotency_key_reused");
      expect(await told()).toHaveLength(2);
    });

    contract.test("old and surplus events are removed, and what is left has no gap", async (harness) => {
      const { store, clock } = harness;
      await store.events.want();
      const start = await store.events.latest();
      for (let n = 0; n < 10; n += 1) await harness.enqueue();
      clock.block(100);
      for (let n = 0; n < 10; n += 1) await harness.enqueue();
      expect(await store.events.prune(1_000, 20, 100)).toBe(0);
      expect(await store.events.prune(1_000, 15, 3)).toBe(3);
      expect(await store.events.prune(1_000, 15, 100)).toBe(2);
      expect(await store.events.oldest()).toBe(start + 5);
      expect(await store.events.prune(50, 20, 100)).toBe(5);
      expect(await store.events.oldest()).toBe(start + 10);
      expect(await eventsAfter(store, start + 10)).toHaveLength(10);
      expect((await store.events.after(start + 9, 10)).gap).toBe("history_gap");
      clock.block(100);
      expect(await store.events.prune(50, 20, 100)).toBe(10);
      expect(await store.events.oldest()).toBe(start + 20);
      expect(await eventsAfter(store, start + 20)).toEqual([]);
      await harness.enqueue();
      expect(await eventsAfter(store, start + 20)).toHaveLength(1);
    });

    contract.test(
      "a change of events is told to listeners in this process and in others",
      async (harness) => {
        const other = await harness.another();
        const job = await harness.running();
        const heard: string[] = [];
        harness.store.onChange(({ events }) => events && heard.push("here"));
        other.onChange(({ events }) => events && heard.push("there"));
        await harness.store.events.want();
        // The other one listens by now, and has heard of what was before.
        await vi.waitFor(async () => {
          await harness.enqueue();
          await harness.clock.advance(50);
          expect(heard).toContain("there");
        });
        await harness.clock.advance(50);
        heard.length = 0;
        await harness.complete(job);
        expect(heard).toContain("here");
        await vi.waitFor(async () => {
          await harness.clock.advance(50);
          expect(heard).toContain("there");
        });
      },
    );

    contract.test(
      "who follows while others write is told of everything once, in one order",
      async (harness) => {
        const stores = await Promise.all([1, 2, 3].map(() => harness.another()));
        await harness.store.events.want();
        const start = await harness.store.events.latest();
        const jobs = 150;
        let writing = true;
        const followers = stores.map(async (store) => {
          const told: JournalEvent[] = [];
          let more = true;
          while (more) {
            // Reading alone may never let the writers have their turn.
            await setImmediate();
            more = writing;
            const page = await store.events.after(told.at(-1)?.seq ?? start, 20);
            expect(page.gap).toBeNull();
            told.push(...page.events);
            more ||= page.events.length > 0;
          }
          return told;
        });
        const writers = stores.map(async (store) => {
          for (let n = 0; n < jobs / 3; n += 1) {
            await enqueue({ ...harness.engine, store }, { name: "work" });
            const claimed = await store.claims.claim(claimRequest({ max: 2 }));
            const done = claimed.map(({ id, token }) => ({ id, token, result: null, resultProblem: null }));
            await store.claims.settle(done.map((claim) => ({ verb: "complete", ...claim })));
          }
        });
        await Promise.all(writers);
        writing = false;
        const [told, ...others] = await Promise.all(followers);
        for (const other of others) expect(other).toEqual(told);
        expectContiguous(told!);
        const ends = endsOfPaths(told!);
        expect(ends.size).toBe(jobs);
        for (const [id, end] of ends) expect(await harness.state(id)).toBe(end);
      },
    );

    contract.test("once events are wanted none is left out, whoever is just writing", async (harness) => {
      const other = await harness.another();
      const another = await harness.another();
      const ids: string[] = [];
      const follow = async (store: Store) => {
        await store.events.want();
        const start = await store.events.latest();
        const seen = await allJobs(store);
        return async () => {
          const told = jobEvents(await eventsAfter(store, start));
          return new Set([...told, ...seen].map(({ id }) => id));
        };
      };
      for (let round = 0; round < 20; round += 1) {
        let writing = true;
        const writers = Array.from({ length: 8 }, async (_, index) => {
          const store = index % 2 === 0 ? other : another;
          while (writing) ids.push((await enqueue({ ...harness.engine, store }, { name: "work" })).id);
        });
        const known = await Promise.all([follow(harness.store), follow(another)]);
        writing = false;
        await Promise.all(writers);
        const all = new Set(ids);
        for (const of of known) expect(await of()).toEqual(all);
        // The wish ends, and is noticed by the next writer.
        harness.clock.block(WANTED_MS + 1);
        ids.push((await harness.enqueue()).id);
      }
    });

    contract.test("who reads while old events are removed is told all, or of a gap", async (harness) => {
      const other = await harness.another();
      await harness.store.events.want();
      const start = await harness.store.events.latest();
      for (let n = 0; n < 60; n += 1) await harness.enqueue();
      let removed = 0;
      for (let max = 59; max >= 0; max -= 1) {
        const told = [0, 1, 2].map((ahead) => Math.min(removed + ahead, 60));
        const [n, ...pages] = await Promise.all([
          other.events.prune(1e9, max, 100),
          ...told.map((n) => harness.store.events.after(start + n, 100)),
        ]);
        for (const [index, { events, gap }] of pages.entries()) {
          if (gap === null) expect(events).toHaveLength(60 - told[index]!);
          else expect(gap).toBe("history_gap");
        }
        removed += n;
      }
      expect(removed).toBe(60);
    });

    contract.test(
      "random work of two processes: every job's events are a path of the state machine to its state",
      async (harness) => {
        const other = await harness.another();
        const told = await follow(harness.store);
        const ids: string[] = [];
        const work = fc.record({
          what: fc.constantFrom(...Object.keys(WORK)),
          pick: fc.nat(),
          second: fc.boolean(),
        });
        await fc.assert(
          fc.asyncProperty(fc.array(work, { minLength: 10, maxLength: 40 }), async (works) => {
            // Some of it at once, so that the writes share transactions.
            for (let from = 0; from < works.length; from += 4) {
              await Promise.all(
                works.slice(from, from + 4).map(async ({ what, pick, second }) => {
                  const store = second ? other : harness.store;
                  const made = await WORK[what]!(harness, store, ids, pick);
                  if (what === "enqueue") ids.push(...(made as { id: string }[]).map(({ id }) => id));
                }),
              );
            }
          }),
          { seed: 4, numRuns: 60, endOnFailure: true },
        );
        const events = await told();
        expectContiguous(events);
        expect(events.length).toBeGreaterThan(500);
        const ends = endsOfPaths(events);
        expect([...ends.keys()].toSorted()).toEqual(ids.toSorted());
        for (const [id, end] of ends) {
          expect(await harness.state(id)).toBe(end ?? "gone");
        }
        const enqueued = jobEvents(events).filter(({ transition }) => transition === "enqueue");
        expect(enqueued).toHaveLength(ids.length);
      },
    );
  });
}
