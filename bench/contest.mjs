import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { cpus, release } from "node:os";
import { fileURLToPath } from "node:url";

/** What the programs of the contenders report, in jobs per second. */
const MEASURES = [
  ["enqueueMany", "enqueue, 1000 a call"],
  ["enqueueConcurrent", "enqueue, 1000 callers"],
  ["drain", "run what waits"],
  ["endToEnd", "enqueue and run at once"],
];

/**
 * Runs every contender several times, in turn, each in a process of its own, and prints medians.
 *
 * @param about one line about what they do
 * @param contenders a program each, with the arguments that come before the number of jobs, and what has to be done
 *   before each run
 * @param ratios of which measure, between whom
 * @param json a file for the results, if any
 */
export function contest({ about, jobs, rounds, contenders, ratios, json }) {
  const samples = new Map(contenders.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const contender of contenders) samples.get(contender.name).push(measure(contender, jobs));
  }
  console.log(
    `${cpus()[0]?.model ?? "unknown processor"}, ${cpus().length} cores, Linux ${release()}, Node ${process.version}`,
  );
  console.log(`${jobs} no-op jobs, payload of about 130 bytes, ${about}, ${rounds} rounds in turn`);
  console.log("jobs per second, median (lowest to highest)\n");
  const results = summary(samples);
  const quotients = {};
  for (const [measured, a, b] of ratios) {
    const title = `${a} / ${b}, ${new Map(MEASURES).get(measured)}`;
    quotients[title] = results[measured][a].median / results[measured][b].median;
    console.log(`${title}: ${quotients[title].toFixed(2)}`);
  }
  if (json === undefined) return;
  writeFileSync(json, `${JSON.stringify({ jobs, rounds, results, ratios: quotients }, null, 2)}\n`);
}

function measure({ program, args }, jobs) {
  const child = spawnSync(process.execPath, [fileURLToPath(program), ...args, String(jobs)], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (child.status !== 0) throw new Error(`${program} ${args.join(" ")} ended with ${child.status}`);
  return JSON.parse(child.stdout);
}

function summary(samples) {
  const results = {};
  for (const [key, title] of MEASURES) {
    console.log(title);
    for (const [name, runs] of samples) {
      const numbers = runs.flatMap((run) => run[key] ?? []);
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
  return results;
}

function format(number) {
  return Math.round(number).toLocaleString("en").padStart(8);
}
