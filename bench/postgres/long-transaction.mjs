// How long claims take while somebody else's transaction stays open, so that VACUUM can remove nothing.
//
//   npm run build && node bench/postgres/long-transaction.mjs [--seconds 600] [--rate 500]
//
// BENCH_POSTGRES_URL names a server to use; without it one is started.
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import pg from "pg";
import { Konveier } from "../../dist/index.js";
import { openPostgresStore } from "../../dist/store/postgres/open.js";
import { payload } from "../workload.mjs";
import { freshDatabase } from "./fresh-database.mjs";
import { serverToUse } from "./server-to-use.mjs";

const { values } = parseArgs({
  options: { seconds: { type: "string", default: "600" }, rate: { type: "string", default: "500" } },
});
const [seconds, rate] = [values.seconds, values.rate].map(Number);
const BATCHES_PER_SECOND = 20;
const REPORT_EVERY_MS = 30_000;

const server = await serverToUse();
const url = await freshDatabase("bench_long_transaction");
const konveier = await Konveier.open(url);
const store = await openPostgresStore(url);
const other = new pg.Client({ connectionString: url });
await other.connect();
// Its snapshot is taken by the first statement.
await other.query("BEGIN ISOLATION LEVEL REPEATABLE READ");
await other.query("SELECT 1");

const job = { name: "noop", payload: payload(1) };
const until = performance.now() + seconds * 1000;
const times = [];
let completed = 0;

async function enqueue() {
  const batch = Array.from({ length: rate / BATCHES_PER_SECOND }, () => job);
  for (let due = performance.now(); due < until; due += 1000 / BATCHES_PER_SECOND) {
    await delay(Math.max(0, due - performance.now()));
    await konveier.enqueueMany(batch);
  }
}

async function work(workerId) {
  while (performance.now() < until) {
    const began = performance.now();
    const jobs = await store.claims.claim({
      workerId,
      queues: ["default"],
      names: ["noop"],
      max: 50,
      leaseMs: 30_000,
    });
    times.push(performance.now() - began);
    if (jobs.length === 0) {
      await delay(10);
      continue;
    }
    await store.claims.settle(
      jobs.map(({ id, token }) => ({ verb: "complete", id, token, result: null, resultProblem: null })),
    );
    completed += jobs.length;
  }
}

/** As the servers do besides: they look for leases that have ended, and for jobs that have become due. */
async function lookOut() {
  while (performance.now() < until) {
    await store.claims.expired(200);
    await store.claims.promote(500);
    await delay(500);
  }
}

async function report() {
  console.log("second   jobs/s   claims   p50 ms   p99 ms   longest ms   dead rows");
  for (let second = REPORT_EVERY_MS / 1000; performance.now() < until; second += REPORT_EVERY_MS / 1000) {
    await delay(Math.min(REPORT_EVERY_MS, until - performance.now()));
    const sorted = times.splice(0).sort((a, b) => a - b);
    const at = (share) => (sorted[Math.floor(sorted.length * share)] ?? NaN).toFixed(1).padStart(8);
    const { rows } = await monitor.query("SELECT n_dead_tup FROM pg_stat_user_tables WHERE relname = 'jobs'");
    const [each, longest] = [(completed * 1000) / REPORT_EVERY_MS, sorted.at(-1) ?? NaN];
    completed = 0;
    console.log(
      `${String(second).padStart(6)} ${each.toFixed(0).padStart(8)} ${String(sorted.length).padStart(8)} ${at(0.5)} ${at(0.99)} ${longest.toFixed(1).padStart(12)} ${rows[0].n_dead_tup.padStart(11)}`,
    );
  }
}

const monitor = new pg.Client({ connectionString: url });
await monitor.connect();
await Promise.all([enqueue(), work("w1"), work("w2"), lookOut(), report()]);
await other.query("ROLLBACK");
await Promise.all([other.end(), monitor.end(), store.close(), konveier.close()]);
await server.stop();
