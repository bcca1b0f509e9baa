import type { Static } from "typebox";
import { describe, expect, test } from "vitest";
import { ClaimView } from "../../src/api/claim.js";
import {
  ActivitySeriesView,
  DurationSeriesView,
  NameTableView,
  OverviewView,
  QueueLinesView,
} from "../../src/api/stats.js";
import { FakeClock, T0 } from "../support/fake-clock.js";
import { startHttpServer, type HttpServer } from "../support/http-server.js";
import { issueToken } from "../support/tokens.js";

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
    expect(Date.parse(overview.at) - Date.parse(overview.since)).toBeLessThanOrEqual(3_600_000);
  });

  test("counts the same hour as the small charts of the queues", async () => {
    const storeClock = new FakeClock(T0 + 30_500);
    const server = await startHttpServer({ storeClock });
    await server.post("/v1/jobs", { queue: "mail", name: "send" });
    for (const minutes of [59, 1]) {
      storeClock.stepWall(minutes * 60_000);
      const overview = (await server.get("/v1/stats/overview")).as(OverviewView);
      const lines = (await server.get("/v1/stats/queues")).as(QueueLinesView);
      expect(overview.since).toBe(lines.from);
      const drawn = lines.items.flatMap(({ enqueued }) => enqueued).reduce((sum, each) => sum + each, 0);
      expect(overview.all.lastHour.enqueued).toBe(drawn);
      expect(drawn).toBe(minutes === 59 ? 1 : 0);
    }
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

  test("says when it was read, so that the last step can be told to be incomplete", async () => {
    const clock = new FakeClock(T0 + 30_000);
    const server = await startHttpServer({ clock, storeClock: clock });
    await server.post("/v1/jobs", { name: "a" });
    const { at, step, points, to } = await activity(server);
    expect([at, step, to]).toEqual(["2026-01-05T00:00:30.000Z", "1m", "2026-01-05T00:01:00.000Z"]);
    expect(points.at(-1)).toMatchObject({ at: "2026-01-05T00:00:00.000Z", enqueued: 1 });
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

describe("GET /v1/stats/queues", () => {
  test("has a number for every step, of every queue in which something happened", async () => {
    const clock = new FakeClock(T0 - 10 * 60_000);
    const server = await startHttpServer({ clock, storeClock: clock });
    await server.post("/v1/queues/quiet/pause", {});
    await server.post("/v1/jobs", { queue: "images", name: "resize" });
    clock.block(10 * 60_000 + 500);
    await work(server);
    const lines = (await server.get("/v1/stats/queues")).as(QueueLinesView);
    expect(lines).toMatchObject({
      at: "2026-01-05T00:00:00.500Z",
      step: "1m",
      from: "2026-01-04T23:01:00.000Z",
      to: "2026-01-05T00:01:00.000Z",
      more: false,
    });
    const [mail, images] = lines.items;
    const inLastMinute = (n: number) => [...new Array<number>(59).fill(0), n];
    expect(lines.items).toHaveLength(2);
    expect(mail).toEqual({
      queue: "mail",
      enqueued: inLastMinute(3),
      completed: inLastMinute(1),
      failed: inLastMinute(1),
      dead: inLastMinute(1),
      waitP95Ms: expect.any(Number) as number,
      runP95Ms: expect.any(Number) as number,
    });
    expect(images).toMatchObject({ queue: "images", waitP95Ms: null, runP95Ms: null });
    expect(images?.enqueued[49]).toBe(1);
    expect(images?.enqueued[59]).toBe(1);
    expect(images?.enqueued.reduce((a, b) => a + b)).toBe(2);
  });

  test("takes longer spans in longer steps, 60 at the most", async () => {
    const server = await startHttpServer();
    await work(server);
    const hours = (n: number) => new Date(Date.now() - n * 3_600_000).toISOString();
    for (const [n, step] of [
      [24, "1h"],
      [168, "6h"],
      [720, "1d"],
    ] as const) {
      const lines = (await server.get(`/v1/stats/queues?from=${hours(n)}`)).as(QueueLinesView);
      expect(lines.step).toBe(step);
      expect(lines.items[0]?.enqueued.length).toBeLessThanOrEqual(60);
      expect(lines.items[0]?.enqueued.at(-1)).toBe(3);
    }
    const refused = await server.get(`/v1/stats/queues?step=1m&from=${hours(2)}`);
    expect(refused.status).toBe(422);
    expect(refused.body["errors"]).toMatchObject([{ pointer: "/step", code: "out_of_range" }]);
  });

  test("has the 200 busiest queues at the most, and says that there are more", async () => {
    const server = await startHttpServer();
    const jobs = Array.from({ length: 201 }, (_, n) => ({ queue: `q${n}`, name: "a" }));
    await server.post("/v1/jobs/batch", { jobs: [...jobs, { queue: "q200", name: "a" }] });
    const lines = (await server.get("/v1/stats/queues")).as(QueueLinesView);
    expect(lines.items).toHaveLength(200);
    expect(lines.items[0]?.queue).toBe("q200");
    expect(lines.more).toBe(true);
    const { token } = await issueToken(server, ["read-only"], { queues: ["q7", "q77"] });
    const own = (await server.get("/v1/stats/queues", { token })).as(QueueLinesView);
    expect(own.items.map(({ queue }) => queue)).toEqual(["q7", "q77"]);
    expect(own.more).toBe(false);
  });
});

describe("GET /v1/stats/names", () => {
  test("tells of the attempts of each name, in all queues or in one", async () => {
    const clock = new FakeClock(T0);
    const server = await startHttpServer({ clock, storeClock: clock });
    await work(server);
    await server.post("/v1/jobs", { queue: "images", name: "send" });
    clock.block(2_000);
    const claim = { workerId: "w", queues: ["images"], names: ["send"] };
    const { jobs } = (await server.post("/v1/claim", claim)).as(ClaimView);
    clock.block(400);
    await server.post(`/v1/jobs/${jobs[0]!.id}/complete`, { leaseToken: jobs[0]!.leaseToken });
    const table = (await server.get("/v1/stats/names")).as(NameTableView);
    expect(table).toMatchObject({ at: new Date(T0 + 2_400).toISOString(), more: false });
    expect(table.items).toEqual([
      {
        name: "send",
        queue: null,
        started: 3,
        succeeded: 2,
        failed: 1,
        dead: 1,
        wait: { p50Ms: 3.75, p95Ms: expect.any(Number) as number, p99Ms: expect.any(Number) as number },
        run: expect.objectContaining({ totalMs: 400 }) as object,
      },
    ]);
    expect(table.items[0]?.wait.p95Ms).toBeGreaterThan(1_000);
    const mail = (await server.get("/v1/stats/names?queue=mail")).as(NameTableView);
    expect(mail.items).toMatchObject([{ name: "send", queue: "mail", started: 2, succeeded: 1 }]);
    for (const hours of [6, 24, 720]) {
      const from = new Date(clock.now() - hours * 3_600_000).toISOString();
      const longer = (await server.get(`/v1/stats/names?from=${from}`)).as(NameTableView);
      expect(longer.items, String(hours)).toEqual(table.items);
      const unit = hours === 6 ? 60_000 : 3_600_000;
      expect(Date.parse(longer.from), String(hours)).toBe(T0 - hours * 3_600_000);
      expect(Date.parse(longer.to), String(hours)).toBe(T0 + unit);
    }
  });

  test("has the 200 names with the most attempts, and says that there are more", async () => {
    const server = await startHttpServer();
    const jobs = Array.from({ length: 202 }, (_, n) => ({ name: `n${Math.min(n, 200)}` }));
    await server.post("/v1/jobs/batch", { jobs });
    await server.post("/v1/claim", { workerId: "w", queues: ["default"], max: 202 });
    const table = (await server.get("/v1/stats/names")).as(NameTableView);
    expect(table.items).toHaveLength(200);
    expect(table.items[0]).toMatchObject({ name: "n200", started: 2 });
    expect(table.more).toBe(true);
  });

  test("tells a token that is limited to queues only of one of these", async () => {
    const server = await startHttpServer();
    await work(server);
    const { token } = await issueToken(server, ["read-only"], { queues: ["mail"] });
    for (const query of ["", "?queue=images"]) {
      expect((await server.get(`/v1/stats/names${query}`, { token })).body["code"]).toBe("queue_not_allowed");
    }
    expect((await server.get("/v1/stats/names?queue=mail", { token })).status).toBe(200);
  });

  test.each([
    ["?from=2026-01-05T00:00:00Z&to=2026-01-05T00:00:00Z", "/from out_of_range"],
    ["?from=2000-01-01T00:00:00Z", "/from out_of_range"],
    ["?from=now", "/from invalid_instant"],
    ["?step=1h", "/step unknown_field"],
  ])("%s is refused: %s", async (query, fault) => {
    const server = await startHttpServer();
    const answer = await server.get(`/v1/stats/names${query}`);
    expect(answer.status).toBe(422);
    const errors = answer.body["errors"] as { pointer: string; code: string }[];
    expect(errors.map(({ pointer, code }) => `${pointer} ${code}`)).toEqual([fault]);
  });
});
