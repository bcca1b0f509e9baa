import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ClaimView } from "../../src/api/claim.js";
import { FindingsView, type FindingView } from "../../src/api/finding.js";
import { reap } from "../../src/engine/loops/reaper.js";
import { WORKER_TIMEOUT_MS } from "../../src/engine/worker-timeout.js";
import { FakeClock, T0 } from "../support/fake-clock.js";
import { startHttpServer, type HttpServer } from "../support/http-server.js";
import { sqliteDatabase } from "../support/test-database.js";
import { mayMount, smallDisk } from "../support/small-disk.js";
import { issueToken } from "../support/tokens.js";

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** A server whose time passes only when a test says so, and what happens on it. */
class Scene {
  private constructor(
    readonly server: HttpServer,
    readonly clock: FakeClock,
  ) {}

  static async start(): Promise<Scene> {
    const clock = new FakeClock();
    return new Scene(await startHttpServer({ clock, storeClock: clock }), clock);
  }

  async enqueue(queue: string, name: string, count = 1): Promise<void> {
    const jobs = Array.from({ length: count }, () => ({ queue, name, maxAttempts: 1 }));
    expect((await this.server.post("/v1/jobs/batch", { jobs })).status).toBe(201);
  }

  async claim(queue: string, max = 100) {
    const request = { workerId: "w", queues: [queue], max, leaseMs: MINUTE_MS };
    return (await this.server.post("/v1/claim", request)).as(ClaimView).jobs;
  }

  /** Enqueues jobs and runs them: some fail for good, the others succeed. */
  async work(queue: string, name: string, { failing, succeeding }: Record<"failing" | "succeeding", number>) {
    await this.enqueue(queue, name, failing + succeeding);
    for (const [index, { id, leaseToken }] of (await this.claim(queue)).entries()) {
      if (index >= failing) await this.server.post(`/v1/jobs/${id}/complete`, { leaseToken });
      else await this.server.post(`/v1/jobs/${id}/fail`, { leaseToken, error: { message: "x" } });
    }
  }

  /** A worker reports. */
  async seen(
    id: string,
    queue: string,
    more: { names?: string[]; running?: number; claimant?: string } = {},
  ): Promise<void> {
    await this.server.store.workers.seen({
      id,
      claimant: more.claimant ?? null,
      host: "host-a",
      pid: 1,
      queues: [queue],
      names: more.names ?? null,
      concurrency: 5,
      running: more.running ?? 0,
      state: "active",
    });
  }

  async findings(token?: string): Promise<FindingView[]> {
    this.clock.block(1_000);
    return (await this.page(token)).items;
  }

  async page(token?: string) {
    return (await this.server.get("/v1/health/findings", token === undefined ? {} : { token })).as(
      FindingsView,
    );
  }

  /** Those of one code. */
  async of<Code extends FindingView["code"]>(code: Code): Promise<Extract<FindingView, { code: Code }>[]> {
    return (await this.findings()).filter(
      (finding): finding is Extract<FindingView, { code: Code }> => finding.code === code,
    );
  }
}

function at(ms: number): string {
  return new Date(T0 + ms).toISOString();
}

describe("GET /v1/health/findings", () => {
  test("has nothing to say where all is well", async () => {
    const scene = await Scene.start();
    await scene.seen("w", "mail");
    await scene.work("mail", "send", { failing: 0, succeeding: 20 });
    expect(await scene.findings()).toEqual([]);
    expect(await scene.page()).toEqual({ at: at(1_000), items: [], more: false });
  });

  test("queue_stalled: until the old jobs are claimed, and not while paused", async () => {
    const scene = await Scene.start();
    await scene.enqueue("mail", "send", 2);
    scene.clock.block(5 * MINUTE_MS - 1_000);
    expect(await scene.of("queue_stalled")).toEqual([]);
    const facts = { severity: "critical", since: at(0), queue: "mail", count: 2, ageMs: 301_000 };
    const stalled = await scene.of("queue_stalled");
    expect(stalled).toMatchObject([facts]);
    expect(stalled[0]?.detail).toBe(
      "The queue mail is stalled: of 2 jobs pending, the oldest waits for 5 minutes.",
    );
    await scene.server.post("/v1/queues/mail/pause", {});
    expect(await scene.of("queue_stalled")).toEqual([]);
    await scene.server.post("/v1/queues/mail/resume");
    await scene.claim("mail");
    expect(await scene.of("queue_stalled")).toEqual([]);
  });

  test("no_worker: of a queue at once, and critical after two minutes", async () => {
    const scene = await Scene.start();
    await scene.enqueue("mail", "send", 3);
    expect(await scene.of("no_worker")).toMatchObject([
      { severity: "warning", since: at(0), queue: "mail", name: null, count: 3 },
    ]);
    scene.clock.block(2 * MINUTE_MS - 2_000);
    expect(await scene.of("no_worker")).toMatchObject([{ severity: "warning" }]);
    expect(await scene.of("no_worker")).toMatchObject([{ severity: "critical" }]);
    await scene.seen("w", "mail");
    expect(await scene.of("no_worker")).toEqual([]);
  });

  test("no_worker: of names that the queue's workers do not run", async () => {
    const scene = await Scene.start();
    await scene.enqueue("mail", "send");
    await scene.enqueue("mail", "bounce", 2);
    await scene.seen("w", "mail", { names: ["send"] });
    expect(await scene.of("no_worker")).toMatchObject([
      { severity: "warning", queue: "mail", name: "bounce", count: 2 },
    ]);
    await scene.seen("v", "mail", { names: ["bounce"] });
    expect(await scene.of("no_worker")).toEqual([]);
  });

  test("queue_paused_with_backlog: info at first, and a warning after a day", async () => {
    const scene = await Scene.start();
    await scene.server.post("/v1/queues/mail/pause", { reason: "provider is down" });
    expect(await scene.findings()).toEqual([]);
    await scene.enqueue("mail", "send");
    const facts = { since: at(0), queue: "mail", count: 1, reason: "provider is down" };
    expect(await scene.findings()).toMatchObject([
      { code: "queue_paused_with_backlog", severity: "info", ...facts },
    ]);
    scene.clock.block(24 * HOUR_MS);
    expect(await scene.findings()).toMatchObject([{ severity: "warning", ...facts }]);
    await scene.server.post("/v1/queues/mail/resume");
    expect(await scene.of("queue_paused_with_backlog")).toEqual([]);
  });

  test("dead_recently: for an hour, beside how it was the day before", async () => {
    const scene = await Scene.start();
    await scene.work("mail", "send", { failing: 12, succeeding: 0 });
    scene.clock.block(3 * HOUR_MS);
    expect(await scene.of("dead_recently")).toEqual([]);
    await scene.work("mail", "send", { failing: 1, succeeding: 1 });
    await scene.work("mail", "bounce", { failing: 2, succeeding: 0 });
    const found = await scene.of("dead_recently");
    expect(found).toMatchObject([
      { severity: "warning", queue: "mail", name: "bounce", count: 2, perHourBefore: 0 },
      { severity: "warning", queue: "mail", name: "send", count: 1, perHourBefore: 0.5 },
    ]);
    expect(found[1]?.detail).toBe(
      "1 send job of the queue mail became dead in the last hour; in the day before, 0.5 an hour.",
    );
    scene.clock.block(59 * MINUTE_MS);
    expect(await scene.of("dead_recently")).toHaveLength(2);
    scene.clock.block(2 * MINUTE_MS);
    expect(await scene.of("dead_recently")).toEqual([]);
  });

  test("failing: when most of enough attempts fail, for a quarter of an hour", async () => {
    const scene = await Scene.start();
    await scene.work("mail", "send", { failing: 9, succeeding: 0 });
    expect(await scene.of("failing")).toEqual([]);
    await scene.work("mail", "send", { failing: 0, succeeding: 9 });
    expect(await scene.of("failing")).toEqual([]);
    await scene.work("mail", "send", { failing: 1, succeeding: 0 });
    expect(await scene.of("failing")).toMatchObject([
      { severity: "warning", queue: "mail", name: "send", attempts: 19, failed: 10 },
    ]);
    scene.clock.block(16 * MINUTE_MS);
    expect(await scene.of("failing")).toEqual([]);
  });

  test("leases_lost: a warning when they are more than five", async () => {
    const scene = await Scene.start();
    const lose = async (count: number): Promise<void> => {
      await scene.enqueue("mail", "send", count);
      await scene.claim("mail");
      scene.clock.block(MINUTE_MS);
      await reap(scene.server.context);
    };
    await lose(5);
    expect(await scene.of("leases_lost")).toMatchObject([{ severity: "info", queue: "mail", count: 5 }]);
    await lose(1);
    expect(await scene.of("leases_lost")).toMatchObject([{ severity: "warning", count: 6 }]);
    scene.clock.block(16 * MINUTE_MS);
    expect(await scene.of("leases_lost")).toEqual([]);
  });

  test("schedule_problem: until the schedule is written anew", async () => {
    const scene = await Scene.start();
    const schedule = { everyMs: MINUTE_MS, job: { name: "report", queue: "mail" } };
    await scene.server.send("PUT", "/v1/schedules/hourly", { json: schedule });
    const { version } = (await scene.server.store.schedules.get("hourly"))!;
    await scene.server.store.schedules.stop("hourly", version, "the zone is gone");
    expect(await scene.findings()).toMatchObject([
      {
        code: "schedule_problem",
        severity: "critical",
        schedule: "hourly",
        queue: "mail",
        problem: "the zone is gone",
        detail: "The schedule hourly has stopped: the zone is gone",
      },
    ]);
    await scene.server.send("PUT", "/v1/schedules/hourly", { json: schedule });
    expect(await scene.findings()).toEqual([]);
  });

  test("schedule_overdue: when nobody fires it for five minutes, unless it is paused", async () => {
    const scene = await Scene.start();
    const schedule = { everyMs: HOUR_MS, job: { name: "report", queue: "mail" } };
    await scene.server.send("PUT", "/v1/schedules/hourly", { json: schedule });
    const { next } = (await scene.server.store.schedules.get("hourly"))!;
    scene.clock.block(next!.at - scene.clock.now() + 5 * MINUTE_MS - 1_000);
    expect(await scene.findings()).toEqual([]);
    expect(await scene.findings()).toMatchObject([
      {
        code: "schedule_overdue",
        severity: "critical",
        since: new Date(next!.at).toISOString(),
        schedule: "hourly",
        queue: "mail",
        overdueMs: 301_000,
      },
    ]);
    await scene.server.post("/v1/schedules/hourly/pause", {});
    expect(await scene.findings()).toEqual([]);
  });

  test("worker_silent: a warning for one that ran jobs, until it is heard of again or for an hour", async () => {
    const scene = await Scene.start();
    await scene.seen("idle", "mail");
    await scene.seen("busy", "mail", { running: 2 });
    scene.clock.block(WORKER_TIMEOUT_MS - 1_000);
    expect(await scene.findings()).toMatchObject([
      { code: "worker_silent", severity: "warning", worker: "busy", host: "host-a", running: 2 },
      { code: "worker_silent", severity: "info", worker: "idle", since: at(0), silentMs: WORKER_TIMEOUT_MS },
    ]);
    await scene.seen("busy", "mail");
    expect(await scene.findings()).toMatchObject([{ worker: "idle" }]);
    scene.clock.block(HOUR_MS);
    expect(await scene.findings()).toMatchObject([{ worker: "busy" }]);
    await scene.server.store.workers.gone("busy");
    expect(await scene.findings()).toEqual([]);
  });

  test("worker_silent: not for one that goes on with another token, which one of other queues does not", async () => {
    const scene = await Scene.start();
    await scene.seen("w", "mail", { running: 1, claimant: "first" });
    scene.clock.block(WORKER_TIMEOUT_MS);
    await scene.seen("w", "billing", { claimant: "second" });
    expect(await scene.findings()).toMatchObject([{ code: "worker_silent", worker: "w" }]);
    await scene.seen("w", "mail", { claimant: "third" });
    expect(await scene.findings()).toEqual([]);
  });

  test("operation_running: while it runs", async () => {
    const scene = await Scene.start();
    await scene.seen("w", "mail");
    await scene.enqueue("mail", "send", 3);
    const preview = await scene.server.post("/v1/jobs/bulk/preview", { action: "cancel", q: "name:send" });
    await scene.server.post("/v1/jobs/bulk", { previewToken: preview.body["previewToken"] });
    expect(await scene.findings()).toMatchObject([
      {
        code: "operation_running",
        severity: "info",
        since: at(0),
        operation: "1",
        action: "cancel",
        changed: 0,
        matched: 3,
      },
    ]);
    await scene.server.post("/v1/operations/1/cancel");
    expect(await scene.findings()).toEqual([]);
  });

  test.skipIf(!mayMount())(
    "disk_low: on a disk that is nearly full, for who may see all queues",
    async () => {
      const server = await startHttpServer({ database: sqliteDatabase(join(smallDisk(32), "konveier.db")) });
      const { items } = (await server.get("/v1/health/findings")).as(FindingsView);
      expect(items).toMatchObject([{ code: "disk_low", severity: "critical" }]);
      const { token } = await issueToken(server, ["read-only"], { queues: ["*"] });
      expect((await server.get("/v1/health/findings", { token })).as(FindingsView).items).toEqual([]);
    },
  );

  test("the worst come first, and no rule drowns out the others", async () => {
    const scene = await Scene.start();
    await scene.server.post("/v1/queues/paused/pause", {});
    await scene.enqueue("paused", "a");
    for (let n = 0; n < 25; n += 1) {
      await scene.enqueue(`q${n}`, "a");
      scene.clock.block(1_000);
    }
    scene.clock.block(2 * HOUR_MS);
    const { items, more } = await scene.page();
    expect(items.map(({ code, severity }) => `${code} ${severity}`)).toEqual([
      ...new Array<string>(20).fill("no_worker critical"),
      ...new Array<string>(20).fill("queue_stalled critical"),
      "queue_paused_with_backlog info",
    ]);
    // The one that waits longest.
    expect(items[20]).toMatchObject({ queue: "q0" });
    expect(more).toBe(true);
  });

  test("one evaluation serves everybody for a second", async () => {
    const scene = await Scene.start();
    const first = await scene.page();
    await scene.enqueue("mail", "send");
    scene.clock.block(999);
    expect(await scene.page()).toEqual(first);
    scene.clock.block(1);
    expect(await scene.page()).toMatchObject({ at: at(1_000), items: [{ code: "no_worker" }] });
  });

  test("a token that is limited to queues learns only of theirs", async () => {
    const scene = await Scene.start();
    const { server, clock } = scene;
    const { token } = await issueToken(server, ["read-only"], { queues: ["mail*"] });
    for (const queue of ["mail", "bill"]) {
      await scene.work(queue, "send", { failing: 10, succeeding: 0 });
      await scene.enqueue(queue, "send", 2);
      await scene.claim(queue, 1);
      await scene.seen(`w-${queue}`, queue, { running: 1 });
      const json = { everyMs: HOUR_MS, job: { name: "report", queue } };
      await server.send("PUT", `/v1/schedules/${queue}-hourly`, { json });
    }
    const preview = await server.post("/v1/jobs/bulk/preview", { action: "cancel", q: "name:none" });
    await server.post("/v1/jobs/bulk", { previewToken: preview.body["previewToken"] });
    clock.block(6 * MINUTE_MS);
    await reap(server.context);
    clock.block(50 * MINUTE_MS);
    const codes = (findings: FindingView[]) => [...new Set(findings.map(({ code }) => code))].sort();
    const all = await scene.findings();
    expect(codes(all)).toEqual([
      "dead_recently",
      "no_worker",
      "operation_running",
      "queue_stalled",
      "worker_silent",
    ]);
    const visible = await scene.findings(token);
    expect(codes(visible)).toEqual(["dead_recently", "no_worker", "queue_stalled", "worker_silent"]);
    expect(JSON.stringify(visible)).not.toMatch(/bill/);
    clock.block(10 * MINUTE_MS);
    const later = await scene.findings(token);
    expect(codes(later)).toContain("schedule_overdue");
    expect(JSON.stringify(later)).not.toMatch(/bill/);
  });
});
