// node pg-boss.mjs JOBS
//
// Its worker fetches every half second at most, so jobs are fetched and completed by hand, in batches and in parallel,
// which its documentation offers for throughput.
import PgBoss from "pg-boss";
import { measureAll } from "../workload.mjs";
import { freshDatabase } from "./fresh-database.mjs";

const FETCHERS = 4;
const BATCH = 500;

const boss = new PgBoss({ connectionString: await freshDatabase("bench_pg_boss"), max: 10 });
boss.on("error", console.error);
await boss.start();
await boss.createQueue("noop");
await boss.createQueue("elsewhere");
let stopped = false;
const fetchers = [];

const figures = await measureAll(Number(process.argv[2]), {
  enqueueMany: (payloads) => boss.insert(payloads.map((data) => ({ name: "noop", data }))),
  enqueueOne: (payload) => boss.send("elsewhere", payload),
  startWorker: async (completed) => {
    for (let index = 0; index < FETCHERS; index += 1) fetchers.push(fetchAll(completed));
  },
});
stopped = true;
await Promise.all(fetchers);
await boss.stop({ graceful: false });
console.log(JSON.stringify(figures));
process.exit();

async function fetchAll(completed) {
  while (!stopped) {
    const found = await boss.fetch("noop", { batchSize: BATCH });
    if (found.length === 0) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      continue;
    }
    await boss.complete(
      "noop",
      found.map(({ id }) => id),
    );
    for (const _ of found) completed();
  }
}
