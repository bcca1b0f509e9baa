// Drives a real server with a mix of requests at a steady rate, and prints over time what it holds in memory.
//
//   npm run build && node bench/http-endurance.mjs [--seconds 600] [--rate 2000] [--every 10]
//
// The mix: enqueue, claim, acknowledge, list and read one job, over 32 connections, beside five event streams.
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { serve } from "./serve.mjs";

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "600" },
    rate: { type: "string", default: "2000" },
    every: { type: "string", default: "10" },
  },
});
const [seconds, rate, every] = [values.seconds, values.rate, values.every].map(Number);
const CONNECTIONS = 32;
/** Requests on their way at the most: a server that is slower than the rate is not drowned. */
const MAX_IN_FLIGHT = 64;
const TICK_MS = 10;
const API_TOKEN = "token-of-the-endurance-run";

const directory = mkdtempSync(join(tmpdir(), "konveier-endurance-"));
const { server, url } = await serve({ cwd: directory, env: { API_TOKEN, LOG_LEVEL: "warn" } });
const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
const streamAgent = new Agent({ keepAlive: false });
const statuses = new Map();
let answered = 0;
let latencies = [];
let streamed = 0;

try {
  for (let index = 0; index < 5; index += 1) openStream();
  console.log("second   requests/s   p50 ms   p99 ms   rss MiB   heap MiB   open files   stream KiB");
  await Promise.all([drive(), watch()]);
  console.log("answers by status:", Object.fromEntries([...statuses].sort()));
} finally {
  agent.destroy();
  streamAgent.destroy();
  server.kill("SIGTERM");
  await once(server, "exit");
  rmSync(directory, { recursive: true, force: true });
}

/** As many requests in each tick as the rate wants, counted from the beginning. */
async function drive() {
  const began = performance.now();
  let sent = 0;
  let inFlight = 0;
  const turns = workers();
  while (performance.now() - began < seconds * 1_000) {
    const due = ((performance.now() - began) / 1_000) * rate;
    while (sent < due && inFlight < MAX_IN_FLIGHT) {
      sent += 1;
      inFlight += 1;
      turns[sent % turns.length]().finally(() => {
        inFlight -= 1;
      });
    }
    // What could not be sent in time is not made up for: the rate is a steady one.
    sent = Math.max(sent, Math.floor(due) - rate / 10);
    await delay(TICK_MS);
  }
}

/** The mix. A claim takes up to five jobs, and what it got is acknowledged by one of the next turns. */
function workers() {
  const held = [];
  let newest = 1;
  const enqueue = async () => {
    const { body } = await call("POST", "/v1/jobs", { name: "endurance", payload: { n: answered } });
    newest = Number(body?.id ?? newest);
  };
  const claim = async () => {
    const wanted = { workerId: "endurance", queues: ["default"], max: 5 };
    const { body } = await call("POST", "/v1/claim", wanted);
    held.push(...(body?.jobs ?? []));
  };
  const acknowledge = () => {
    const results = held
      .splice(0, 50)
      .map(({ id, leaseToken }) => ({ id, leaseToken, outcome: "completed" }));
    return call("POST", "/v1/ack", { results });
  };
  const list = () => call("GET", "/v1/jobs?state=completed&limit=10");
  const read = () => call("GET", `/v1/jobs/${Math.max(1, newest - 10)}`);
  return [enqueue, enqueue, claim, acknowledge, enqueue, list, enqueue, claim, read, acknowledge];
}

/** Rejects never: what happened is counted. */
async function call(method, path, json) {
  const began = performance.now();
  const { status, text } = await exchange(method, path, json).catch((error) => ({
    status: error.code ?? String(error),
    text: "",
  }));
  latencies.push(performance.now() - began);
  answered += 1;
  statuses.set(status, (statuses.get(status) ?? 0) + 1);
  return { status, body: text.startsWith("{") ? JSON.parse(text) : null };
}

function headersFor(body) {
  return {
    authorization: `Bearer ${API_TOKEN}`,
    ...(body !== undefined && {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
    }),
  };
}

async function exchange(method, path, json) {
  const body = json === undefined ? undefined : JSON.stringify(json);
  const sent = request(url + path, { agent, method, headers: headersFor(body) });
  sent.end(body);
  const [response] = await once(sent, "response");
  let text = "";
  response.setEncoding("utf8");
  for await (const chunk of response) text += chunk;
  return { status: response.statusCode, text };
}

function openStream() {
  const sent = request(`${url}/v1/events`, { agent: streamAgent, headers: headersFor() });
  sent.on("error", () => undefined);
  sent.on("response", (response) => {
    response.on("data", (chunk) => {
      streamed += chunk.length;
    });
    response.on("error", () => undefined);
  });
  sent.end();
}

async function watch() {
  let before = 0;
  const began = performance.now();
  for (let second = every; second <= seconds; second += every) {
    await delay(Math.max(0, began + second * 1_000 - performance.now()));
    const taken = latencies.sort((a, b) => a - b);
    latencies = [];
    const { text } = await exchange("GET", "/metrics");
    const figures = [
      second,
      Math.round((answered - before) / every),
      at(taken, 0.5).toFixed(1),
      at(taken, 0.99).toFixed(1),
      mebibytes(text, "process_resident_memory_bytes"),
      mebibytes(text, "nodejs_heap_size_used_bytes"),
      openFiles(),
      Math.round(streamed / 1024),
    ];
    before = answered;
    console.log(figures.map((figure) => String(figure).padStart(8)).join("  "));
  }
}

function at(sorted, share) {
  return sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
}

function mebibytes(text, metric) {
  const value = new RegExp(`^${metric} (\\S+)$`, "m").exec(text)?.[1];
  return (Number(value) / 1024 / 1024).toFixed(0);
}

/** Sockets and files of the server; only Linux tells. */
function openFiles() {
  try {
    return readdirSync(`/proc/${server.pid}/fd`).length;
  } catch {
    return "-";
  }
}
