// Runs every contender several times, in turn, each in a process of its own, and prints medians.
//
//   npm run bench                      the full form
//   npm run bench -- --quick           fewer jobs and rounds
//   npm run bench -- --json FILE       the results as JSON too
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { cpus, release } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const { values } = parseArgs({ options: { quick: { type: "boolean" }, json: { type: "string" } } });
const rounds = values.quick ? 3 : 5;
const jobs = values.quick ? 60_000 : 200_000;

/** The last two are yardsticks: what the same statements cost without a queue around them. */
const contenders = [
  { name: "konveier, full", program: "konveier.mjs", args: ["full"] },
  { name: "konveier, normal", program: "konveier.mjs", args: ["normal"] },
  { name: "plainjob, normal (its default)", program: "plainjob.mjs", args: ["normal"] },
  { name: "plainjob, full", program: "plainjob.mjs", args: ["full"] },
  { name: "raw statements, full", program: "raw.mjs", args: ["full"] },
];

/** What each program reports, in jobs per second. */
const measures = [
  ["enqueueMany", "enqueue, 1000 a call"],
  ["enqueueConcurrent", "enqueue, 1000 callers"],
  ["drain", "run what waits"],
  ["endToEnd", "enqueue and run at once"],
];

const samples = new Map(contenders.map(({ name }) => [name, []]));
for (let round = 0; round < rounds; round += 1) {
  for (const { name, program, args } of contenders) samples.get(name).push(measure(program, args));
}
report();

function measure(program, args) {
  const path = fileURLToPath(new URL(program, import.meta.url));
  const child = spawnSync(process.execPath, [path, ...args, String(jobs)], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (child.status !== 0) throw new Error(`${program} ${args.join(" ")} ended with ${child.status}`);
  return JSON.parse(child.stdout);
}

function report() {
  console.log(
    `${cpus()[0]?.model ?? "unknown processor"}, ${cpus().length} cores, Linux ${release()}, Node ${process.version}`,
  );
  console.log(`${jobs} no-op jobs, payload of about 130 bytes, concurrency 200, ${rounds} rounds in turn`);
  console.log("jobs per second, median (lowest to highest)\n");
  const results = {};
  for (const [key, title] of measures) {
    console.log(title);
    for (const { name } of contenders) {
      const numbers = samples.get(name).flatMap((sample) => sample[key] ?? []);
      if (numbers.length === 0) continue;
      const sorted = numbers.toSorted((a, b) => a - b);
      const median = sorted[Math.floor(sorted.length / 2)];
      (results[key] ??= {})[name] = { median, lowest: sorted[0], highest: sorted.at(-1) };
      console.log(
        `  ${name.padEnd(32)} ${format(median)}   (${format(sorted[0])} to ${format(sorted.at(-1))})`,
      );
    }
    console.log();
  }
  const ratios = {
    "konveier full / plainjob normal, enqueue and run at once": ratio(
      results.endToEnd,
      "konveier, full",
      "plainjob, normal (its default)",
    ),
    "konveier normal / plainjob normal, enqueue and run at once": ratio(
      results.endToEnd,
      "konveier, normal",
      "plainjob, normal (its default)",
    ),
    "konveier full / raw statements, run what waits": ratio(
      results.drain,
      "konveier, full",
      "raw statements, full",
    ),
  };
  for (const [title, value] of Object.entries(ratios)) console.log(`${title}: ${value.toFixed(2)}`);
  if (values.json)
    writeFileSync(values.json, `${JSON.stringify({ jobs, rounds, results, ratios }, null, 2)}\n`);
}

function ratio(measured, a, b) {
  return measured[a].median / measured[b].median;
}

function format(number) {
  return Math.round(number).toLocaleString("en").padStart(8);
}
