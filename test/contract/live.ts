import { createHash } from "node:crypto";
import { describe, expect, vi } from "vitest";
import { parseJobQuery } from "../../src/core/job-query/parse.js";
import { changeBetween, type LiveChange } from "../../src/engine/live/change.js";
import { putSchedule } from "../../src/engine/schedules/put.js";
import { runSchedule } from "../../src/engine/schedules/by-hand.js";
import type { Store } from "../../src/store/store.js";
import type { Contract } from "./contract.js";
import type { Harness } from "./harness.js";

/** Longer than any store may take to notice another process. */
const SOON_MS = 50;
const WORKER = {
  id: "w1",
  claimant: null,
  host: "host",
  pid: 1,
  queues: ["a"],
  names: null,
  concurrency: 1,
  running: 0,
  state: "active",
} as const;
const TOKEN = {
  id: "t1",
  name: "t",
  digest: createHash("sha256").update("t").digest(),
  scopes: ["admin"],
  queues: null,
  createdBy: "root",
  expiresAt: null,
} as const;

/** What happening does, as two readings by this store tell it. Whether it says so itself is checked too. */
async function changeSeenBy(store: Store, happen: () => Promise<unknown>): Promise<LiveChange | null> {
  const before = await store.live.read();
  await happen();
  const after = await store.live.read();
  expect(after.version).not.toBe(before.version);
  // On a server with other databases something may happen at any time.
  await vi.waitFor(async () => {
    expect((await store.live.read()).version).toBe(await store.live.version());
  });
  return changeBetween(before, after);
}

/** Makes everything ready, and answers with what is to be watched. */
type Way = (harness: Harness) => Promise<() => Promise<unknown>>;

/** Each leaves the counts of the queue as they were. */
const UNSEEN_IN_COUNTS: Readonly<Record<string, Way>> = {
  progress: async (harness) => {
    const job = await harness.running();
    return () => harness.store.claims.progress(job, 50, null);
  },
  "a log line": async (harness) => {
    const job = await harness.running();
    return () => harness.store.claims.log(job, [{ level: "info", message: "x" }]);
  },
  "an extended lease": async (harness) => {
    const job = await harness.running();
    return () => harness.store.claims.extend([job], 60_000);
  },
  "a job cancelled and another one revived": async (harness) => {
    const [a, b] = await harness.enqueueMany([{}, {}]);
    await harness.store.jobs.cancel(a!.id);
    return async () => {
      await harness.store.jobs.cancel(b!.id);
      await harness.store.jobs.revive(a!.id);
    };
  },
  "a job that came and was removed": async (harness) => {
    const { id } = await harness.enqueue();
    return async () => {
      await harness.store.jobs.delete(id, false);
      await harness.enqueue();
    };
  },
  "a job completed, and a new one taken up, while retention removes an old one": async (harness) => {
    await harness.complete(await harness.running());
    const job = await harness.running();
    return async () => {
      await harness.complete(job);
      await harness.running();
      await harness.store.maintenance.prune(
        { completedMs: null, cancelledMs: null, deadMs: null, maxCompleted: 1 },
        10,
      );
    };
  },
};

const OTHERS: Readonly<Record<string, readonly [topic: string, Way]>> = {
  "a schedule that is written": ["schedules", (harness) => Promise.resolve(() => writeSchedule(harness))],
  "a schedule that is paused": [
    "schedules",
    async (harness) => {
      await writeSchedule(harness);
      return () => harness.store.schedules.pause("s", null);
    },
  ],
  "a schedule that is deleted": [
    "schedules",
    async (harness) => {
      await writeSchedule(harness);
      return () => harness.store.schedules.delete("s");
    },
  ],
  "a worker that is heard of": [
    "workers",
    (harness) => Promise.resolve(() => harness.store.workers.seen(WORKER)),
  ],
  "a worker that is heard of again": [
    "workers",
    async (harness) => {
      await harness.store.workers.seen(WORKER);
      harness.clock.block(5);
      return () => harness.store.workers.seen(WORKER);
    },
  ],
  "a worker that goes": [
    "workers",
    async (harness) => {
      await harness.store.workers.seen(WORKER);
      return () => harness.store.workers.gone("w1");
    },
  ],
  "a bulk operation that begins": ["operations", (harness) => Promise.resolve(() => startOperation(harness))],
  "a bulk operation that is cancelled": [
    "operations",
    async (harness) => {
      const { operation } = await startOperation(harness);
      return () => harness.store.operations.cancel(operation.id);
    },
  ],
  "a new token": ["tokens", (harness) => Promise.resolve(() => harness.store.tokens.insert(TOKEN))],
  "a token that is revoked": [
    "tokens",
    async (harness) => {
      await harness.store.tokens.insert(TOKEN);
      return () => harness.store.tokens.revoke("t1");
    },
  ],
  "an entry of the audit log": [
    "other",
    (harness) =>
      Promise.resolve(() =>
        harness.store.audit.begin({
          tokenId: "t1",
          tokenName: "t",
          session: false,
          ip: "::1",
          requestId: "r",
          action: "a",
          target: null,
          detail: null,
          status: null,
        }),
      ),
  ],
};

async function writeSchedule(harness: Harness): Promise<unknown> {
  return putSchedule(harness.engine, "s", { everyMs: 60_000, job: { name: "work" } }, "api", null);
}

function startOperation({ store }: Harness) {
  return store.operations.start({
    action: "cancel",
    query: parseJobQuery("state:pending"),
    queueGlobs: null,
    perSecond: 1,
    reason: null,
    matched: 0,
    createdBy: "t",
    preview: createHash("sha256").update("p").digest(),
    untilId: "1",
  });
}

export function liveContract(contract: Contract): void {
  describe("live", () => {
    contract.test("reads every queue, and differs in no mark while nothing is written", async (harness) => {
      await harness.enqueueMany([{ queue: "b" }, { queue: "a" }]);
      const reading = await harness.store.live.read();
      expect(reading.queues).toEqual(await harness.store.queues.list());
      expect(changeBetween(reading, await harness.store.live.read())).toBeNull();
      await harness.store.claims.promote(10);
      await harness.store.workers.gone("nobody");
      expect(changeBetween(reading, await harness.store.live.read())).toBeNull();
    });

    contract.test("tells which queues have changed, and that jobs have", async (harness) => {
      const other = await harness.another();
      await harness.enqueueMany([{ queue: "a" }, { queue: "b" }]);
      for (const store of [harness.store, other]) {
        const enqueued = await changeSeenBy(store, () =>
          harness.enqueueMany([{ queue: "b" }, { queue: "c" }]),
        );
        expect(enqueued?.topics).toEqual(["jobs"]);
        expect(enqueued?.queues.map(({ name }) => name)).toEqual(["b", "c"]);
        const paused = await changeSeenBy(store, () =>
          harness.store.queues.pause("a", String(store === other)),
        );
        expect(paused?.topics).toEqual([]);
        expect(paused?.queues).toMatchObject([{ name: "a" }]);
      }
    });

    for (const [way, prepare] of Object.entries(UNSEEN_IN_COUNTS)) {
      for (const where of ["this process", "another"]) {
        contract.test(`${way} tells that jobs have changed, to ${where}`, async (harness) => {
          const store = where === "another" ? await harness.another() : harness.store;
          const happen = await prepare(harness);
          const before = await store.live.read();
          const change = await changeSeenBy(store, happen);
          expect(change?.topics).toEqual(["jobs"]);
          const [queue] = (await store.live.read()).queues;
          expect(queue?.counts).toEqual(before.queues[0]?.counts);
        });
      }
    }

    for (const [way, [topic, prepare]] of Object.entries(OTHERS)) {
      contract.test(`${way} tells ${topic}, to this process and to others`, async (harness) => {
        const other = await harness.another();
        const happen = await prepare(harness);
        const here = await harness.store.live.read();
        const there = await changeSeenBy(other, happen);
        expect(there?.topics).toEqual([topic]);
        expect(changeBetween(here, await harness.store.live.read())?.topics).toEqual([topic]);
      });
    }

    contract.test("a slot that fires tells of schedules and of jobs", async (harness) => {
      await writeSchedule(harness);
      const change = await changeSeenBy(harness.store, () => runSchedule(harness.engine, "s"));
      expect(change?.topics).toEqual(["jobs", "schedules"]);
    });

    contract.test("a progress beside a worker's report hides behind neither", async (harness) => {
      const job = await harness.running();
      const change = await changeSeenBy(harness.store, async () => {
        await harness.store.workers.seen(WORKER);
        await harness.store.claims.progress(job, 1, null);
      });
      expect(change?.topics).toEqual(["jobs", "workers"]);
    });

    contract.test("what is only housekeeping is no change", async (harness) => {
      const change = await changeSeenBy(harness.store, async () => {
        await harness.store.checkWrite();
        await harness.store.events.want();
      });
      expect(change).toBeNull();
    });

    contract.test(
      "whoever wants to look at commits is called for those of every process",
      async (harness) => {
        const other = await harness.another();
        const heard = { here: 0, there: 0 };
        const job = await harness.running();
        const ends = [
          harness.store.onCommit(() => (heard.here += 1)),
          other.onCommit(() => (heard.there += 1)),
        ];
        await harness.store.claims.progress(job, 1, null);
        expect(heard.here).toBeGreaterThan(0);
        await harness.clock.advance(SOON_MS);
        await vi.waitFor(() => {
          expect(heard.there).toBeGreaterThan(0);
        });
        for (const end of ends) end();
        const before = { ...heard };
        await harness.store.claims.progress(job, 2, null);
        await harness.clock.advance(SOON_MS);
        expect(heard).toEqual(before);
        // What a store does for itself ends by itself.
        await vi.waitFor(async () => {
          await harness.clock.advance(1_000);
          expect(harness.clock.pendingTimers).toBe(0);
        });
      },
    );
  });
}
