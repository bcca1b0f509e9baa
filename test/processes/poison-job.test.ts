import { join } from "node:path";
import { expect, it } from "vitest";
import { Konveier } from "../../src/konveier.js";
import { tempDirectory } from "../support/temp-directory.js";
import { eventOf, readRuns, startWorker } from "./worker-process.js";

const LEASE_MS = 200;
const SETTINGS = { backoff: { type: "fixed", delayMs: 0 }, queue: "poison" } as const;

it("a job that kills its process is dead after maxAttempts starts, however often workers come back", async () => {
  const directory = tempDirectory();
  const file = join(directory, "konveier.db");
  const runs = join(directory, "runs");
  const konveier = await Konveier.open(`sqlite:${file}`);
  const { id } = await konveier.enqueue("die", {}, { ...SETTINGS, maxAttempts: 3 });

  const input = { file, runs, queues: ["poison"], leaseMs: LEASE_MS, events: ["job.dead"] } as const;
  for (let start = 1; start <= 3; start += 1) {
    const worker = await startWorker(input);
    worker.send({ type: "start" });
    expect(await worker.exited, worker.output).toEqual({ code: null, signal: "SIGKILL" });
    expect(readRuns(runs).map(({ attempt }) => attempt)).toEqual(numbers(start));
  }
  const survivor = await startWorker(input);
  survivor.send({ type: "start" });
  await eventOf(survivor, "job.dead", id);

  expect(readRuns(runs)).toHaveLength(3);
  await deadByLostLeases(konveier, id, 3);
  survivor.send({ type: "stop" });
  expect(await survivor.exited, survivor.output).toEqual({ code: 0, signal: null });
  await konveier.close();
});

it("a job with one attempt is dead after its worker vanished, without a worker on its queue", async () => {
  const directory = tempDirectory();
  const file = join(directory, "konveier.db");
  const runs = join(directory, "runs");
  const konveier = await Konveier.open(`sqlite:${file}`);
  const { id } = await konveier.enqueue("die", {}, { ...SETTINGS, maxAttempts: 1 });
  const worker = await startWorker({ file, runs, queues: ["poison"], leaseMs: LEASE_MS });
  worker.send({ type: "start" });
  expect(await worker.exited, worker.output).toEqual({ code: null, signal: "SIGKILL" });

  const dead = new Promise((resolve) => konveier.on("job.dead", resolve));
  konveier.startBackground();
  await dead;

  await deadByLostLeases(konveier, id, 1);
  expect((await konveier.queues.get("poison"))?.counts).toMatchObject({ running: 0, dead: 1 });
  await konveier.close();
});

async function deadByLostLeases(konveier: Konveier, id: string, attempts: number): Promise<void> {
  const job = await konveier.jobs.get(id);
  expect(job).toMatchObject({ state: "dead", attempt: attempts, maxAttempts: attempts });
  expect(job?.lastError).toMatchObject({
    type: "LeaseExpired",
    message: expect.stringContaining("lease") as string,
  });
  const history = await konveier.jobs.attempts(id);
  expect(history.map(({ number, outcome }) => ({ number, outcome }))).toEqual(
    numbers(attempts).map((number) => ({ number, outcome: "lost" })),
  );
}

function numbers(last: number): number[] {
  return Array.from({ length: last }, (_, index) => index + 1);
}
