import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createContext } from "../../src/engine/context.js";
import { enqueueMany } from "../../src/engine/enqueue.js";
import { openSqliteStore } from "../../src/store/sqlite/open.js";
import { allJobs } from "../support/recount.js";
import { tempDirectory } from "../support/temp-directory.js";
import { allFinished } from "./holds.js";
import { readRuns, startWorker, type WorkerProcess } from "./worker-process.js";

const [KILLS, TIMEOUT_MS] = process.env["KONVEIER_LONG_TESTS"] === "1" ? [40, 600_000] : [4, 60_000];
/** Jobs for each kill. */
const BATCH = 40;
const CONCURRENCY = 3;
const OF_A_KEY = 2;
const KEYS = 4;
const LEASE_MS = 500;

/** A line of the file of runs that is written by the test: whatever this process ran has ended. */
interface KilledLine {
  readonly killed: number;
}

it(
  "RLM-07 never more jobs run than may, over three processes that are killed, and no slot is lost",
  async () => {
    const directory = tempDirectory();
    const file = join(directory, "konveier.db");
    const runs = join(directory, "runs");
    const store = openSqliteStore(file);
    await store.queues.edit("default", { concurrency: CONCURRENCY, perKey: { concurrency: OF_A_KEY } });
    const keyOf = new Map<string, string>();
    const context = createContext(store);
    const add = async () => {
      const keys = Array.from({ length: BATCH }, (_, index) => `k${String(index % KEYS)}`);
      const jobs = await enqueueMany(
        context,
        keys.map((concurrencyKey) => ({ name: "span", concurrencyKey })),
      );
      for (const [index, { id }] of jobs.entries()) keyOf.set(id, keys[index] ?? "");
    };

    const start = async () => {
      const worker = await startWorker({ file, runs, concurrency: 5, leaseMs: LEASE_MS });
      worker.send({ type: "start" });
      return worker;
    };
    const workers = await Promise.all([start(), start(), start()]);
    for (let kills = 0; kills < KILLS; kills += 1) {
      // Whoever is the first to be in the middle of a handler.
      const first = Promise.race(workers.map((worker, index) => nextRun(worker).then(() => index)));
      await add();
      const index = await first;
      const worker = workers[index]!;
      worker.kill("SIGKILL");
      await worker.exited;
      appendFileSync(runs, `${JSON.stringify({ killed: worker.pid } satisfies KilledLine)}\n`);
      workers[index] = await start();
    }
    await allFinished(store);
    for (const worker of workers) worker.send({ type: "stop" });
    for (const { exited } of workers) expect(await exited).toEqual({ code: 0, signal: null });

    expect((await allJobs(store)).filter(({ state }) => state !== "completed")).toEqual([]);
    const most = mostAtOnce(runs, keyOf);
    expect(most.all).toBe(CONCURRENCY);
    expect(most.ofAKey).toBeLessThanOrEqual(OF_A_KEY);
    await store.close();
  },
  TIMEOUT_MS,
);

async function nextRun(worker: WorkerProcess): Promise<void> {
  const begun = worker.messages.length;
  await worker.until(() => worker.messages.slice(begun).some(({ type }) => type === "run"));
}

/** The most handlers that ran at one time, in the order in which they have said so. */
function mostAtOnce(runs: string, keyOf: ReadonlyMap<string, string>): { all: number; ofAKey: number } {
  const open = new Map<number, { pid: number; key: string }>();
  const most = { all: 0, ofAKey: 0 };
  for (const line of readRuns(runs)) {
    const { killed } = line as Partial<KilledLine>;
    if (killed !== undefined) {
      for (const [token, { pid }] of open) if (pid === killed) open.delete(token);
    } else if (line.ended === true) open.delete(line.token);
    else open.set(line.token, { pid: line.pid, key: keyOf.get(line.id) ?? "" });
    most.all = Math.max(most.all, open.size);
    for (const key of new Set(keyOf.values())) {
      most.ofAKey = Math.max(most.ofAKey, [...open.values()].filter((run) => run.key === key).length);
    }
  }
  return most;
}
