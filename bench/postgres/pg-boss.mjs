// node pg-boss.mjs workers|by-hand JOBS
//
// - workers: as many jobs in one call of a handler, and as short an interval, as its documentation offers
// - by-hand: without its workers, jobs fetched and completed in batches and in parallel as fast as they come
import PgBoss from "pg-boss";
import { measureAll } from "../workload.mjs";
import { freshDatabase } from "./fresh-database.mjs";

const PARALLEL = 4;
const BATCH = 500;

const [, , how, jobs] = process.argv;
const boss = new PgBoss({ connectionString: await freshDatabase("bench_pg_boss"), max: 10 });
boss.on("error", console.error);
await boss.start();
await boss.createQueue("noop");
await boss.createQueue("elsewhere");

const figures = await measureAll(Number(jobs), {
  enqueueMany: (payloads) => boss.insert(payloads.map((data) => ({ name: "noop", data }))),
  enqueueOne: (payload) => boss.send("elsewhere", payload),
  startWorker: how === "workers" ? startWorkers : startFetching,
});
console.log(JSON.stringify(figures));
process.exit();

async function startWorkers(completed) {
  for (let index = 0; index < PARALLEL; index += 1) {
    await boss.work("noop", { batchSize: BATCH, pollingIntervalSeconds: 0.5 }, async (found) => {
      found.forEach(completed);
    });
  }
}

async function startFetching(completed) {
  for (let index = 0; index < PARALLEL; index += 1) void fetchAll(completed);
}

async function fetchAll(completed) {
  for (;;) {
    const found = await boss.fetch("noop", { batchSize: BATCH });
    if (found.length === 0) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      continue;
    }
    await boss.complete(
      "noop",
      found.map(({ id }) => id),
    );
    found.forEach(completed);
  }
}
