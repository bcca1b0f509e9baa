// How long a flow of many jobs takes to create, and the job that waits for all of them to be released, on both stores.
//
//   npm run build && node bench/fan-in.mjs [--jobs 100000]
//
// BENCH_POSTGRES_URL names a server to use; without it one is started.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { defineJob, Konveier } from "../dist/index.js";
import { freshDatabase } from "./postgres/fresh-database.mjs";
import { serverToUse } from "./postgres/server-to-use.mjs";

const { values } = parseArgs({ options: { jobs: { type: "string", default: "100000" } } });
const count = Number(values.jobs);

async function measure(what, address) {
  const konveier = await Konveier.open(address);
  const parts = Array.from({ length: count - 1 }, (_, index) => ({ ref: `part-${index}`, name: "part" }));
  const jobs = [...parts, { ref: "done", name: "done", dependsOn: parts.map(({ ref }) => ref) }];
  const begun = performance.now();
  await konveier.flows.create({ name: "fan-in", jobs });
  const created = performance.now();
  let left = parts.length;
  let lastEnded = 0;
  const released = new Promise((resolve) => {
    const done = defineJob("done", { handler: () => resolve(performance.now()) });
    const part = defineJob("part", { handler: () => undefined });
    konveier.on("job.completed", ({ name }) => {
      if (name === "part" && --left === 0) lastEnded = performance.now();
    });
    const worker = konveier.worker({ jobs: [part, done], concurrency: 1_000 });
    void worker.start();
    stop = () => worker.stop();
  });
  const started = await released;
  const seconds = (ms) => `${(ms / 1_000).toFixed(2)} s`;
  console.log(
    `${what}: ${count} jobs created in ${seconds(created - begun)}, run in ${seconds(lastEnded - created)}, ` +
      `the last one started ${seconds(Math.max(0, started - lastEnded))} after the others had ended`,
  );
  await stop();
  await konveier.close();
}

let stop = async () => undefined;
const directory = mkdtempSync(join(tmpdir(), "konveier-fan-in-"));
await measure("SQLite", `sqlite:${join(directory, "konveier.db")}`);
rmSync(directory, { recursive: true });
const server = await serverToUse();
await measure("PostgreSQL", await freshDatabase("bench_fan_in"));
await server.stop();
