// node konveier.mjs full|normal JOBS
import { defineJob, Konveier } from "../dist/index.js";
import { freshFile, payload, rate } from "./fresh-file.mjs";

const [, , synchronous, count] = process.argv;
const jobs = Number(count);
const konveier = await Konveier.open(`sqlite:${freshFile()}`, { synchronous });
const work = defineJob("noop", { handler: async () => undefined });

const enqueueAll = async () => {
  for (let from = 0; from < jobs; from += 1000) {
    const size = Math.min(1000, jobs - from);
    await konveier.enqueueMany(
      Array.from({ length: size }, (_, index) => ({ name: "noop", payload: payload(from + index) })),
    );
  }
};

const enqueueConcurrently = async () => {
  let next = 0;
  const caller = async () => {
    while (next < jobs) await konveier.enqueue("elsewhere", payload((next += 1)), { queue: "elsewhere" });
  };
  await Promise.all(Array.from({ length: 1000 }, caller));
};

/** Resolves when so many more jobs have completed. */
const completed = (number) =>
  new Promise((resolve) => {
    let left = number;
    const off = konveier.on("job.completed", () => {
      left -= 1;
      if (left > 0) return;
      off();
      resolve();
    });
  });

const enqueueConcurrent = await rate(jobs, enqueueConcurrently);
const enqueueMany = await rate(jobs, enqueueAll);
const worker = konveier.worker({ jobs: [work], concurrency: 200 });
const drain = await rate(jobs, async () => {
  const done = completed(jobs);
  await worker.start();
  await done;
});
const endToEnd = await rate(jobs, async () => {
  const done = completed(jobs);
  await enqueueAll();
  await done;
});
await konveier.close();
console.log(JSON.stringify({ enqueueConcurrent, enqueueMany, drain, endToEnd }));
