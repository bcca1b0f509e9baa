import type { Static } from "typebox";
import { describe, expect, test } from "vitest";
import { ClaimView } from "../../src/api/claim.js";
import { ActivitySeriesView, DurationSeriesView, OverviewView } from "../../src/api/stats.js";
import { startHttpServer, type HttpServer } from "../support/http-server.js";

async function work(server: HttpServer): Promise<void> {
  await server.post("/v1/jobs/batch", {
    jobs: [
      { queue: "mail", name: "send" },
      { queue: "mail", name: "send" },
      { queue: "mail", name: "bounce" },
      { queue: "images", name: "resize" },
    ],
  });
  const request = { workerId: "w", queues: ["mail"], names: ["send"], max: 2 };
  const { jobs } = (await server.post("/v1/claim", request)).as(ClaimView);
  const [done, failed] = jobs;
  await server.post(`/v1/jobs/${done!.id}/complete`, { leaseToken: done!.leaseToken });
  await server.post(`/v1/jobs/${failed!.id}/fail`, {
    leaseToken: failed!.leaseToken,
    error: { message: "x" },
    retry: "never",
  });
}

async function activity(server: HttpServer, more = ""): Promise<Static<typeof ActivitySeriesView>> {
  return (await server.get(`/v1/stats/timeseries?metric=activity${more}`)).as(ActivitySeriesView);
}

function total(series: Static<typeof ActivitySeriesView>, of: "enqueued" | "started" | "retried"): number {
  return series.points.reduce((sum, point) => sum + point[of], 0);
}

describe("GET /v1/stats/overview", () => {
  test("tells of every queue and of all together", async () => {
    const server = await startHttpServer();
    await server.post("/v1/queues/quiet/pause", { reason: "why not" });
    await work(server);
    const overview = (await server.get("/v1/stats/overview")).as(OverviewView);
    expect(overview.queues.map(({ name }) => name)).toEqual(["images", "mail", "quiet"]);
    const [images, mail, quiet] = overview.queues;
    expect(mail).toMatchObject({
      counts: { pending: 1, completed: 1, dead: 1 },
      lastHour: {
        enqueued: 3,
        started: 2,
        attempts: { succeeded: 1, failed: 1, timedOut: 0 },
        jobs: { completed: 1, dead: 1, cancelled: 0 },
      },
    });
    expect(images?.lastHour).toMatchObject({ enqueued: 1, started: 0 });
    expect(quiet).toMatchObject({ pauseReason: "why not", oldestPendingAt: null, lastHour: { enqueued: 0 } });
    expect(overview.all).toMatchObject({
      counts: { pending: 2, completed: 1, dead: 1 },
      lastHour: { enqueued: 4, started: 2 },
    });
    const oldest = [images, mail].map((queue) => queue?.oldestPendingAt ?? "").toSorted()[0];
    expect(overview.all.oldestPendingAt).toBe(oldest);
    expect(Date.parse(overview.at) - Date.parse(overview.since)).toBeGreaterThanOrEqual(3_600_000);
  });

  test("of an empty database has nothing to tell", async () => {
    const server = await startHttpServer();
    const overview = (await server.get("/v1/stats/overview")).as(OverviewView);
    expect(overview).toMatchObject({ queues: [], all: { oldestPendingAt: null, lastHour: { enqueued: 0 } } });
  });
});

describe("GET /v1/stats/timeseries", () => {
  test("has a point for every step, zeros where nothing happened", async () => {
    const server = await startHttpServer();
    await work(server);
    const series = await activity(server);
    expect(series.step).toBe("1m");
    expect(series.points.length).toBeGreaterThanOrEqual(60);
    expect(series.points.length).toBeLessThanOrEqual(61);
    expect(series.points[0]).toMatchObject({ at: series.from, enqueued: 0, attempts: { succeeded: 0 } });
    expect(total(series, "enqueued")).toBe(4);
    const steps = series.points.map(({ at }) => Date.parse(at));
    expect(new Set(steps.slice(1).map((at, index) => at - steps[index]!))).toEqual(new Set([60_000]));
  });

  test("minutes and hours say the same, and queues and names are told apart", async () => {
    const server = await startHttpServer();
    await work(server);
    for (const step of ["1m", "5m", "15m", "1h", "6h", "1d"]) {
      expect(total(await activity(server, `&step=${step}`), "enqueued"), step).toBe(4);
    }
    expect(total(await activity(server, "&queue=mail"), "enqueued")).toBe(3);
    expect(total(await activity(server, "&queue=mail&name=send"), "started")).toBe(2);
    expect(total(await activity(server, "&name=resize"), "enqueued")).toBe(1);
    expect(total(await activity(server, "&queue=none"), "enqueued")).toBe(0);
  });

  test("durations have a count, a mean and percentiles, null where there are none", async () => {
    const server = await startHttpServer();
    await work(server);
    for (const metric of ["wait", "run"]) {
      const answer = await server.get(`/v1/stats/timeseries?metric=${metric}&step=1h`);
      const { points } = answer.as(DurationSeriesView);
      const counted = points.filter(({ count }) => count > 0);
      expect(counted.reduce((sum, { count }) => sum + count, 0)).toBe(2);
      const { meanMs, p50Ms, p95Ms, p99Ms } = counted[0]!;
      expect(meanMs).toBeGreaterThanOrEqual(0);
      expect(p50Ms).toBeGreaterThan(0);
      expect(p95Ms).toBeGreaterThanOrEqual(p50Ms!);
      expect(p99Ms).toBeGreaterThanOrEqual(p95Ms!);
    }
    const { points } = (await server.get("/v1/stats/timeseries?metric=lag")).as(DurationSeriesView);
    expect(points[0]).toMatchObject({ count: 0, meanMs: null, p50Ms: null, p99Ms: null });
  });

  test("a span is taken to whole steps", async () => {
    const server = await startHttpServer();
    const span = "&from=2026-01-05T00:00:30.000Z&to=2026-01-05T02:59:00.000%2B02:00&step=15m";
    const series = await activity(server, span);
    expect(series).toMatchObject({ from: "2026-01-05T00:00:00.000Z", to: "2026-01-05T01:00:00.000Z" });
    expect(series.points).toHaveLength(4);
  });

  test.each([
    ["", "/metric required"],
    ["?metric=nothing", "/metric unknown_value"],
    ["?metric=run&step=2m", "/step unknown_value"],
    ["?metric=run&from=yesterday", "/from invalid_instant"],
    ["?metric=run&to=2026-02-30T00:00:00Z", "/to invalid_instant"],
    ["?metric=run&from=2026-01-05T00:00:00Z&to=2026-01-05T00:00:00Z", "/from out_of_range"],
    ["?metric=run&from=2026-01-01T00:00:00Z&to=2026-01-03T00:00:00Z&step=1m", "/step out_of_range"],
    ["?metric=run&from=2000-01-01T00:00:00Z&to=2026-01-01T00:00:00Z", "/from out_of_range"],
    ["?metric=run&to=9999-12-31T23:59:59Z&step=1d", "/to out_of_range"],
    ["?metric=run&qeue=mail", "/qeue unknown_field"],
  ])("%s is refused: %s", async (query, fault) => {
    const server = await startHttpServer();
    const answer = await server.get(`/v1/stats/timeseries${query}`);
    expect(answer.status).toBe(422);
    const errors = answer.body["errors"] as { pointer: string; code: string }[];
    expect(errors.map(({ pointer, code }) => `${pointer} ${code}`)).toEqual([fault]);
  });
});
