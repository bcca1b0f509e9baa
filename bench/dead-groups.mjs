// node bench/dead-groups.mjs
//
// Groups of dead jobs: what a job that dies costs, how long the list of groups takes with few large ones and with
// very many small ones, and how long a page of one group's jobs takes. Medians.
import { parseJobQuery } from "../dist/core/job-query/parse.js";
import { openSqliteStore } from "../dist/store/sqlite/open.js";
import { newJob } from "./new-job.mjs";
import { freshFile } from "./sqlite/fresh-file.mjs";

const JOBS = 100_000;
const BATCH = 1_000;
const ROUNDS = 21;
const LIMIT = 100;

/**
 * @param messageOf the error that the job with this number dies of
 * @returns microseconds of processor time that burying the jobs took
 */
async function kill(store, messageOf) {
  let settling = 0;
  for (let done = 0; done < JOBS; done += BATCH) {
    const job = newJob({ queue: "mail", name: "send" });
    await store.jobs.insertMany(Array.from({ length: BATCH }, () => job));
    const claim = { workerId: "w", queues: ["mail"], names: null, max: BATCH, leaseMs: 60_000 };
    const claimed = await store.claims.claim(claim);
    const settlements = claimed.map(({ id, token }, index) => ({
      verb: "bury",
      id,
      token,
      failure: { outcome: "failed", error: { type: "Error", message: messageOf(done + index), stack: null } },
    }));
    const before = process.cpuUsage();
    await store.claims.settle(settlements);
    const { user, system } = process.cpuUsage(before);
    settling += user + system;
  }
  return settling;
}

async function median(work) {
  const times = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const begun = performance.now();
    await work();
    times.push(performance.now() - begun);
  }
  return times.toSorted((a, b) => a - b)[Math.floor(ROUNDS / 2)].toFixed(2);
}

function letters(number) {
  return number.toString(26).replaceAll(/\d/g, (digit) => "qrstuvwxyz"[digit]);
}

for (const groups of [50, JOBS]) {
  const store = openSqliteStore(freshFile());
  const microseconds = await kill(store, (number) => `no such thing as ${letters(number % groups)}`);
  console.log(`${JOBS} dead jobs in ${groups} groups: ${(microseconds / JOBS).toFixed(1)} µs to bury one`);
  for (const order of ["count", "latest"]) {
    console.log(`  list by ${order}: ${await median(() => store.dead.groups({}, null, order, LIMIT))} ms`);
  }
  const none = await median(() => store.dead.groups({ queue: "none" }, null, "count", LIMIT));
  console.log(`  list of a queue that has none: ${none} ms`);
  const [group] = await store.dead.groups({}, null, "count", 1);
  const query = parseJobQuery(`state:dead fingerprint:${group.fingerprint} queue:mail name:send`);
  const page = await median(() => store.jobs.search(query, null, 50, null, 2_000));
  console.log(`  page of a group's jobs: ${page} ms`);
  await store.close();
}
