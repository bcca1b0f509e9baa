import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { Konveier } from "../../src/konveier.js";
import { openSqliteStore, type SqliteStore } from "../../src/store/sqlite/open.js";
import { checkSound } from "../crash/sound-database.js";
import { tempDirectory } from "../support/temp-directory.js";
import { holds } from "./holds.js";
import { beginOf, eventOf, readRuns, startWorker, type WorkerProcess } from "./worker-process.js";

const AT_ONCE = { backoff: { type: "fixed", delayMs: 0 } } as const;

/** A database with two worker processes: one that will lose its leases, and one that takes its jobs over. */
interface Scene {
  readonly directory: string;
  readonly store: SqliteStore;
  readonly konveier: Konveier;
  readonly stale: WorkerProcess;
  readonly heir: WorkerProcess;
}

it("a worker that was suspended beyond its leases can change nothing, and goes on", async () => {
  const scene = await setScene();
  const { konveier, store, stale, heir } = scene;
  const finished = (await konveier.enqueue("wait", {}, AT_ONCE)).id;
  const running = (await konveier.enqueue("wait", {}, AT_ONCE)).id;
  stale.send({ type: "start" });
  await Promise.all([beginOf(stale, finished), beginOf(stale, running)]);

  stale.kill("SIGSTOP");
  heir.send({ type: "start" });
  await Promise.all([beginOf(heir, finished), beginOf(heir, running)]);
  heir.send({ type: "finish", id: finished });
  await eventOf(heir, "job.completed", finished);
  // To the others the suspended worker is gone by now.
  await store.workers.gone("stale");

  for (const id of [finished, running]) stale.send({ type: "finish", id });
  stale.kill("SIGCONT");
  for (const id of [finished, running]) await refusedEverything(stale, id);
  heir.send({ type: "finish", id: running });
  await eventOf(heir, "job.completed", running);

  for (const id of [finished, running]) await completedByHeirAlone(scene, id);
  await goesOn(scene);
  await end(scene);
});

it("a worker whose handler blocks the event loop beyond its leases can change nothing, and goes on", async () => {
  const scene = await setScene();
  const { directory, konveier, stale, heir } = scene;
  const until = join(directory, "unblock");
  const blocking = (await konveier.enqueue("block", { until }, AT_ONCE)).id;
  const beside = (await konveier.enqueue("wait", {}, AT_ONCE)).id;
  stale.send({ type: "start" });
  await Promise.all([beginOf(stale, blocking), beginOf(stale, beside)]);

  heir.send({ type: "start" });
  await Promise.all([beginOf(heir, blocking), beginOf(heir, beside)]);
  stale.send({ type: "finish", id: beside });
  writeFileSync(`${until}-stale`, "");
  for (const id of [blocking, beside]) await refusedEverything(stale, id);
  heir.send({ type: "finish", id: beside });
  writeFileSync(`${until}-heir`, "");
  for (const id of [blocking, beside]) await eventOf(heir, "job.completed", id);

  for (const id of [blocking, beside]) await completedByHeirAlone(scene, id);
  await goesOn(scene);
  await end(scene);
});

async function setScene(): Promise<Scene> {
  const directory = tempDirectory();
  const file = join(directory, "konveier.db");
  const store = openSqliteStore(file);
  const runs = join(directory, "runs");
  const events = ["job.completed", "lease.lost", "internal.error"] as const;
  const [stale, heir] = await Promise.all([
    startWorker({ file, runs, events, id: "stale", leaseMs: 1_000, queues: ["default", "stale"] }),
    startWorker({ file, runs, events, id: "heir", leaseMs: 30_000 }),
  ]);
  return { directory, store, konveier: Konveier.withStore(store), stale, heir };
}

/** Progress and log of the late handler were refused, and so was its end. */
async function refusedEverything(stale: WorkerProcess, id: string): Promise<void> {
  for (const what of ["progress", "log"]) {
    const wrote = await stale.message(
      (message) => message.type === "wrote" && message.id === id && message.what === what,
    );
    expect(wrote).toMatchObject({ refused: "lease_lost" });
  }
  await eventOf(stale, "lease.lost", id);
}

async function completedByHeirAlone({ konveier, stale, directory }: Scene, id: string): Promise<void> {
  expect(await konveier.jobs.get(id)).toMatchObject({ state: "completed", attempt: 2, workerId: "heir" });
  expect(await konveier.jobs.result(id)).toBe("by heir");
  const attempts = await konveier.jobs.attempts(id);
  expect(attempts.map(({ workerId, outcome }) => ({ workerId, outcome }))).toEqual([
    { workerId: "stale", outcome: "lost" },
    { workerId: "heir", outcome: "completed" },
  ]);
  expect((await konveier.jobs.logs(id)).map(({ attempt }) => attempt)).toEqual([2]);
  expect(readRuns(join(directory, "runs")).filter((run) => run.id === id)).toHaveLength(2);
  const completions = stale.messages.filter(
    (message) => message.type === "event" && message.name === "job.completed" && message.event.id === id,
  );
  expect(completions).toEqual([]);
}

/** The worker is known again and works. */
async function goesOn({ konveier, store, stale }: Scene): Promise<void> {
  const { id } = await konveier.enqueue("count", {}, { queue: "stale" });
  await eventOf(stale, "job.completed", id);
  await holds(store, async () => (await store.workers.list(10_000)).some((worker) => worker.id === "stale"));
}

async function end({ konveier, directory, stale, heir }: Scene): Promise<void> {
  for (const worker of [stale, heir]) {
    worker.send({ type: "stop" });
    // An unhandled rejection would have ended it with another code.
    expect(await worker.exited, worker.output).toEqual({ code: 0, signal: null });
    expect(worker.messages).not.toContainEqual(expect.objectContaining({ name: "internal.error" }));
  }
  await konveier.close();
  checkSound(join(directory, "konveier.db"));
}
