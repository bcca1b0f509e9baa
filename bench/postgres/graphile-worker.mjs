// node graphile-worker.mjs JOBS
//
// The settings are those of the figures in its documentation (https://worker.graphile.org/docs/performance).
import { EventEmitter } from "node:events";
import { Logger, makeWorkerUtils, run } from "graphile-worker";
import { measureAll } from "../workload.mjs";
import { freshDatabase } from "./fresh-database.mjs";

const connectionString = await freshDatabase("bench_graphile_worker");
const logger = new Logger(() => (level, message) => {
  if (level === "error") console.error(message);
});
const utils = await makeWorkerUtils({ connectionString, logger });
await utils.migrate();
let runner;

const figures = await measureAll(Number(process.argv[2]), {
  enqueueMany: (payloads) => utils.addJobs(payloads.map((payload) => ({ identifier: "noop", payload }))),
  enqueueOne: (payload) => utils.addJob("elsewhere", payload),
  startWorker: async (completed) => {
    const events = new EventEmitter();
    events.on("job:complete", completed);
    runner = await run({
      preset: {
        worker: {
          connectionString,
          concurrentJobs: 24,
          maxPoolSize: 25,
          localQueue: { size: 500 },
          completeJobBatchDelay: 0,
          failJobBatchDelay: 0,
          logger,
        },
      },
      taskList: { noop: async () => undefined },
      events,
      noHandleSignals: true,
    });
  },
});
await runner.stop();
await utils.release();
console.log(JSON.stringify(figures));
process.exit();
