import { describe, expect, test } from "vitest";
import { FakeClock } from "../../../test/support/fake-clock.js";
import { checkBooks } from "../../../test/support/recount.js";
import { SqliteFile } from "../../../test/support/sqlite-file.js";
import type { ClaimedJob } from "../../core/job.js";
import { createContext, type EngineContext } from "../../engine/context.js";
import { enqueueMany } from "../../engine/enqueue.js";
import type { SqliteStore } from "./open.js";
import type { Step } from "./steps.js";

const CLAIM = { workerId: "w", queues: ["default"], names: null, max: 10, leaseMs: 1_000 } as const;
const FAILURE = { outcome: "failed", error: { type: "Error", message: "boom", stack: null } } as const;
const KEEP_NOTHING = { completedMs: 0, cancelledMs: 0, deadMs: 0, maxCompleted: 0 };

/** A store with two running, two pending, a scheduled and a dead job, whose writes can be made to fail. */
async function setUp() {
  const file = new SqliteFile();
  const clock = new FakeClock();
  const hook = { onStep: undefined as ((step: Step) => void) | undefined };
  const store = file.open({
    clock,
    onStep: (step) => {
      hook.onStep?.(step);
    },
  });
  const context = createContext(store, { clock });
  const rich = { name: "work", tags: ["t"], maxAttempts: 3, backoff: { type: "fixed", delayMs: 0 } } as const;
  await enqueueMany(context, [
    { ...rich, idempotencyKey: "1", priority: 9 },
    { ...rich, idempotencyKey: "2", priority: 9 },
    { ...rich, idempotencyKey: "3", priority: 9 },
    { ...rich, name: "other" },
    { ...rich, name: "third" },
    { ...rich, delayMs: 10 },
  ]);
  const [a, b, c] = await store.claims.claim({ ...CLAIM, max: 3 });
  await store.claims.log(a!, [{ level: "info", message: "line" }]);
  await store.claims.progress(a!, 50, null);
  await store.claims.settle([{ verb: "bury", id: c!.id, token: c!.token, failure: FAILURE }]);
  clock.block(20);
  return { file, clock, hook, store, context, a: a!, b: b!, dead: c! };
}

interface Scene {
  readonly store: SqliteStore;
  readonly context: EngineContext;
  readonly a: ClaimedJob;
  readonly b: ClaimedJob;
  readonly dead: ClaimedJob;
}

const WRITES: Readonly<Record<string, (scene: Scene) => Promise<unknown>>> = {
  "enqueue with a key and tags": ({ context }) =>
    enqueueMany(context, [
      { name: "work", idempotencyKey: "new", tags: ["x", "y"] },
      { name: "other", delayMs: 5 },
    ]),
  claim: ({ store }) => store.claims.claim(CLAIM),
  "claim of one name": ({ store }) => store.claims.claim({ ...CLAIM, names: ["other"] }),
  complete: ({ store, a, b }) =>
    store.claims.settle([
      { verb: "complete", id: a.id, token: a.token, result: "1", resultProblem: null },
      { verb: "complete", id: b.id, token: b.token, result: null, resultProblem: null },
    ]),
  "fail and retry": ({ store, a }) =>
    store.claims.settle([{ verb: "retry", id: a.id, token: a.token, delayMs: 5, failure: FAILURE }]),
  "RTY-16 fail and bury": ({ store, a }) =>
    store.claims.settle([{ verb: "bury", id: a.id, token: a.token, failure: FAILURE }]),
  release: ({ store, a }) => store.claims.settle([{ verb: "release", id: a.id, token: a.token }]),
  snooze: ({ store, a }) => store.claims.settle([{ verb: "snooze", id: a.id, token: a.token, delayMs: 5 }]),
  promote: ({ store }) => store.claims.promote(10),
  "cancel of a running job": ({ store, a }) => store.jobs.cancel(a.id),
  "retry by hand": ({ store, dead }) => store.jobs.revive(dead.id),
  "retry of many by hand": ({ store }) => store.jobs.reviveMany({ name: "work" }, store.now(), 10),
  delete: ({ store, a }) => store.jobs.delete(a.id, true),
  prune: ({ store }) => store.maintenance.prune(KEEP_NOTHING, 10),
};

describe("RTY-16 IDM-03 an error at any step of a write", () => {
  test.each(Object.entries(WRITES))(
    "%s: keeps nothing of it, and the next try does it all",
    async (_, write) => {
      // What the write does without an error, and at which steps.
      const good = await setUp();
      const steps: Step[] = [];
      good.hook.onStep = (step) => steps.push(step);
      await write(good);
      const wanted = good.file.dump();
      const places = steps.filter((step) => step !== "after-commit");
      expect(places.length).toBeGreaterThan(2);

      for (const place of places.keys()) {
        const scene = await setUp();
        const before = scene.file.dump();
        let seen = 0;
        scene.hook.onStep = () => {
          seen += 1;
          if (seen === place + 1) throw new Error(`at step ${place}`);
        };
        const failed: unknown = await write(scene).catch((error: unknown) => error);
        expect(failed, places[place]).toEqual(new Error(`at step ${place}`));
        expect(scene.file.dump(), places[place]).toEqual(before);
        await checkBooks(scene.store);

        scene.hook.onStep = undefined;
        await write(scene);
        expect(withoutSecrets(scene.file.dump()), places[place]).toEqual(withoutSecrets(wanted));
        await checkBooks(scene.store);
        await scene.store.close();
      }
    },
  );
});

/** Each database has its own secret. */
function withoutSecrets({ secrets, ...tables }: Record<string, unknown[]>): Record<string, unknown[]> {
  expect(secrets).toHaveLength(1);
  return tables;
}
