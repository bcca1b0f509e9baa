import Database from "better-sqlite3";
import { Type } from "typebox";
import { describe, expect, onTestFinished, test } from "vitest";
import { ClaimView } from "../../src/api/claim.js";
import { EnqueuedJobView, JobDetailView } from "../../src/api/job.js";
import { JobPageView } from "../../src/api/job-list.js";
import { Problem } from "../../src/api/problem.js";
import {
  PreviewView,
  ScheduleDetailView,
  SchedulePageView,
  ScheduleRunPageView,
  ScheduleRunView,
  ScheduleView,
} from "../../src/api/schedule.js";
import { Background } from "../../src/engine/loops/background.js";
import { startHttpServer, type Answer, type HttpServer } from "../support/http-server.js";
import { ON_POSTGRES } from "../support/test-database.js";
import { issueToken } from "../support/tokens.js";

const SchedulePage = Type.Object({
  items: Type.Array(ScheduleView),
  nextCursor: Type.Union([Type.String(), Type.Null()]),
});
const RunPage = Type.Object({
  items: Type.Array(ScheduleRunView),
  nextCursor: Type.Union([Type.String(), Type.Null()]),
});

const job = { name: "a" };
/** Far from now whenever the tests run, so that nothing fires by chance. */
const NEVER_SOON = { cron: "0 0 29 2 *", startAt: "2096-01-01T00:00:00Z", job };

function put(server: HttpServer, key: string, json: unknown): Promise<Answer> {
  return server.send("PUT", `/v1/schedules/${encodeURIComponent(key)}`, { json });
}

async function created(server: HttpServer, key: string, json: object = NEVER_SOON) {
  const answer = await put(server, key, json);
  expect(answer.status).toBe(201);
  return answer.as(ScheduleDetailView);
}

/** Runs the loops that `konveier serve` runs. */
function startScheduler(server: HttpServer): void {
  const background = new Background(server.context);
  background.start();
  onTestFinished(() => background.stop());
}

/** A refusal is one of the client's and changes nothing. @returns its faults as `pointer code: detail` */
async function faultsOf(server: HttpServer, body: unknown, key = "refused"): Promise<string[]> {
  const answer = await put(server, key, body);
  expect([answer.status, answer.as(Problem).code]).toEqual([422, "validation_failed"]);
  expect((await server.get("/v1/schedules")).as(SchedulePage).items).toEqual([]);
  return (answer.as(Problem).errors ?? []).map(
    ({ pointer, code, detail }) => `${pointer} ${code}: ${detail}`,
  );
}

describe("PUT /v1/schedules/{key}", () => {
  test("makes a schedule, 201, with the defaults filled in", async () => {
    const server = await startHttpServer();
    const answer = await put(server, "nightly", {
      ...NEVER_SOON,
      job: { name: "report", payload: { b: 1 } },
    });
    expect([answer.status, answer.headers.get("location")]).toEqual([201, "/v1/schedules/nightly"]);
    const schedule = answer.as(ScheduleDetailView);
    expect(schedule).toEqual({
      key: "nightly",
      source: "api",
      cron: "0 0 29 2 *",
      everyMs: null,
      timezone: "UTC",
      job: {
        queue: "default",
        name: "report",
        priority: 4,
        maxAttempts: 20,
        backoff: null,
        timeoutMs: null,
        tags: [],
        unique: null,
        expiresInMs: null,
        concurrencyKey: null,
        rateKey: null,
      },
      payload: { b: 1 },
      missed: "once",
      maxMissed: 100,
      overlap: "allow",
      startAt: "2096-01-01T00:00:00.000Z",
      endAt: null,
      jitterMs: 0,
      nextRunAt: "2096-02-29T00:00:00.000Z",
      next: expect.any(Array) as unknown,
      notes: [],
      waitingSlot: null,
      pausedAt: null,
      pauseReason: null,
      problem: null,
      createdAt: expect.any(String) as string,
      updatedAt: schedule.createdAt,
      version: 1,
      totals: { enqueued: 0, skipped: 0, missed: 0 },
    });
  });

  test("takes every setting, and hands them to the job", async () => {
    const server = await startHttpServer();
    const template = {
      name: "report",
      queue: "mail",
      priority: 9,
      maxAttempts: 3,
      backoff: { type: "fixed", delayMs: 5_000, jitter: 0.5 },
      timeoutMs: 1_000,
      tags: ["x", "срочно"],
    };
    const settings = {
      everyMs: 90_000,
      timezone: "Europe/Berlin",
      missed: "all",
      maxMissed: 7,
      overlap: "queue",
      startAt: "2096-01-05T09:00:00.000Z",
      endAt: "2096-01-05T09:03:00.000Z",
      jitterMs: 5_000,
    };
    const payload = JSON.parse('{"__proto__":{"x":1},"b":[null,"\\u0000"]}') as unknown;
    const schedule = await created(server, "k", { ...settings, job: { ...template, payload } });
    expect(schedule).toMatchObject({ ...settings, job: template, cron: null });
    // Counted from startAt, up to and with endAt.
    const slots = ["2096-01-05T09:00:00.000Z", "2096-01-05T09:01:30.000Z", "2096-01-05T09:03:00.000Z"];
    expect(schedule.next).toEqual(slots);

    const run = (await server.post("/v1/schedules/k/run")).as(EnqueuedJobView);
    expect((await server.get(`/v1/jobs/${run.id}`)).as(JobDetailView)).toMatchObject(template);
    expect((await server.get(`/v1/jobs/${run.id}/payload`)).text).toBe(
      '{"__proto__":{"x":1},"b":[null,"\\u0000"]}',
    );
  });

  test("changes the schedule of the same key, 200", async () => {
    const server = await startHttpServer();
    const before = await created(server, "k");
    const answer = await put(server, "k", { ...NEVER_SOON, cron: "0 12 29 2 *", overlap: "skip" });
    expect([answer.status, answer.headers.get("location")]).toEqual([200, "/v1/schedules/k"]);
    expect(answer.as(ScheduleDetailView)).toMatchObject({
      cron: "0 12 29 2 *",
      overlap: "skip",
      nextRunAt: "2096-02-29T12:00:00.000Z",
      createdAt: before.createdAt,
      version: 2,
    });
    expect((await server.get("/v1/schedules")).as(SchedulePage).items).toHaveLength(1);
  });

  test("changes nothing when the same is said again", async () => {
    const server = await startHttpServer();
    const before = await created(server, "k", { ...NEVER_SOON, job: { name: "a", payload: { b: 1, a: 2 } } });
    const again = await put(server, "k", {
      job: { payload: { b: 1, a: 2 }, queue: "default", name: "a" },
      overlap: "allow",
      startAt: "2096-01-01T02:00:00+02:00",
      cron: "0 0 29 2 *",
    });
    expect([again.status, again.json]).toEqual([200, before]);
    // What is left out takes its default again: a PUT is the whole definition.
    await put(server, "k", { ...NEVER_SOON, overlap: "queue" });
    expect((await put(server, "k", NEVER_SOON)).as(ScheduleDetailView).overlap).toBe("allow");
  });

  test("makes one schedule of 20 parallel requests", async () => {
    const server = await startHttpServer();
    const answers = await Promise.all(Array.from({ length: 20 }, () => put(server, "k", NEVER_SOON)));
    expect(answers.map(({ status }) => status).sort()).toEqual([
      ...Array.from({ length: 19 }, () => 200),
      201,
    ]);
    expect((await server.get("/v1/schedules/k")).as(ScheduleDetailView).version).toBe(1);
  });

  test("leaves a paused schedule paused", async () => {
    const server = await startHttpServer();
    await created(server, "k");
    await server.post("/v1/schedules/k/pause", { reason: "holidays" });
    const answer = await put(server, "k", { ...NEVER_SOON, cron: "0 12 29 2 *" });
    expect(answer.as(ScheduleDetailView)).toMatchObject({
      cron: "0 12 29 2 *",
      pauseReason: "holidays",
      nextRunAt: null,
      next: [],
    });
  });

  test.each(["a", "a.b:c_d-e", "7", "constructor", "toString", "a".repeat(128), "runs", "Preview"])(
    "takes %s as a key, everywhere",
    async (key) => {
      const server = await startHttpServer();
      await created(server, key);
      expect((await server.get(`/v1/schedules/${key}`)).as(ScheduleDetailView).key).toBe(key);
      expect((await server.post(`/v1/schedules/${key}/run`)).status).toBe(201);
      expect((await server.get(`/v1/schedules/${key}/runs`)).as(RunPage).items).toHaveLength(1);
      expect((await server.send("DELETE", `/v1/schedules/${key}`)).status).toBe(204);
    },
  );

  test.each(["", " a", "../x", "a/b", "a%00b", "*", '"; drop', "-a", "ю", "a\n", "a".repeat(129)])(
    "refuses %j as a key by the printed rule, everywhere",
    async (key) => {
      const server = await startHttpServer();
      const path = `/v1/schedules/${encodeURIComponent(key)}`;
      const answers = [
        await server.send("PUT", path, { json: NEVER_SOON }),
        await server.send("DELETE", path),
        await server.post(`${path}/pause`),
        await server.post(`${path}/resume`),
        await server.post(`${path}/run`),
        await server.get(`${path}/runs`),
      ];
      for (const answer of answers) {
        expect(answer.as(Problem).errors).toEqual([
          {
            pointer: "/key",
            code: "invalid_name",
            detail: expect.stringContaining("1 to 128 letters, digits") as string,
          },
        ]);
      }
      expect((await server.get("/v1/schedules")).as(SchedulePage).items).toEqual([]);
    },
  );
});

describe("GET /v1/schedules/{key}", () => {
  test("shows payload, the next 20 runs, and where clocks change", async () => {
    const server = await startHttpServer();
    await created(server, "k", {
      cron: "30 2 * * *",
      timezone: "Europe/Berlin",
      startAt: "2096-03-20T00:00:00Z",
      job: { name: "a", payload: { to: ["x"] } },
    });
    const schedule = (await server.get("/v1/schedules/k")).as(ScheduleDetailView);
    expect(schedule.payload).toEqual({ to: ["x"] });
    expect(schedule.next).toHaveLength(20);
    expect(schedule.nextRunAt).toBe(schedule.next[0]);
    // Clocks go from 02:00 to 03:00 on 2096-03-25: the run comes at the gap's end.
    expect(schedule.next.slice(4, 7)).toEqual([
      "2096-03-24T01:30:00.000Z",
      "2096-03-25T01:00:00.000Z",
      "2096-03-26T00:30:00.000Z",
    ]);
    expect(schedule.notes).toEqual([
      {
        at: "2096-03-25T01:00:00.000Z",
        shift: "after_gap",
        text: expect.stringContaining("skip the time of this run") as string,
      },
    ]);
  });

  test("shows no next run when there is none", async () => {
    const server = await startHttpServer();
    const over = await created(server, "over", { cron: "* * * * *", endAt: "2020-01-01T00:00:00Z", job });
    expect([over.nextRunAt, over.next, over.problem]).toEqual([null, [], null]);
  });

  // Writes into the file.
  test.skipIf(ON_POSTGRES)(
    "still answers when the machine does not know the time zone any more",
    async () => {
      const server = await startHttpServer();
      await created(server, "k", { cron: "0 0 1 1 *", timezone: "Europe/Berlin", job });
      const db = new Database(server.file);
      db.prepare("UPDATE schedules SET timezone = 'Mars/Olympus'").run();
      db.close();
      const answer = await server.get("/v1/schedules/k");
      expect([answer.status, answer.body["timezone"], answer.body["next"]]).toEqual([
        200,
        "Mars/Olympus",
        [],
      ]);
    },
  );
});

describe("an unknown schedule", () => {
  test("is 404 everywhere", async () => {
    const server = await startHttpServer();
    const answers = [
      await server.get("/v1/schedules/nope"),
      await server.send("DELETE", "/v1/schedules/nope"),
      await server.post("/v1/schedules/nope/pause"),
      await server.post("/v1/schedules/nope/resume"),
      await server.post("/v1/schedules/nope/run"),
      await server.get("/v1/schedules/nope/runs"),
    ];
    for (const answer of answers) {
      expect([answer.status, answer.as(Problem).code, answer.as(Problem).detail]).toEqual([
        404,
        "schedule_not_found",
        'There is no schedule with the key "nope".',
      ]);
    }
    expect((await server.get("/v1/jobs")).as(JobPageView).items).toEqual([]);
  });

  test("needs the token like the others", async () => {
    const server = await startHttpServer();
    await created(server, "k");
    const none = { token: null };
    for (const [method, path] of [
      ["GET", "/v1/schedules"],
      ["PUT", "/v1/schedules/k"],
      ["GET", "/v1/schedules/k"],
      ["DELETE", "/v1/schedules/k"],
      ["POST", "/v1/schedules/k/pause"],
      ["POST", "/v1/schedules/k/resume"],
      ["POST", "/v1/schedules/k/run"],
      ["GET", "/v1/schedules/k/runs"],
      ["POST", "/v1/schedules/preview"],
    ] as const) {
      expect((await server.send(method, path, none)).status, `${method} ${path}`).toBe(401);
    }
    expect((await server.get("/v1/schedules/k")).as(ScheduleDetailView).version).toBe(1);
  });
});

describe("GET /v1/schedules", () => {
  test("walks all schedules by key, page by page", async () => {
    const server = await startHttpServer();
    expect((await server.get("/v1/schedules")).json).toEqual({ items: [], nextCursor: null });
    for (const key of ["e", "B", "d", "a", "c"]) await created(server, key);
    const keys: string[] = [];
    let query = "limit=2";
    let pages = 0;
    for (; pages < 9; pages += 1) {
      const page = (await server.get(`/v1/schedules?${query}`)).as(SchedulePage);
      keys.push(...page.items.map(({ key }) => key));
      if (page.nextCursor === null) break;
      // What is made and deleted meanwhile disturbs nothing else.
      if (pages === 0) await created(server, "aa");
      if (pages === 1) await server.send("DELETE", "/v1/schedules/a");
      query = `limit=2&cursor=${page.nextCursor}`;
    }
    expect(keys).toEqual(["B", "a", "aa", "c", "d", "e"]);
    expect(pages).toBe(2);
    expect((await server.get("/v1/schedules?limit=500")).as(SchedulePage).items).toHaveLength(5);
  });

  test("has the latest runs of each with `runs`, and none without", async () => {
    const server = await startHttpServer();
    for (const key of ["a", "b"]) await created(server, key);
    for (let n = 0; n < 3; n += 1) await server.post("/v1/schedules/a/run");
    const { items } = (await server.get("/v1/schedules?runs=2")).as(SchedulePageView);
    const history = (await server.get("/v1/schedules/a/runs?limit=2")).as(ScheduleRunPageView);
    expect(items.map(({ runs }) => runs)).toEqual([history.items, []]);
    const [plain] = (await server.get("/v1/schedules")).as(SchedulePageView).items;
    expect(plain).not.toHaveProperty("runs");
    expect((await server.get("/v1/schedules?runs=31")).status).toBe(422);
  });

  test("has no payloads", async () => {
    const server = await startHttpServer();
    await created(server, "k", { ...NEVER_SOON, job: { name: "a", payload: "secret" } });
    expect((await server.get("/v1/schedules")).text).not.toContain("secret");
  });

  test("refuses cursors that are not its own", async () => {
    const server = await startHttpServer();
    for (const key of ["a", "b"]) await created(server, key);
    for (let count = 0; count < 2; count += 1) {
      for (const key of ["a", "b"]) await server.post(`/v1/schedules/${key}/run`);
    }
    const lists = ["/v1/schedules", "/v1/schedules/a/runs", "/v1/schedules/b/runs", "/v1/jobs"];
    for (const from of lists) {
      const { nextCursor } = (await server.get(`${from}?limit=1`)).json as { nextCursor: string };
      expect(nextCursor).not.toBeNull();
      for (const list of lists) {
        const answer = await server.get(`${list}?limit=1&cursor=${nextCursor}`);
        expect([answer.status, answer.body["code"]], `cursor of ${from} for ${list}`).toEqual(
          list === from ? [200, undefined] : [400, "bad_cursor"],
        );
      }
    }
    for (const cursor of ["", "x", "a", "YQ", "0".repeat(5_000), "%F0%9F%98%80"]) {
      for (const list of lists) {
        const answer = await server.get(`${list}?cursor=${cursor}`);
        expect([answer.status, answer.as(Problem).code], `${list} ${cursor}`).toEqual([400, "bad_cursor"]);
      }
    }
  });

  test.each(["limit=0", "limit=501", "limit=x", "limit=1.5", "state=pending"])(
    "refuses %s",
    async (query) => {
      const server = await startHttpServer();
      await created(server, "k");
      for (const path of ["/v1/schedules", "/v1/schedules/k/runs"]) {
        const answer = await server.get(`${path}?${query}`);
        expect([answer.status, answer.as(Problem).errors?.[0]?.pointer]).toEqual([
          422,
          `/${query.split("=")[0] ?? ""}`,
        ]);
      }
    },
  );
});

test("DELETE removes a schedule and its history, and leaves its jobs", async () => {
  const server = await startHttpServer();
  await created(server, "k");
  const { id } = (await server.post("/v1/schedules/k/run")).as(EnqueuedJobView);
  const answer = await server.send("DELETE", "/v1/schedules/k");
  expect([answer.status, answer.text]).toEqual([204, ""]);
  expect((await server.get("/v1/schedules/k")).status).toBe(404);
  expect((await server.send("DELETE", "/v1/schedules/k")).status).toBe(404);
  expect((await server.get(`/v1/jobs/${id}`)).as(JobDetailView)).toMatchObject({
    state: "pending",
    schedule: { key: "k" },
  });
  const anew = await created(server, "k");
  expect([anew.version, anew.totals.enqueued]).toEqual([2, 0]);
  expect((await server.get("/v1/schedules/k/runs")).as(RunPage).items).toEqual([]);
});

describe("a pause", () => {
  test("has a reason and no next run, until the schedule is resumed", async () => {
    const server = await startHttpServer();
    const before = await created(server, "k");
    const paused = (await server.post("/v1/schedules/k/pause", { reason: "SMTP \ud800 down" })).as(
      ScheduleView,
    );
    expect(paused).toMatchObject({ pauseReason: "SMTP \ufffd down", nextRunAt: null });
    expect(paused.pausedAt).not.toBeNull();
    const shown = (await server.get("/v1/schedules/k")).as(ScheduleDetailView);
    expect(shown).toMatchObject({ pausedAt: paused.pausedAt, nextRunAt: null, next: [], notes: [] });
    const again = (await server.post("/v1/schedules/k/pause")).as(ScheduleView);
    expect(again).toMatchObject({ pausedAt: paused.pausedAt, pauseReason: null });
    const long = (await server.post("/v1/schedules/k/pause", { reason: "x".repeat(9_999) })).as(ScheduleView);
    expect(long.pauseReason).toHaveLength(500);
    const resumed = (await server.post("/v1/schedules/k/resume")).as(ScheduleView);
    expect(resumed).toMatchObject({ pausedAt: null, pauseReason: null, nextRunAt: before.nextRunAt });
    // Nothing to do is fine too.
    expect((await server.post("/v1/schedules/k/resume", {})).json).toEqual(resumed);
  });

  test("makes no jobs, and no burst of them afterwards", async () => {
    const server = await startHttpServer();
    await created(server, "k", { everyMs: 1_000, job });
    await server.post("/v1/schedules/k/pause");
    startScheduler(server);
    // Another one shows that the scheduler is at work for longer than a slot.
    await created(server, "other", { everyMs: 1_000, job: { name: "b", queue: "other" } });
    for (let count = 0; count < 2; count += 1) {
      await server.post("/v1/claim", { workerId: "w", queues: ["other"], waitMs: 10_000 });
    }
    expect((await server.get("/v1/jobs?name=a")).as(JobPageView).items).toEqual([]);
    const resumedAt = (await server.post("/v1/schedules/k/resume")).as(ScheduleView).updatedAt;
    await server.post("/v1/claim", { workerId: "w", queues: ["default"], waitMs: 10_000 });
    const { items } = (await server.get("/v1/schedules/k/runs")).as(RunPage);
    expect(items.map(({ outcome }) => outcome)).toEqual(["enqueued"]);
    expect(Date.parse(items[0]!.slot)).toBeGreaterThan(Date.parse(resumedAt));
  });

  test.each([{ reason: 5 }, { reason: null }, { reasons: "x" }])("is refused with %j", async (body) => {
    const server = await startHttpServer();
    await created(server, "k");
    expect((await server.post("/v1/schedules/k/pause", body)).status).toBe(422);
    expect((await server.get("/v1/schedules/k")).as(ScheduleDetailView).pausedAt).toBeNull();
  });
});

describe("POST /v1/schedules/{key}/run", () => {
  test("says when it makes no job because another has the unique key, or the queue is full", async () => {
    const server = await startHttpServer();
    const job = (unique: object) => ({ ...NEVER_SOON, job: { name: "a", unique: { key: "k", ...unique } } });
    await created(server, "k", job({}));
    await created(server, "other", job({ onConflict: "reject" }));
    const { id } = (await server.post("/v1/schedules/k/run")).as(EnqueuedJobView);
    const again = await server.post("/v1/schedules/k/run");
    expect([again.status, again.headers.get("location")]).toEqual([200, `/v1/jobs/${id}`]);
    expect(again.as(EnqueuedJobView)).toMatchObject({ id, deduplicated: true });
    const refused = await server.post("/v1/schedules/other/run");
    expect([refused.status, refused.body["code"]]).toEqual([409, "unique_conflict"]);
    await created(server, "full", NEVER_SOON);
    await server.send("PATCH", "/v1/queues/default", { json: { maxLength: 1 } });
    const full = await server.post("/v1/schedules/full/run");
    expect([full.status, full.body["code"]]).toEqual([409, "queue_full"]);
  });

  test("makes a job now, also of a paused schedule, and moves nothing", async () => {
    const server = await startHttpServer();
    const before = await created(server, "k", { ...NEVER_SOON, overlap: "skip" });
    const answer = await server.post("/v1/schedules/k/run");
    const made = answer.as(EnqueuedJobView);
    expect([answer.status, answer.headers.get("location")]).toEqual([201, `/v1/jobs/${made.id}`]);
    expect(made).toMatchObject({ name: "a", state: "pending" });
    const detail = (await server.get(`/v1/jobs/${made.id}`)).as(JobDetailView);
    expect(detail.schedule?.key).toBe("k");
    expect(Date.now() - Date.parse(detail.schedule?.slot ?? "")).toBeLessThan(60_000);

    await server.post("/v1/schedules/k/pause");
    expect((await server.post("/v1/schedules/k/run")).status).toBe(201);
    await server.post("/v1/schedules/k/resume");
    const after = (await server.get("/v1/schedules/k")).as(ScheduleDetailView);
    expect([after.nextRunAt, after.totals]).toEqual([
      before.nextRunAt,
      { enqueued: 2, skipped: 0, missed: 0 },
    ]);
  });

  test("takes no body", async () => {
    const server = await startHttpServer();
    await created(server, "k");
    const answer = await server.post("/v1/schedules/k/run", { payload: 1 });
    expect([answer.status, answer.as(Problem).errors?.[0]?.pointer]).toEqual([422, "/payload"]);
    expect((await server.get("/v1/jobs")).as(JobPageView).items).toEqual([]);
  });

  test("of no schedule: other jobs have none", async () => {
    const server = await startHttpServer();
    await server.post("/v1/jobs", { name: "a" });
    expect((await server.get("/v1/jobs/1")).as(JobDetailView).schedule).toBeNull();
  });
});

describe("GET /v1/schedules/{key}/runs", () => {
  test("walks the history, newest first, with what became of the jobs", async () => {
    const server = await startHttpServer();
    await created(server, "k");
    await created(server, "other");
    for (let count = 0; count < 5; count += 1) await server.post("/v1/schedules/k/run");
    await server.post("/v1/schedules/other/run");
    await server.post("/v1/jobs/5/cancel");
    await server.send("DELETE", "/v1/jobs/4");

    const first = (await server.get("/v1/schedules/k/runs?limit=2")).as(RunPage);
    expect(first.items.map(({ jobId, jobState }) => [jobId, jobState])).toEqual([
      ["5", "cancelled"],
      ["4", null],
    ]);
    // A run that is new meanwhile is before the place of the cursor.
    await server.post("/v1/schedules/k/run");
    const second = (await server.get(`/v1/schedules/k/runs?limit=2&cursor=${first.nextCursor ?? ""}`)).as(
      RunPage,
    );
    const third = (await server.get(`/v1/schedules/k/runs?limit=2&cursor=${second.nextCursor ?? ""}`)).as(
      RunPage,
    );
    expect([...second.items, ...third.items].map(({ jobId }) => jobId)).toEqual(["3", "2", "1"]);
    expect(third.nextCursor).toBeNull();
    const { slot, firedAt } = third.items[0]!;
    expect(third.items[0]).toEqual({
      slot,
      through: slot,
      manual: true,
      firedAt,
      outcome: "enqueued",
      jobId: "1",
      jobState: "pending",
    });
  });

  test("shows the slots that really made jobs, each once, also over two servers", async () => {
    const server = await startHttpServer();
    const second = await startHttpServer({ database: server.database });
    startScheduler(server);
    startScheduler(second);
    await created(server, "k", { everyMs: 1_000, job: { name: "tick", payload: { n: 1 } } });
    const ids: string[] = [];
    while (ids.length < 2) {
      const claim = await server.post("/v1/claim", { workerId: "w", queues: ["default"], waitMs: 10_000 });
      const { jobs } = claim.as(ClaimView);
      expect(jobs).toMatchObject([{ name: "tick", payload: { n: 1 } }]);
      ids.push(jobs[0]!.id);
    }
    await server.post("/v1/schedules/k/pause");
    const { items } = (await second.get("/v1/schedules/k/runs")).as(RunPage);
    const [later, earlier] = items.slice(-2);
    expect([earlier, later]).toMatchObject([
      { outcome: "enqueued", jobId: ids[0], jobState: "running", manual: false },
      { outcome: "enqueued", jobId: ids[1], jobState: "running", manual: false },
    ]);
    expect(Date.parse(later!.slot) - Date.parse(earlier!.slot)).toBe(1_000);
    expect(Date.parse(earlier!.slot) % 1_000).toBe(0);
    expect((await server.get(`/v1/jobs/${ids[0] ?? ""}`)).as(JobDetailView).schedule).toEqual({
      key: "k",
      slot: earlier!.slot,
    });
    expect(new Set(items.map(({ slot }) => slot)).size).toBe(items.length);
  });
});

// No store has a say.
describe.skipIf(ON_POSTGRES)("POST /v1/schedules/preview", () => {
  async function preview(server: HttpServer, body: object): Promise<PreviewView> {
    const answer = await server.post("/v1/schedules/preview", body);
    expect(answer.status).toBe(200);
    return answer.as(PreviewView);
  }

  test("says when an expression runs, and makes nothing", async () => {
    const server = await startHttpServer();
    const body = { cron: "0 9 * * 1-5", after: "2026-01-02T10:00:00+01:00", count: 3 };
    expect(await preview(server, body)).toEqual({
      next: ["2026-01-05T09:00:00.000Z", "2026-01-06T09:00:00.000Z", "2026-01-07T09:00:00.000Z"],
      notes: [],
    });
    // Strictly after.
    const at = { cron: "0 9 * * *", after: "2026-01-05T09:00:00Z", count: 1 };
    expect((await preview(server, at)).next).toEqual(["2026-01-06T09:00:00.000Z"]);
    expect((await server.get("/v1/schedules")).as(SchedulePage).items).toEqual([]);
  });

  test("counts 20 from now unless told otherwise, 100 at the most", async () => {
    const server = await startHttpServer();
    const before = Date.now();
    const { next } = await preview(server, { cron: "* * * * *" });
    expect(next).toHaveLength(20);
    expect(Date.parse(next[0]!)).toBeGreaterThan(before);
    expect(Date.parse(next[0]!)).toBeLessThan(before + 120_000);
    expect((await preview(server, { cron: "* * * * *", count: 100 })).next).toHaveLength(100);
  });

  test("knows time zones, in any case", async () => {
    const server = await startHttpServer();
    const body = { cron: "0 9 * * *", after: "2026-01-05T12:00:00Z", count: 1 };
    const next = async (timezone: string) => (await preview(server, { ...body, timezone })).next;
    expect(await next("Asia/Kolkata")).toEqual(["2026-01-06T03:30:00.000Z"]);
    expect(await next("america/new_york")).toEqual(["2026-01-05T14:00:00.000Z"]);
  });

  test.each([
    {
      what: "a time in the gap",
      body: { cron: "30 2 * * *", after: "2026-03-28T12:00:00Z", count: 2 },
      next: ["2026-03-29T01:00:00.000Z", "2026-03-30T00:30:00.000Z"],
      shifts: ["2026-03-29T01:00:00.000Z after_gap"],
    },
    {
      what: "a time that comes twice",
      body: { cron: "30 2 * * *", after: "2026-10-24T12:00:00Z", count: 2 },
      next: ["2026-10-25T00:30:00.000Z", "2026-10-26T01:30:00.000Z"],
      shifts: ["2026-10-25T00:30:00.000Z repeated_hour"],
    },
    {
      what: "a step over the repeated hour",
      body: { cron: "*/30 2 * * *", after: "2026-10-24T12:00:00Z", count: 4 },
      next: [
        "2026-10-25T00:00:00.000Z",
        "2026-10-25T00:30:00.000Z",
        "2026-10-25T01:00:00.000Z",
        "2026-10-25T01:30:00.000Z",
      ],
      shifts: [
        "2026-10-25T00:00:00.000Z repeated_hour",
        "2026-10-25T00:30:00.000Z repeated_hour",
        "2026-10-25T01:00:00.000Z repeated_hour",
        "2026-10-25T01:30:00.000Z repeated_hour",
      ],
    },
  ])("notes $what", async ({ body, next, shifts }) => {
    const server = await startHttpServer();
    const answer = await preview(server, { ...body, timezone: "Europe/Berlin" });
    expect(answer.next).toEqual(next);
    expect(answer.notes.map(({ at, shift }) => `${at} ${shift}`)).toEqual(shifts);
    for (const { text } of answer.notes) expect(text).toMatch(/^The clocks go /);
  });

  test("of rare and hopeless expressions is quick", async () => {
    const server = await startHttpServer();
    const rare = [
      { cron: "0 0 29 2 *", timezone: "America/New_York", count: 100 },
      { cron: "0 0 * 2 1#5", timezone: "America/New_York", count: 100 },
      // Only in the hour that every last Sunday of March leaves out.
      { cron: "* 2 * 3 0L", timezone: "Europe/Berlin", count: 100 },
      { cron: "* * * * * *", timezone: "Australia/Lord_Howe", count: 100 },
    ];
    for (const body of rare) await preview(server, body);
    const end = { cron: "* * * * *", after: "9999-12-31T23:58:30Z" };
    expect((await preview(server, end)).next).toEqual(["9999-12-31T23:59:00.000Z"]);
  });

  test.each([
    [{}, "/cron required"],
    [{ cron: 5 }, "/cron wrong_type"],
    [{ cron: "0 0 30 2 *" }, "/cron invalid_cron"],
    [{ cron: "@reboot" }, "/cron invalid_cron"],
    [{ cron: "* * * * *", timezone: "Mars/Olympus" }, "/timezone unknown_timezone"],
    [{ cron: "* * * * *", timezone: "" }, "/timezone unknown_timezone"],
    [{ cron: "* * * * *", timezone: null }, "/timezone wrong_type"],
    [{ cron: "* * * * *", after: "tomorrow" }, "/after invalid_instant"],
    [{ cron: "* * * * *", after: "2026-02-30T00:00:00Z" }, "/after invalid_instant"],
    [{ cron: "* * * * *", after: 1_767_571_200_000 }, "/after invalid_instant"],
    [{ cron: "* * * * *", count: 0 }, "/count out_of_range"],
    [{ cron: "* * * * *", count: 101 }, "/count out_of_range"],
    [{ cron: "* * * * *", count: "5" }, "/count out_of_range"],
    [{ cron: "* * * * *", everyMs: 1_000 }, "/everyMs unknown_field"],
    [{ cron: "* * * * *", timzone: "UTC" }, "/timzone unknown_field"],
  ])("refuses %j", async (body, fault) => {
    const server = await startHttpServer();
    const answer = await server.post("/v1/schedules/preview", body);
    expect(answer.status).toBe(422);
    expect(answer.as(Problem).errors?.map(({ pointer, code }) => `${pointer} ${code}`)).toEqual([fault]);
  });

  test("tells all faults at once", async () => {
    const server = await startHttpServer();
    const answer = await server.post("/v1/schedules/preview", { cron: "x", timezone: "y" });
    expect(
      answer
        .as(Problem)
        .errors?.map(({ pointer }) => pointer)
        .sort(),
    ).toEqual(["/cron", "/timezone"]);
  });

  test("has its address for itself: no schedule has the key preview", async () => {
    const server = await startHttpServer();
    for (const method of ["GET", "PUT", "DELETE"]) {
      const answer = await server.send(method, "/v1/schedules/preview", {
        ...(method === "PUT" && { json: NEVER_SOON }),
      });
      expect([answer.status, answer.headers.get("allow"), answer.as(Problem).code], method).toEqual([
        405,
        "POST",
        "method_not_allowed",
      ]);
    }
    expect((await server.post("/v1/schedules/preview", NEVER_SOON)).status).toBe(422);
    expect((await server.post("/v1/schedules/preview/run")).as(Problem).code).toBe("schedule_not_found");
    expect((await server.get("/v1/schedules")).as(SchedulePage).items).toEqual([]);
  });
});

// Before a store is asked.
describe.skipIf(ON_POSTGRES)("a definition is refused", () => {
  test.each([
    ["0 0 30 2 *", "it never runs"],
    ["0 0 31 4,6,9,11 *", "it never runs"],
    ["0 0 L-30 2 *", "it never runs"],
    ["*/0 * * * *", "write a step of 1 to 59"],
    ["* 0-5/0 * * *", "write a step of 1 to 23"],
    ["*/60 * * * *", "write a step of 1 to 59"],
    ["*/99999999999999999999 * * * *", "digits are too many"],
    ["60 * * * *", "60 is out of range; write 0 to 59"],
    ["* 24 * * *", "24 is out of range; write 0 to 23"],
    ["* * 0 * *", "0 is out of range; write 1 to 31"],
    ["* * * 13 *", "13 is out of range"],
    ["* * * * 8", "8 is out of range"],
    ["-1 * * * *", "write 0 to 59"],
    ["1.5 * * * *", "cannot stand here"],
    ["0x5 * * * *", "cannot stand here"],
    ["30-10 * * * *", "runs backwards; write two: 30-59,0-10"],
    ["* * * * FRI-MON", "runs backwards; write two: FRI-SAT,SUN-MON"],
    ["1,,2 * * * *", "a value is missing beside a comma"],
    ["* * * * L", "write 5L or FRIL"],
    ["* * * * FRI#6", "1 to 5"],
    ["* * * JANUARY *", "the name JANUARY is not known"],
    ["", "it is empty; write five fields"],
    ["   ", "it is empty; write five fields"],
    ["*", "1 field was found"],
    ["* *", "2 fields were found"],
    ["* * *", "3 fields were found"],
    ["* * * *", "4 fields were found"],
    ["* * * * * * *", "7 fields were found"],
    ["* * * * * * * * 2026", "9 fields were found"],
    ["\u0663 * * * *", "U+0663"],
    ["\uff15 * * * *", "U+FF15"],
    ["5\u00a0* * * *", "4 fields were found"],
    ["* * * * \u202e*", "U+202E"],
    ["\u0000 * * * *", "U+0000"],
    ["* * * * *\n", "U+000A"],
    ["\ud800 * * * *", "U+D800"],
    ["9 ".repeat(5_120), "10240 characters are too many; write 255 at most"],
    [`${"1,".repeat(5_000)}1 * * * *`, "characters are too many"],
    ["@reboot", "@reboot is not supported"],
    ["@dayly", "unknown nickname"],
    ["@daily 5", "@daily stands alone"],
    ["@every 0s", "out of range; write 1s to 366d"],
    ["@every 367d", "out of range"],
    ["@every 1.5h", "write @every 1h30m"],
    ["@every", "@every needs one duration"],
    ["TZ=UTC * * * * *", 'give it in the field "timezone"'],
    ["'; DROP TABLE schedules; --", "the minute field"],
  ])("for its expression %j", async (cron, text) => {
    const server = await startHttpServer();
    const [fault, ...others] = await faultsOf(server, { cron, job });
    expect(fault).toMatch(/^\/cron invalid_cron: the .+, character \d+: /);
    expect(fault).toContain(text);
    expect(fault?.length).toBeLessThan(300);
    // It goes to terminals and pages.
    expect(fault).not.toMatch(/[^\x20-\x7e]/);
    expect(others).toEqual([]);
  });

  test.each([
    "Mars/Olympus",
    "",
    " ",
    "UTC ",
    "+02:00",
    "Europe/Berlin\u0000",
    "../etc/passwd",
    "x".repeat(10_240),
    "Европа/Москва",
    "__proto__",
  ])("for its time zone %j", async (timezone) => {
    const server = await startHttpServer();
    const [fault, ...others] = await faultsOf(server, { cron: "* * * * *", timezone, job });
    expect(fault).toMatch(
      /^\/timezone unknown_timezone: .+ is no time zone; give a name of the IANA database/,
    );
    expect(fault?.length).toBeLessThan(500);
    expect(others).toEqual([]);
  });

  test.each([[5], [null], [true], [{}], [["UTC"]]])("for %j as its time zone", async (timezone) => {
    const server = await startHttpServer();
    const faults = await faultsOf(server, { cron: "* * * * *", timezone, job });
    expect(faults).toEqual(["/timezone wrong_type: must be a text"]);
  });

  const everyMs = 60_000;
  test.each([
    ["neither rhythm", { job }, ["/cron required: or everyMs is needed"]],
    ["both rhythms", { cron: "* * * * *", everyMs, job }, ["/cron conflict: excludes everyMs"]],
    ["no job", { everyMs }, ["/job required: is required"]],
    ["a job that is a name", { everyMs, job: "a" }, ["/job wrong_type: must be an object"]],
    ["null as a job", { everyMs, job: null }, ["/job wrong_type: must be an object"]],
    ["a list as a job", { everyMs, job: [] }, ["/job wrong_type: must be an object"]],
    ["a job without a name", { everyMs, job: {} }, ["/job/name required: is required"]],
    ["a delay", { everyMs, job: { ...job, delayMs: 5 } }, ["/job/delayMs conflict: cannot be set"]],
    [
      "an instant",
      { everyMs, job: { ...job, runAt: "2030-01-01T00:00:00Z" } },
      ["/job/runAt conflict: cannot be set"],
    ],
    [
      "an idempotency key",
      { everyMs, job: { ...job, idempotencyKey: "k" } },
      ["/job/idempotencyKey conflict: cannot be set"],
    ],
    [
      "misspelt fields",
      { everyMs, overlpa: "skip", job: { ...job, maxAtempts: 1 } },
      [
        '/job/maxAtempts unknown_field: is not known here; did you mean "maxAttempts"?',
        '/overlpa unknown_field: is not known here; did you mean "overlap"?',
      ],
    ],
    [
      "an unknown policy",
      { everyMs, job, missed: "never" },
      ['/missed unknown_value: must be "once", "skip"'],
    ],
    [
      "an unknown policy",
      { everyMs, job, overlap: null },
      ['/overlap unknown_value: must be "allow", "skip"'],
    ],
    [
      "an end before its start",
      { everyMs, job, startAt: "2030-01-02T00:00:00Z", endAt: "2030-01-01T00:00:00Z" },
      ["/endAt out_of_range: must not lie before startAt"],
    ],
    [
      "a day that there is not",
      { everyMs, job, startAt: "2026-02-30T00:00:00Z" },
      ["/startAt invalid_instant: names a day that its month does not have"],
    ],
    [
      "an end without an offset",
      { everyMs, job, endAt: "2026-01-05T00:00:00" },
      ["/endAt invalid_instant: must be RFC 3339"],
    ],
    [
      "jitter as wide as the interval",
      { everyMs, job, jitterMs: 60_000 },
      ["/jitterMs out_of_range: must be less than the time between two runs, which is 60000 ms"],
    ],
    [
      "jitter as wide as a gap of an expression",
      { cron: "0,5 9 * * *", job, jitterMs: 300_000 },
      ["/jitterMs out_of_range: must be less than the time between two runs, which is 300000 ms"],
    ],
    [
      "jitter beyond a day",
      { everyMs: 86_400_000 * 3, job, jitterMs: 86_400_001 },
      ["/jitterMs out_of_range: must be a whole number from 0 to 86400000"],
    ],
    [
      "too many made up",
      { everyMs, job, maxMissed: 1_001 },
      ["/maxMissed out_of_range: must be a whole number from 1 to 1000"],
    ],
    ["null as a rhythm", { everyMs: null, job }, ["/everyMs out_of_range: must be a whole number from 1000"]],
    ["a list", [], [" wrong_type: must be an object"]],
    ["a text", "k", [" wrong_type: must be an object"]],
  ])("for %s", async (_what, body, texts) => {
    const server = await startHttpServer();
    const faults = (await faultsOf(server, body)).sort();
    expect(faults).toHaveLength(texts.length);
    for (const [index, text] of texts.entries()) expect(faults[index]).toContain(text);
  });

  test.each([999, 0, -1, 31_622_400_001, 1_500.5, "1000", 1e300])("for %j as everyMs", async (interval) => {
    const server = await startHttpServer();
    expect(await faultsOf(server, { everyMs: interval, job })).toEqual([
      "/everyMs out_of_range: must be a whole number from 1000 to 31622400000",
    ]);
  });

  test("with all its faults at once, those of the core too", async () => {
    const server = await startHttpServer();
    const faults = await faultsOf(server, {
      cron: "* * * *",
      everyMs: 5,
      timezone: "nowhere",
      missed: "never",
      maxMissed: 0,
      overlap: "no",
      startAt: "x",
      endAt: 5,
      jitterMs: -1,
      extra: 1,
      job: { queue: "a b", delayMs: 1, priority: 10, tags: [""], backoff: { type: "fixed" } },
    });
    expect([...new Set(faults.map((fault) => fault.split(":")[0]))].sort()).toEqual([
      "/cron conflict",
      "/cron invalid_cron",
      "/endAt invalid_instant",
      "/everyMs out_of_range",
      "/extra unknown_field",
      "/jitterMs out_of_range",
      "/job/backoff/delayMs required",
      "/job/delayMs conflict",
      "/job/name required",
      "/job/priority out_of_range",
      "/job/queue invalid_name",
      "/job/tags/0 invalid_tag",
      "/maxMissed out_of_range",
      "/missed unknown_value",
      "/overlap unknown_value",
      "/startAt invalid_instant",
      "/timezone unknown_timezone",
    ]);
    // No schema fault among them: told by the core alone.
    expect(await faultsOf(server, { cron: "x", timezone: "y", job })).toHaveLength(2);
  });

  test("for a payload that no job may have", async () => {
    const server = await startHttpServer();
    const large = await faultsOf(server, { everyMs, job: { ...job, payload: "x".repeat(256 * 1_024) } });
    expect(large).toEqual([
      expect.stringMatching(/^\/job\/payload payload_too_large: .+ the limit is 262144/),
    ]);
    const deep = JSON.parse("[".repeat(129) + "]".repeat(129)) as unknown;
    expect(await faultsOf(server, { everyMs, job: { ...job, payload: deep } })).toEqual([
      expect.stringMatching(/^\/job\/payload payload_too_deep: /),
    ]);
    for (const number of ["9007199254740993", "1e400"]) {
      const raw = `{"everyMs":60000,"job":{"name":"a","payload":[${number}]}}`;
      const answer = await server.send("PUT", "/v1/schedules/k", { raw });
      expect([answer.status, answer.as(Problem).code]).toEqual([422, "number_precision"]);
      expect(answer.as(Problem).detail).toContain(number);
    }
    await created(server, "k", { everyMs, job: { ...job, payload: "x".repeat(256 * 1_024 - 2) } });
  });

  test.each([
    ["job", (fields: object) => ({ everyMs, job: { ...job, ...fields } })],
    ["schedule", (fields: object) => ({ everyMs, job, ...fields })],
    [
      "backoff",
      (fields: object) => ({
        everyMs,
        job: { ...job, backoff: { type: "fixed", delayMs: 1, ...fields } },
      }),
    ],
  ])("soon and with a bounded answer for a %s of 90 000 unknown fields", async (_what, bodyWith) => {
    const server = await startHttpServer();
    const fields = Object.fromEntries(Array.from({ length: 90_000 }, (_, index) => [`f${index}`, 1]));
    expect((await faultsOf(server, bodyWith(fields))).length).toBeLessThanOrEqual(1_000);
  });

  test("and the one that is there stays as it was", async () => {
    const server = await startHttpServer();
    const before = await created(server, "k");
    expect((await put(server, "k", { ...NEVER_SOON, cron: "0 0 30 2 *" })).status).toBe(422);
    expect((await server.get("/v1/schedules/k")).json).toEqual(before);
  });
});

test("a malformed body is never an error of the server", async () => {
  const server = await startHttpServer();
  for (const raw of [
    "",
    "{",
    "null",
    '"x"',
    "[[]]",
    '{"cron":{"a":1},"job":{"name":[]}}',
    '{"job":{"tags":{}}}',
  ]) {
    for (const [method, path] of [
      ["PUT", "/v1/schedules/k"],
      ["POST", "/v1/schedules/preview"],
      ["POST", "/v1/schedules/k/pause"],
      ["POST", "/v1/schedules/k/run"],
    ] as const) {
      const { status } = await server.send(method, path, { raw });
      expect([status >= 400 && status < 500, status], `${method} ${path} ${raw}`).toEqual([true, status]);
    }
  }
  expect(server.logged('"level":50')).toEqual([]);
});

test("A schedule that was moved tells a limited token nothing of the jobs in the queue that it came from", async () => {
  const server = await startHttpServer();
  const put = (queue: string) =>
    server.send("PUT", "/v1/schedules/moved", { json: { everyMs: 60_000, job: { name: "a", queue } } });
  await put("theirs");
  await server.post("/v1/schedules/moved/run");
  await put("own");
  await server.post("/v1/schedules/moved/run");
  const { token } = await issueToken(server, ["operator"], { queues: ["own"] });
  const seen = async (sending: { token?: string }) => {
    const history = (await server.get("/v1/schedules/moved/runs", sending)).as(ScheduleRunPageView).items;
    const page = (await server.get("/v1/schedules?runs=5", sending)).as(SchedulePageView).items;
    expect(page[0]?.runs).toEqual(history);
    return history.map(({ jobId, jobState, outcome }) => ({ jobId, jobState, outcome }));
  };
  expect(await seen({ token })).toEqual([
    { jobId: "2", jobState: "pending", outcome: "enqueued" },
    { jobId: null, jobState: null, outcome: "enqueued" },
  ]);
  expect((await seen({})).map(({ jobId }) => jobId)).toEqual(["2", "1"]);
});

test("If-Match: * is only for what is there", async () => {
  const server = await startHttpServer();
  const headers = { "if-match": "*" };
  const schedule = { everyMs: 60_000, job: { name: "a" } };
  const put = () => server.send("PUT", "/v1/schedules/new", { json: schedule, headers });
  const patch = () => server.send("PATCH", "/v1/queues/new", { json: { paused: true }, headers });
  expect([(await put()).status, (await patch()).status]).toEqual([412, 412]);
  expect((await server.get("/v1/schedules/new")).status).toBe(404);
  await server.send("PUT", "/v1/schedules/new", { json: schedule });
  await server.post("/v1/queues/new/pause");
  expect([(await put()).status, (await patch()).status]).toEqual([200, 200]);
});

test("If-None-Match: * is only for what is not there", async () => {
  const server = await startHttpServer();
  const headers = { "if-none-match": "*" };
  const schedule = { everyMs: 60_000, job: { name: "a" } };
  const put = () => server.send("PUT", "/v1/schedules/new", { json: schedule, headers });
  const patch = (queue: string) =>
    server.send("PATCH", `/v1/queues/${queue}`, { json: { paused: true }, headers });
  await server.post("/v1/jobs", { name: "a", queue: "never-edited" });
  expect([(await put()).status, (await patch("new")).status]).toEqual([201, 200]);
  for (const answer of [
    await put(),
    await patch("new"),
    await patch("never-edited"),
    await server.send("DELETE", "/v1/schedules/new", { headers }),
  ]) {
    expect(answer.body).toMatchObject({
      status: 412,
      code: "etag_mismatch",
      detail: "It is there already, and If-None-Match: * is only for what is not.",
    });
  }
  expect((await server.get("/v1/queues/never-edited")).body["pausedAt"]).toBeNull();
});
