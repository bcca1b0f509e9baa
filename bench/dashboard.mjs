// Opens every page of the dashboard over a large database, and prints how long its calls and its first view take, and
// what ten tabs cost that nobody touches.
//
//   npm run build && node bench/dashboard.mjs [--jobs 1000000] [--dead 100000] [--rounds 10] [--file big.db]
//
// The jobs are spread over a day, twenty queues and five names, and die of thirty errors. With --file the database is
// kept, and filled only if it is not there. Wants a Chromium: CHROMIUM_PATH, or the one of npm test.
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { chromium } from "playwright-core";
import { openSqliteStore } from "../dist/store/sqlite/open.js";
import { ensureChromium, findChromium } from "../scripts/ensure-chromium.mjs";
import { freshFile } from "./sqlite/fresh-file.mjs";
import { serve } from "./serve.mjs";
import { newJob } from "./new-job.mjs";

const { values } = parseArgs({
  options: {
    jobs: { type: "string", default: "1000000" },
    dead: { type: "string", default: "100000" },
    rounds: { type: "string", default: "10" },
    file: { type: "string" },
  },
});
const [jobs, dead, rounds] = [values.jobs, values.dead, values.rounds].map(Number);
const API_TOKEN = "token-of-the-dashboard-run";
const MINUTES = 1_440;
const QUEUES = Array.from({ length: 20 }, (_, index) => `queue-${String(index)}`);
const NAMES = ["email.send", "invoice.render", "image.resize", "report.build", "webhook.call"];
const ERRORS = 30;
const PENDING = 5_000;
const TABS = 10;
const IDLE_SECONDS = 30;
/** How long a page may stay without a word before it is taken for settled. */
const QUIET_MS = 500;
const PAGES = [
  "/",
  "/queues",
  "/queues/queue-3",
  "/jobs",
  "/jobs?q=state%3Adead",
  "/jobs?q=queue%3Aqueue-3%20name%3Aemail.send",
  "/jobs/500000",
  "/dead",
  "/schedules",
  "/workers",
  "/metrics-ui",
  "/metrics-ui?range=24h",
  "/settings?tab=audit",
];

ensureChromium();
const executablePath = findChromium();
if (executablePath === null) process.exit(1);
const file = values.file === undefined ? freshFile() : resolve(values.file);
if (values.file === undefined || !existsSync(file)) await fill();
const { server, url } = await serve({
  env: { API_TOKEN, LOG_LEVEL: "warn", DATABASE_URL: `sqlite:${file}` },
});
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
try {
  for (const path of PAGES) await measure(path);
  await measureIdleTabs();
} finally {
  await browser.close();
  server.kill("SIGTERM");
  await once(server, "exit");
}

/** A day of work, minute by minute, by a clock of its own: the figures over time are those that the engine writes. */
async function fill() {
  let now = Date.now() - MINUTES * 60_000;
  const clock = { now: () => now, monotonic: () => now, setTimer: () => () => undefined };
  const store = openSqliteStore(file, { synchronous: "normal", clock });
  const perMinute = Math.ceil(jobs / MINUTES);
  let buried = 0;
  for (let minute = 0; minute < MINUTES; minute += 1) {
    await store.jobs.insertMany(Array.from({ length: perMinute }, (_, index) => jobOf(minute + index)));
    now += 200 + ((minute * 37) % 4_000);
    const claim = { workerId: "worker-1", queues: QUEUES, names: null, max: perMinute, leaseMs: 60_000 };
    const claimed = await store.claims.claim(claim);
    now += 300 + ((minute * 91) % 9_000);
    const due = Math.round((dead * (minute + 1)) / MINUTES);
    await store.claims.settle(
      claimed.map(({ id, token }) => {
        if (buried >= due) return { verb: "complete", id, token, result: '{"ok":true}' };
        buried += 1;
        return { verb: "bury", id, token, failure: failureOf(buried) };
      }),
    );
    now += 60_000 - (now % 60_000);
  }
  await store.jobs.insertMany(Array.from({ length: PENDING }, (_, index) => jobOf(index)));
  await store.close();
}

function jobOf(index) {
  return newJob({
    queue: QUEUES[index % QUEUES.length],
    name: NAMES[index % NAMES.length],
    payload: `{"to":"reader-${String(index)}@example.com"}`,
    tags: index % 7 === 0 ? ["vip"] : [],
  });
}

function failureOf(index) {
  const message = `the ${"abcdefghijklmnopqrstuvwxyzABCD"[index % ERRORS]} service refused request ${String(index)}`;
  return { outcome: "failed", error: { type: "ServiceError", message, stack: null } };
}

/** A browser that has never been here each time: nothing is in its cache. */
async function measure(path) {
  const calls = [];
  const views = [];
  for (let round = 0; round < rounds; round += 1) {
    const context = await signedIn();
    const page = await context.newPage();
    page.on("requestfinished", (request) => {
      if (!request.url().includes("/v1/") || request.url().includes("/v1/live")) return;
      const { requestStart, responseEnd } = request.timing();
      calls.push({ ms: responseEnd - requestStart, path: request.url().slice(url.length) });
    });
    const begun = performance.now();
    await page.goto(url + path, { waitUntil: "commit" });
    await page.locator("main h1").first().waitFor({ state: "attached" });
    while ((await page.locator(".skeleton").count()) > 0) await delay(10);
    views.push(performance.now() - begun);
    await delay(QUIET_MS);
    await context.close();
  }
  const times = calls.map(({ ms }) => ms);
  const slowest = calls.toSorted((a, b) => b.ms - a.ms)[0];
  console.log(
    `${path.padEnd(48)} calls ${String(calls.length / rounds).padStart(4)}   ` +
      `API p50 ${at(times, 0.5)} p95 ${at(times, 0.95)} max ${at(times, 1)} ms   ` +
      `first view p50 ${at(views, 0.5)} p95 ${at(views, 0.95)} ms   slowest ${slowest?.path ?? ""}`,
  );
}

async function measureIdleTabs() {
  const context = await signedIn();
  let calls = 0;
  context.on("request", () => {
    calls += 1;
  });
  for (let tab = 0; tab < TABS; tab += 1) {
    const page = await context.newPage();
    await page.goto(url + PAGES[tab % PAGES.length]);
  }
  await delay(10_000);
  calls = 0;
  const before = processorMs();
  await delay(IDLE_SECONDS * 1_000);
  console.log(
    `${String(TABS)} idle tabs for ${String(IDLE_SECONDS)} s: ${String(calls)} requests, ` +
      `${String(processorMs() - before)} ms of the server's processor time`,
  );
}

async function signedIn() {
  const context = await browser.newContext({ viewport: { width: 1_280, height: 800 } });
  await context.request.post(`${url}/v1/session`, { data: { token: API_TOKEN } });
  return context;
}

/** User and system time of the server, in ms, on Linux (100 ticks a second). */
function processorMs() {
  const fields = readFileSync(`/proc/${String(server.pid)}/stat`, "utf8")
    .split(") ")[1]
    .split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

function at(times, part) {
  const sorted = times.toSorted((a, b) => a - b);
  return String(Math.round(sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? 0)).padStart(4);
}
