// Konveier on PostgreSQL beside graphile-worker and pg-boss: one server, one database for each run.
//
//   npm run bench -- postgres                the full form
//   npm run bench -- postgres --quick        fewer jobs and rounds
//   npm run bench -- postgres --json FILE    the results as JSON too
//
// BENCH_POSTGRES_URL names a server to use, as someone who may make databases; without it one is started.
import { fork } from "node:child_process";
import { once } from "node:events";
import { parseArgs } from "node:util";
import { fileURLToPath } from "node:url";
import { contest } from "../contest.mjs";

const { values } = parseArgs({ options: { quick: { type: "boolean" }, json: { type: "string" } } });
const server = process.env.BENCH_POSTGRES_URL === undefined ? await startServer() : null;
const env = { BENCH_POSTGRES_URL: process.env.BENCH_POSTGRES_URL ?? server.url };

const contender = (name, program) => ({ name, program: new URL(program, import.meta.url), args: [], env });

contest({
  about: "each as its makers advise for throughput",
  jobs: values.quick ? 30_000 : 100_000,
  rounds: values.quick ? 3 : 5,
  contenders: [
    contender("konveier", "konveier.mjs"),
    contender("graphile-worker, local queue", "graphile-worker.mjs"),
    contender("pg-boss", "pg-boss.mjs"),
  ],
  ratios: [
    ["endToEnd", "konveier", "graphile-worker, local queue"],
    ["endToEnd", "konveier", "pg-boss"],
    ["drain", "konveier", "graphile-worker, local queue"],
    ["drain", "konveier", "pg-boss"],
  ],
  json: values.json,
});
await server?.stop();

async function startServer() {
  const child = fork(fileURLToPath(new URL("server.mjs", import.meta.url)));
  const exited = once(child, "exit");
  const [url] = await Promise.race([once(child, "message"), exited]);
  if (typeof url !== "string") throw new Error("PostgreSQL did not start; what it said is above");
  const stop = async () => {
    child.disconnect();
    await exited;
  };
  return { url, stop };
}
