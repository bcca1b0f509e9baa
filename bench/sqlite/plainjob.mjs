// node plainjob.mjs full|normal JOBS
import Database from "better-sqlite3";
import { better, defineQueue, defineWorker } from "plainjob";
import { payload, rate } from "../workload.mjs";
import { freshFile } from "./fresh-file.mjs";

const [, , synchronous, count] = process.argv;
const jobs = Number(count);
const db = new Database(freshFile());
const silent = { error: console.error, warn: console.warn, info: () => undefined, debug: () => undefined };
const queue = defineQueue({ connection: better(db), logger: silent });
// The queue sets its own default, `normal`, when it is made.
db.pragma(`synchronous = ${synchronous}`);

const enqueueAll = () => {
  for (let from = 0; from < jobs; from += 1000) {
    const size = Math.min(1000, jobs - from);
    queue.addMany(
      "noop",
      Array.from({ length: size }, (_, index) => payload(from + index)),
    );
  }
};

let left = 0;
let whenDone = () => undefined;
const worker = defineWorker(
  "noop",
  async (job) => {
    JSON.parse(job.data);
  },
  {
    queue,
    logger: silent,
    pollIntervall: 1,
    onCompleted: () => {
      left -= 1;
      if (left === 0) whenDone();
    },
  },
);
const completed = (number) =>
  new Promise((resolve) => {
    left = number;
    whenDone = resolve;
  });

const enqueueMany = await rate(jobs, enqueueAll);
const drain = await rate(jobs, async () => {
  const done = completed(jobs);
  worker.start();
  await done;
});
const endToEnd = await rate(jobs, async () => {
  const done = completed(jobs);
  enqueueAll();
  await done;
});
await worker.stop();
queue.close();
console.log(JSON.stringify({ enqueueMany, drain, endToEnd }));
