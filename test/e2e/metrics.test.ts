import { join } from "node:path";
import Database from "better-sqlite3";
import type { Static } from "typebox";
import { describe, expect, onTestFinished, test } from "vitest";
import { ClaimView } from "../../src/api/claim.js";
import { enqueueMany } from "../../src/engine/enqueue.js";
import { startHttpServer, type HttpServer } from "../support/http-server.js";
import { ON_POSTGRES, testDatabase } from "../support/test-database.js";
import { Scrape, type Sample } from "../support/exposition.js";
import { PROMTOOL, promtool } from "../support/promtool.js";
import { eventually, startServer, TOKEN } from "../support/server-process.js";
import { settled } from "../support/settled.js";
import { tempDirectory } from "../support/temp-directory.js";

async function scrape(server: HttpServer): Promise<Scrape> {
  const answer = await server.get("/metrics");
  expect(answer.status).toBe(200);
  return new Scrape(answer.text);
}

const WORKER = {
  id: "own",
  host: "h",
  pid: 1,
  queues: ["default"],
  names: null,
  concurrency: 1,
  running: 0,
  state: "active",
} as const;

function seriesOf({ name, labels }: Sample): string {
  return `${name} ${JSON.stringify(labels)}`;
}

/** What was measured in time or bytes differs from run to run. */
function figureOf({ name, value }: Sample): number | null {
  return /_(seconds(_sum|_bucket)?|bytes)$/.test(name) ? null : value;
}

/** A scrape that is not the one of a moment ago. */
async function eventuallyFresh(server: HttpServer): Promise<Scrape> {
  return eventually(
    () => scrape(server),
    (metrics) => metrics.value("konveier_workers", { state: "active" }) === 2,
  );
}

async function claimed(server: HttpServer, more: object = {}) {
  const request = { workerId: "w", queues: ["default"], ...more };
  return (await server.post("/v1/claim", request)).as(ClaimView).jobs;
}

/** Every metric there is has a series after this. */
async function touchEverything(server: HttpServer): Promise<void> {
  await server.send("PUT", "/v1/schedules/nightly", { json: { cron: "@daily", job: { name: "report" } } });
  const rateLimit = { max: 90, perMs: 60_000 };
  await server.send("PATCH", "/v1/queues/default", { json: { concurrency: 5, maxLength: 100, rateLimit } });
  await server.post("/v1/jobs", { name: "mail.send" });
  const [job] = await claimed(server);
  const { id, leaseToken } = job!;
  await server.post(`/v1/jobs/${id}/complete`, { leaseToken });
  await server.post(`/v1/jobs/${id}/release`, { leaseToken });
  await server.get("/metrics");
}

test("tells the same of both stores, but for what only one of them has", async () => {
  const [sqlite, postgres] = await Promise.all(
    ["sqlite", "postgres"].map(async (kind) => {
      const server = await startHttpServer({ database: testDatabase(kind) });
      await touchEverything(server);
      await server.post("/v1/jobs", { name: "mail.send", maxAttempts: 1 });
      const [job] = await claimed(server);
      const { id, leaseToken } = job!;
      await server.post(`/v1/jobs/${id}/fail`, { leaseToken, error: { message: "x" } });
      await server.post("/v1/queues/paused/pause");
      await server.store.workers.seen({ ...WORKER, claimant: null });
      const { samples, types } = await eventuallyFresh(server);
      // How often the scrape was asked for is chance.
      const series = samples.filter(
        ({ name, labels }) => name.startsWith("konveier_") && labels["route"] !== "/metrics",
      );
      return { series: new Map(series.map((one) => [seriesOf(one), figureOf(one)])), types };
    }),
  );
  const only = (one: typeof sqlite, other: typeof sqlite) =>
    [...one!.series.keys()].filter((key) => !other!.series.has(key));
  expect(only(sqlite, postgres)).toEqual([
    'konveier_storage_size_bytes {"file":"wal"}',
    'konveier_storage_size_bytes {"file":"freelist"}',
  ]);
  expect(only(postgres, sqlite)).toEqual([
    "konveier_store_dead_rows {}",
    "konveier_store_oldest_transaction_seconds {}",
  ]);
  for (const [key, figure] of sqlite!.series) {
    if (postgres!.series.has(key)) expect([key, postgres!.series.get(key)]).toEqual([key, figure]);
  }
  for (const [name, type] of sqlite!.types) expect([name, postgres!.types.get(name)]).toEqual([name, type]);
});

describe("GET /metrics", () => {
  test("OBS-11 is plain text of the format 0.0.4, and no browser guesses otherwise", async () => {
    const server = await startHttpServer();
    const answer = await server.get("/metrics");
    expect(answer.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect((await server.get("/metrics", { token: null })).status).toBe(401);
    expect(answer.text.endsWith("\n")).toBe(true);
  });

  test("has no label that belongs to Prometheus or has no bound, and no series twice", async () => {
    const server = await startHttpServer();
    await touchEverything(server);
    const { samples } = await scrape(server);
    const labels = new Set(
      samples.flatMap(({ name, labels: own }) => (name.startsWith("konveier_") ? Object.keys(own) : [])),
    );
    const allowed = [
      "queue",
      "job_name",
      "outcome",
      "state",
      "schedule",
      "result",
      "file",
      "le",
      "operation",
      "limit",
    ];
    allowed.push("method", "route", "code", "label", "version", "node");
    expect([...labels].toSorted()).toEqual(allowed.toSorted());
    const series = samples.map(({ name, labels: own }) => JSON.stringify([name, own]));
    expect(new Set(series).size).toBe(series.length);
  });

  test.skipIf(PROMTOOL === null)("OBS-01 promtool finds nothing to say about it", async () => {
    const server = await startHttpServer();
    await touchEverything(server);
    const { text } = await scrape(server);
    expect(promtool(["check", "metrics"], text)).toEqual({ code: 0, output: "" });
  });

  test("counts requests by their route, unknown addresses together, waiting claims without their time", async () => {
    const server = await startHttpServer();
    await server.post("/v1/jobs", { name: "a" });
    await server.get("/v1/jobs/1");
    await server.get("/v1/jobs/2");
    await server.get("/v1/nothing-here");
    await server.get("/nor-here");
    await claimed(server);
    const metrics = await scrape(server);
    const requests = (method: string, route: string, code: string) =>
      metrics.value("konveier_http_requests_total", { method, route, code });
    expect(requests("POST", "/v1/jobs", "201")).toBe(1);
    expect(requests("GET", "/v1/jobs/:id", "200")).toBe(1);
    expect(requests("GET", "/v1/jobs/:id", "404")).toBe(1);
    expect(requests("GET", "_unknown", "404")).toBe(2);
    expect(requests("POST", "/v1/claim", "200")).toBe(1);
    const timed = "konveier_http_request_duration_seconds_count";
    expect(metrics.value(timed, { method: "GET", route: "/v1/jobs/:id" })).toBe(2);
    expect(metrics.value(timed, { method: "POST", route: "/v1/claim" })).toBeUndefined();
  });

  test("counts what stale claims tried, by operation", async () => {
    const server = await startHttpServer();
    await server.post("/v1/jobs", { name: "a" });
    const [job] = await claimed(server);
    const { id, leaseToken } = job!;
    await server.post(`/v1/jobs/${id}/cancel`);
    for (const [operation, body] of Object.entries({
      complete: {},
      fail: { error: { message: "x" } },
      release: {},
      snooze: { delayMs: 1 },
      progress: { percent: 1 },
      logs: { lines: [{ message: "x" }] },
    })) {
      expect((await server.post(`/v1/jobs/${id}/${operation}`, { leaseToken, ...body })).status).toBe(409);
    }
    await server.post("/v1/heartbeat", { workerId: "w", leases: [{ id, leaseToken }] });
    const metrics = await scrape(server);
    const rejected = (operation: string) => metrics.value("konveier_fencing_rejections_total", { operation });
    for (const operation of ["complete", "fail", "release", "snooze", "progress", "logs", "heartbeat"]) {
      expect(rejected(operation), operation).toBe(1);
    }
    expect(rejected("worker")).toBe(0);
    const fact = { id, queue: "q", name: "a", attempt: 1, token: 1, workerId: "w" };
    server.context.events.emit("lease.lost", { ...fact, reason: "reclaimed" });
    expect((await scrape(server)).value("konveier_fencing_rejections_total", { operation: "worker" })).toBe(
      1,
    );
  });

  test("tells how many claims wait", async () => {
    const server = await startHttpServer();
    const waiting = claimed(server, { waitMs: 60_000 });
    while ((await scrape(server)).value("konveier_claim_waiters") !== 1) await settled();
    await server.post("/v1/jobs", { name: "a" });
    expect(await waiting).toHaveLength(1);
    expect((await scrape(server)).value("konveier_claim_waiters")).toBe(0);
  });

  // A lock of the file.
  test.skipIf(ON_POSTGRES)(
    "OBS-10 a database that another process writes to is read all the same, and is not stale",
    async () => {
      const server = await startHttpServer();
      await server.post("/v1/jobs", { name: "a" });
      const holder = new Database(server.file);
      onTestFinished(() => {
        holder.close();
      });
      holder.exec("BEGIN EXCLUSIVE");
      const metrics = await scrape(server);
      expect(metrics.value("konveier_metrics_stale")).toBe(0);
      expect(metrics.sum("konveier_jobs_enqueued_total")).toBe(1);
    },
  );

  test("OBS-10 a database that is gone: an answer all the same, marked as stale", async () => {
    const server = await startHttpServer();
    await server.store.close();
    const metrics = await scrape(server);
    expect(metrics.value("konveier_metrics_stale")).toBe(1);
    expect(metrics.types.has("konveier_build_info")).toBe(true);
  });

  test("two servers in one process count their own requests and tell the same of the database", async () => {
    const one = await startHttpServer();
    const two = await startHttpServer({ database: one.database });
    await one.post("/v1/jobs", { name: "a" });
    const [ofOne, ofTwo] = [await scrape(one), await scrape(two)];
    const lane = { queue: "default", job_name: "a" };
    for (const metrics of [ofOne, ofTwo]) expect(metrics.value("konveier_jobs_enqueued_total", lane)).toBe(1);
    expect(ofOne.sum("konveier_http_requests_total", { route: "/v1/jobs" })).toBe(1);
    expect(ofTwo.sum("konveier_http_requests_total", { route: "/v1/jobs" })).toBe(0);
    await one.server.close();
    expect((await scrape(two)).types.has("nodejs_eventloop_lag_p99_seconds")).toBe(true);
  });

  // On a file in any case.
  test.skipIf(ON_POSTGRES)(
    "OBS-04 MET-01 500 dead letters are counted after kill -9 and a restart, and go on from there",
    async () => {
      const cwd = tempDirectory();
      const env = { DATABASE_URL: `sqlite:${join(cwd, "konveier.db")}` };
      const dead = async (url: string) => {
        const answer = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } });
        return new Scrape(await answer.text()).sum("konveier_jobs_finished_total", {
          queue: "mail",
          state: "dead",
        });
      };
      const bury = async (server: Awaited<ReturnType<typeof startServer>>, count: number) => {
        const jobs = Array.from({ length: count }, () => ({ queue: "mail", name: "send" }));
        await server.post("/v1/jobs/batch", { jobs });
        const request = { workerId: "w", queues: ["mail"], max: count };
        const { body } = await server.post<Static<typeof ClaimView>>("/v1/claim", request);
        // Some at a time: five hundred connections at once are another test.
        for (let from = 0; from < count; from += 25) {
          await Promise.all(
            body.jobs
              .slice(from, from + 25)
              .map(({ id, leaseToken }) =>
                server.post(`/v1/jobs/${id}/fail`, { leaseToken, error: { message: "x" }, retry: "never" }),
              ),
          );
        }
      };
      const first = await startServer({ cwd, env });
      await bury(first, 500);
      first.kill("SIGKILL");
      await first.exited;
      const second = await startServer({ cwd, env: { ...env, KONVEIER_RETENTION_DEAD_MS: "1" } });
      expect(await dead(second.url)).toBe(500);
      await bury(second, 10);
      expect(
        await eventually(
          () => dead(second.url),
          (n) => n > 500,
        ),
      ).toBe(510);
    },
    120_000,
  );

  test("sums of the counters are what was done", async () => {
    const server = await startHttpServer();
    await enqueueMany(
      server.context,
      Array.from({ length: 30 }, (_, n) => ({ name: `n${n % 3}`, queue: `q${n % 2}` })),
    );
    const jobs = await claimed(server, { queues: ["q0", "q1"], max: 20 });
    for (const [index, { id, leaseToken }] of jobs.entries()) {
      if (index % 4 === 0) await server.post(`/v1/jobs/${id}/fail`, { leaseToken, error: { message: "x" } });
      if (index % 4 === 1) await server.post(`/v1/jobs/${id}/complete`, { leaseToken });
      if (index % 4 === 2) await server.post(`/v1/jobs/${id}/cancel`);
    }
    const metrics = await scrape(server);
    expect(metrics.sum("konveier_jobs_enqueued_total")).toBe(30);
    expect(metrics.sum("konveier_attempts_started_total")).toBe(20);
    for (const outcome of ["failed", "succeeded", "cancelled"]) {
      expect(metrics.sum("konveier_attempts_finished_total", { outcome }), outcome).toBe(5);
    }
    expect(metrics.sum("konveier_queue_jobs", { state: "running" })).toBe(5);
    expect(metrics.sum("konveier_queue_jobs")).toBe(30);
  });
});
