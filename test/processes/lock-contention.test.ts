import { join } from "node:path";
import { expect, it } from "vitest";
import { Konveier } from "../../src/konveier.js";
import { openSqliteStore } from "../../src/store/sqlite/open.js";
import { checkSound } from "../crash/sound-database.js";
import { startProgram, type ChildProgram } from "../support/child-program.js";
import { allJobs } from "../support/recount.js";
import { tempDirectory } from "../support/temp-directory.js";
import type { ContenderCommand, ContenderInput, ContenderMessage } from "./programs/contender.js";
import type { LockHolderCommand, LockHolderInput, LockHolderMessage } from "./programs/lock-holder.js";
import { beginOf, eventOf, readRuns, startWorker } from "./worker-process.js";

const [BURSTS, TIMEOUT_MS] = process.env["KONVEIER_LONG_TESTS"] === "1" ? [100, 300_000] : [6, 60_000];

it(
  "no caller gets an error while another program holds the lock again and again",
  async () => {
    const file = join(tempDirectory(), "konveier.db");
    const store = openSqliteStore(file);
    const contenders = await Promise.all(["a", "b", "c"].map((id) => startContender({ file, id })));
    const holder = startHolder({ file, bursts: BURSTS });
    expect(await holder.exited, holder.output).toEqual({ code: 0, signal: null });
    expect(holder.messages).toHaveLength(BURSTS);

    const stopped = await Promise.all(contenders.map(stop));
    for (const { messages } of contenders) {
      expect(messages.filter(({ type }) => type === "failed")).toEqual([]);
      expect(messages.filter(({ type }) => type === "round").length).toBeGreaterThan(0);
    }
    const enqueued = stopped.flatMap((message) => message.enqueued);
    const completed = stopped.flatMap((message) => message.completed);
    const jobs = await allJobs(store);
    expect(jobs.map(({ id }) => id).sort()).toEqual(enqueued.sort());
    // Completed once each, and nothing else is.
    expect(completed.sort()).toEqual(
      jobs.flatMap(({ id, state }) => (state === "completed" ? [id] : [])).sort(),
    );
    await store.close();
    checkSound(file);
  },
  TIMEOUT_MS,
);

it("callers are told when the lock is held too long, and nothing is lost or done twice", async () => {
  const directory = tempDirectory();
  const file = join(directory, "konveier.db");
  const runs = join(directory, "runs");
  const store = openSqliteStore(file);
  const konveier = Konveier.withStore(store);
  const events = ["store.unavailable", "job.completed"] as const;
  const worker = await startWorker({ file, runs, events });
  const { id } = await konveier.enqueue("large", {});
  worker.send({ type: "start" });
  await beginOf(worker, id);

  const holder = startHolder({ file, bursts: null });
  await holder.message(() => true);
  worker.send({ type: "finish", id });
  const refused = await Promise.allSettled([1, 2, 3].map((n) => konveier.enqueue("count", { n })));
  for (const each of refused) {
    expect(each).toMatchObject({ status: "rejected", reason: { code: "store_busy", retryable: true } });
  }
  // Its completion met the lock too.
  await eventOf(worker, "store.unavailable");
  // Reading goes on.
  expect(await konveier.jobs.get(id)).toMatchObject({ state: "running" });

  holder.send({ type: "release" });
  await eventOf(worker, "job.completed", id);
  const next = await konveier.enqueue("count", {});
  await eventOf(worker, "job.completed", next.id);

  expect((await allJobs(store)).map((job) => job.id).sort()).toEqual([id, next.id].sort());
  expect(readRuns(runs).map((run) => run.id)).toEqual([id, next.id]);
  expect(await konveier.jobs.get(id)).toMatchObject({ state: "completed", attempt: 1 });
  await konveier.close();
  checkSound(file);
});

type Contender = ChildProgram<ContenderMessage, ContenderCommand>;

async function startContender(input: ContenderInput): Promise<Contender> {
  const program = new URL("./programs/contender.ts", import.meta.url);
  const contender = startProgram<ContenderMessage, ContenderCommand>(program, input);
  await contender.message(({ type }) => type === "ready");
  return contender;
}

async function stop(contender: Contender): Promise<Extract<ContenderMessage, { type: "stopped" }>> {
  contender.send({ type: "stop" });
  const stopped = await contender.message((message) => message.type === "stopped");
  expect(await contender.exited, contender.output).toEqual({ code: 0, signal: null });
  return stopped;
}

function startHolder(input: LockHolderInput): ChildProgram<LockHolderMessage, LockHolderCommand> {
  return startProgram(new URL("./programs/lock-holder.ts", import.meta.url), input);
}
