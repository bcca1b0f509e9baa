import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { expect, it } from "vitest";
import { Konveier } from "../../src/konveier.js";
import { seededRandom } from "../support/seeded-random.js";
import { tempDirectory } from "../support/temp-directory.js";
import { beginOf, startWorker } from "./worker-process.js";

const JOBS = 50;
/** Far above what a wake-up takes on a busy machine, far below the interval at which the worker looks by itself. */
const BOUND_MS = 10_000;
const POLL_MS = 60_000;

it("an idle worker is woken by what another process enqueues", async ({ annotate }) => {
  const directory = tempDirectory();
  const file = join(directory, "konveier.db");
  const konveier = await Konveier.open(`sqlite:${file}`);
  const worker = await startWorker({
    file,
    runs: join(directory, "runs"),
    pollMs: POLL_MS,
    events: ["worker.started"],
  });
  worker.send({ type: "start" });
  await worker.message(({ type }) => type === "event");

  const random = seededRandom(1);
  const latencies: number[] = [];
  for (let n = 0; n < JOBS; n += 1) {
    // At any moment between two looks of the worker, as it happens in life.
    await setTimeout(random() * 25);
    const { id } = await konveier.enqueue("count", {});
    const enqueuedAt = performance.timeOrigin + performance.now();
    const begin = await beginOf(worker, id);
    if (begin.type === "run") latencies.push(begin.at - enqueuedAt);
  }

  latencies.sort((a, b) => a - b);
  expect(latencies).toHaveLength(JOBS);
  expect(latencies.at(-1)).toBeLessThan(BOUND_MS);
  const [p50, p99] = [latencies[Math.floor(JOBS / 2)]!, latencies.at(-1)!];
  await annotate(`pick-up by another process: p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`);
  await konveier.close();
}, 60_000);
