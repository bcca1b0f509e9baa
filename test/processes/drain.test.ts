import { join } from "node:path";
import { expect, it } from "vitest";
import { openSqliteStore } from "../../src/store/sqlite/open.js";
import { Konveier } from "../../src/konveier.js";
import { checkSound } from "../crash/sound-database.js";
import { tempDirectory } from "../support/temp-directory.js";
import { allFinished } from "./holds.js";
import { readRuns, startWorker } from "./worker-process.js";

const JOBS = 20_000;
const PROCESSES = 8;

it("8 processes on one file drain 20 000 jobs, and no job runs twice", async () => {
  const directory = tempDirectory();
  const file = join(directory, "konveier.db");
  const runs = join(directory, "runs");
  const store = openSqliteStore(file);
  const konveier = Konveier.withStore(store);
  const ids = new Set<string>();
  for (let from = 0; from < JOBS; from += 1_000) {
    const batch = Array.from({ length: 1_000 }, (_, n) => ({ name: "count", priority: n % 10 }));
    for (const { id } of await konveier.enqueueMany(batch)) ids.add(id);
  }

  const input = { file, runs, concurrency: 50 };
  const workers = await Promise.all(Array.from({ length: PROCESSES }, () => startWorker(input)));
  for (const worker of workers) worker.send({ type: "start" });
  await allFinished(store);
  for (const worker of workers) worker.send({ type: "stop" });
  for (const worker of workers) {
    expect(await worker.exited, worker.output).toEqual({ code: 0, signal: null });
  }

  const lines = readRuns(runs);
  expect(lines).toHaveLength(JOBS);
  expect(new Set(lines.map(({ id }) => id))).toEqual(ids);
  expect(new Set(lines.map(({ token }) => token)).size).toBe(JOBS);
  expect(lines.every(({ attempt }) => attempt === 1)).toBe(true);
  // One token for each run: none was given out and not used. Each process took its share.
  expect(Math.max(...lines.map(({ token }) => token))).toBe(JOBS);
  expect(new Set(lines.map(({ pid }) => pid)).size).toBe(PROCESSES);

  expect((await store.queues.get("default"))?.counts).toMatchObject({ completed: JOBS, dead: 0 });
  await konveier.close();
  checkSound(file);
}, 60_000);
