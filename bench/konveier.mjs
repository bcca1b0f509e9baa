import { defineJob } from "../dist/index.js";
import { measureAll } from "./workload.mjs";

/**
 * Measures an open Konveier with an empty store, prints the figures as JSON and closes it.
 *
 * @param concurrencies of its workers
 */
export async function measureKonveier(konveier, jobs, concurrencies) {
  const work = defineJob("noop", { handler: async () => undefined });
  const workers = concurrencies.map((concurrency) => konveier.worker({ jobs: [work], concurrency }));
  const figures = await measureAll(jobs, {
    enqueueMany: (payloads) => konveier.enqueueMany(payloads.map((payload) => ({ name: "noop", payload }))),
    enqueueOne: (payload) => konveier.enqueue("elsewhere", payload, { queue: "elsewhere" }),
    startWorker: async (completed) => {
      konveier.on("job.completed", completed);
      await Promise.all(workers.map((worker) => worker.start()));
    },
  });
  await konveier.close();
  console.log(JSON.stringify(figures));
}
