// node bench/cron.mjs
//
// The time of one next run, here and in croner: the same expressions in the same zones, each walked from the
// same instants, both parsed beforehand. Rounds alternate, and the medians are compared.
import { Cron } from "croner";
import { nextRun } from "../dist/cron/next.js";
import { parseCron } from "../dist/cron/parse.js";
import { zone } from "../dist/cron/zone.js";

const ROUNDS = 9;
const STEPS = 40;
const STARTS = ["2026-01-05T00:00Z", "2026-03-07T12:00Z", "2026-10-24T12:00Z"].map((text) =>
  Date.parse(text),
);
const ZONES = ["UTC", "Europe/Paris", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe"];
const EXPRESSIONS = [
  "* * * * *",
  "*/5 * * * *",
  "0 * * * *",
  "30 2 * * *",
  "0 9-17 * * 1-5",
  "15 10 1,15 * *",
  "0 0 L * *",
  "0 12 * * FRI#2",
  "0 0 1 1 *",
  "0 0 29 2 *",
  "*/10 * * * * *",
];

const cases = EXPRESSIONS.flatMap((text) => ZONES.map((name) => contenders(text, name)));
const contestants = ["konveier", "croner"];
const samples = { konveier: [], croner: [] };

for (const { text, name, konveier, croner } of cases) {
  for (const start of STARTS) {
    if (walk(konveier, start) !== walk(croner, start)) throw new Error(`${text} in ${name}: two answers`);
  }
}
for (let round = 0; round < ROUNDS; round += 1) {
  const order = round % 2 === 0 ? contestants : contestants.toReversed();
  for (const contestant of order) samples[contestant].push(microsecondsPerRun(contestant));
}
for (const contestant of contestants) {
  const { lowest, median, highest } = spread(samples[contestant]);
  console.log(`${contestant}: ${median} µs a run (${lowest} to ${highest})`);
}
const ratio = spread(samples.croner).median / spread(samples.konveier).median;
console.log(`croner takes ${ratio.toFixed(1)} times as long`);

function contenders(text, name) {
  const rule = parseCron(text);
  const place = zone(name);
  const cron = new Cron(text, { timezone: name, paused: true, fixedTimeRule: "no-wildcard" });
  return {
    text,
    name,
    konveier: (after) => nextRun(rule, place, after),
    croner: (after) => cron.nextRun(new Date(after)).getTime(),
  };
}

/** The instant that is reached after some steps. */
function walk(next, start) {
  let at = start;
  for (let step = 0; step < STEPS; step += 1) at = next(at);
  return at;
}

function microsecondsPerRun(contestant) {
  const start = performance.now();
  for (const each of cases) for (const from of STARTS) walk(each[contestant], from);
  return ((performance.now() - start) * 1_000) / (cases.length * STARTS.length * STEPS);
}

function spread(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b);
  const round = (value) => Number(value.toPrecision(3));
  return {
    lowest: round(sorted[0]),
    median: round(sorted[Math.floor(sorted.length / 2)]),
    highest: round(sorted.at(-1)),
  };
}
