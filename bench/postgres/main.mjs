// Konveier on PostgreSQL beside graphile-worker and pg-boss: one server, one database for each run.
//
//   npm run bench -- postgres                the full form
//   npm run bench -- postgres --quick        fewer jobs and rounds
//   npm run bench -- postgres --rounds 1     fewer rounds
//   npm run bench -- postgres --json FILE    the results as JSON too
//
// BENCH_POSTGRES_URL names a server to use, as someone who may make databases; without it one is started.
import { parseArgs } from "node:util";
import { contest } from "../contest.mjs";
import { serverToUse } from "./server-to-use.mjs";

const { values } = parseArgs({
  options: { quick: { type: "boolean" }, rounds: { type: "string" }, json: { type: "string" } },
});
const server = await serverToUse();

const contender = (name, program, args = []) => ({ name, program: new URL(program, import.meta.url), args });

contest({
  about: "each as its makers advise for throughput",
  jobs: values.quick ? 30_000 : 100_000,
  rounds: Number(values.rounds ?? (values.quick ? 3 : 5)),
  contenders: [
    contender("konveier", "konveier.mjs"),
    contender("graphile-worker, local queue", "graphile-worker.mjs"),
    contender("pg-boss, its workers", "pg-boss.mjs", ["workers"]),
    contender("pg-boss, fetched by hand", "pg-boss.mjs", ["by-hand"]),
  ],
  ratios: [
    ["endToEnd", "konveier", "graphile-worker, local queue"],
    ["endToEnd", "konveier", "pg-boss, its workers"],
    ["drain", "konveier", "graphile-worker, local queue"],
    ["drain", "konveier", "pg-boss, its workers"],
    ["drain", "konveier", "pg-boss, fetched by hand"],
  ],
  json: values.json,
});
await server.stop();
