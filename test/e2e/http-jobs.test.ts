import { Type } from "typebox";
import { describe, expect, test } from "vitest";
import { EnqueuedJobView, JobDetailView, JobView, AttemptView, LogLineView } from "../../src/api/job.js";
import { JobPageView } from "../../src/api/job-list.js";
import { Problem } from "../../src/api/problem.js";
import { startHttpServer, type HttpServer } from "../support/http-server.js";

async function enqueued(server: HttpServer, job: object): Promise<JobView> {
  const answer = await server.post("/v1/jobs", job);
  expect(answer.status).toBe(201);
  return answer.as(JobView);
}

/** Claims one job and returns what its lease calls need. */
async function claimed(server: HttpServer, queue = "default"): Promise<{ id: string; leaseToken: string }> {
  const answer = await server.post("/v1/claim", { workerId: "w", queues: [queue] });
  const { jobs } = answer.as(
    Type.Object({ jobs: Type.Array(Type.Object({ id: Type.String(), leaseToken: Type.String() })) }),
  );
  return jobs[0]!;
}

async function dead(server: HttpServer, job: object = {}): Promise<string> {
  await enqueued(server, { name: "a", ...job });
  const { id, leaseToken } = await claimed(server);
  const failed = await server.post(`/v1/jobs/${id}/fail`, {
    leaseToken,
    error: { type: "TypeError", message: "broken", stack: "at x" },
    retry: "never",
  });
  expect(failed.body).toMatchObject({ state: "dead" });
  return id;
}

const MISSING = ["0", "00", "01", "9007199254740993", "-1", "1e1", "abc", "x".repeat(200), "1%00", "%D0%BF"];

describe("POST /v1/jobs", () => {
  test("answers 201 with the job and where it is", async () => {
    const server = await startHttpServer();
    const answer = await server.post("/v1/jobs", { name: "email.send", payload: { to: "a@b.c" } });
    expect(answer.status).toBe(201);
    expect(answer.headers.get("location")).toBe("/v1/jobs/1");
    const job = answer.as(EnqueuedJobView);
    expect(job).toEqual({
      id: "1",
      queue: "default",
      name: "email.send",
      state: "pending",
      priority: 4,
      attempt: 0,
      maxAttempts: 20,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string,
      runAt: job.createdAt,
      startedAt: null,
      finishedAt: null,
      workerId: null,
      token: null,
      leaseExpiresAt: null,
    });
  });

  test("takes every setting", async () => {
    const server = await startHttpServer();
    const { id } = await enqueued(server, {
      name: "a",
      queue: "mail",
      priority: 9,
      runAt: "2099-01-05T09:00:00+05:30",
      maxAttempts: 3,
      backoff: { type: "fixed", delayMs: 5_000, jitter: 0.5 },
      timeoutMs: 1_000,
      idempotencyKey: "ключ 🔑",
      tags: ["x", "срочно", "x"],
    });
    expect((await server.get(`/v1/jobs/${id}`)).as(JobDetailView)).toMatchObject({
      queue: "mail",
      state: "scheduled",
      priority: 9,
      runAt: "2099-01-05T03:30:00.000Z",
      maxAttempts: 3,
      backoff: { type: "fixed", delayMs: 5_000, jitter: 0.5 },
      timeoutMs: 1_000,
      idempotencyKey: "ключ 🔑",
      tags: ["x", "срочно"],
      payloadBytes: 4,
      resultBytes: null,
      resultProblem: null,
      progress: null,
      lastError: null,
    });
  });

  test("answers 200 with the existing job for a known key", async () => {
    const server = await startHttpServer();
    const job = { name: "a", payload: { b: 1, a: [2] }, delayMs: 60_000, idempotencyKey: "k" };
    const first = await enqueued(server, job);
    const again = await server.post("/v1/jobs", { ...job, payload: { a: [2], b: 1 } });
    expect(again.status).toBe(200);
    expect(again.headers.get("location")).toBe(`/v1/jobs/${first.id}`);
    expect(again.json).toEqual({ ...first, deduplicated: true });
    const other = await server.post("/v1/jobs", { ...job, priority: 9 });
    expect(other.status).toBe(422);
    expect(other.as(Problem).code).toBe("idempotency_key_reused");
  });

  test("makes one job of 50 parallel requests with one key, also over two servers", async () => {
    const one = await startHttpServer();
    const two = await startHttpServer({ database: one.database });
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        (index % 2 === 0 ? one : two).post("/v1/jobs", { name: "a", payload: { n: 1 }, idempotencyKey: "k" }),
      ),
    );
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array.from({ length: 49 }, () => 200), 201]);
    expect(new Set(answers.map((answer) => answer.as(EnqueuedJobView).id)).size).toBe(1);
    expect([...one.logged('"level":50'), ...two.logged('"level":50')]).toEqual([]);
    expect((await one.get("/v1/jobs")).as(JobPageView).items).toHaveLength(1);
  });

  test("tells all faults, and the core's words for them", async () => {
    const server = await startHttpServer();
    const answer = await server.post("/v1/jobs", {
      queue: "a/b",
      priority: "5",
      delayMs: 1,
      runAt: "2026-01-05T00:00:00Z",
      maxAtempts: 3,
    });
    expect(answer.status).toBe(422);
    const problem = answer.as(Problem);
    expect(problem.code).toBe("validation_failed");
    expect(problem.errors).toEqual([
      {
        pointer: "/queue",
        code: "invalid_name",
        detail: expect.stringContaining("letters, digits") as string,
      },
      { pointer: "/priority", code: "out_of_range", detail: "must be a whole number from 0 to 9" },
      {
        pointer: "/maxAtempts",
        code: "unknown_field",
        detail: 'is not known here; did you mean "maxAttempts"?',
      },
      { pointer: "/name", code: "required", detail: "is required" },
      { pointer: "/runAt", code: "conflict", detail: "excludes delayMs" },
    ]);
  });

  test("tells a fault of the core alone as well", async () => {
    const server = await startHttpServer();
    const answer = await server.post("/v1/jobs", { name: "a", delayMs: 1, runAt: "2026-01-05T00:00:00Z" });
    expect(answer.as(Problem).errors).toEqual([
      { pointer: "/runAt", code: "conflict", detail: "excludes delayMs" },
    ]);
  });

  test.each(["priority", "delayMs", "maxAttempts", "timeoutMs"])(
    "takes only whole numbers in range as %s",
    async (field) => {
      const server = await startHttpServer();
      const nonsense = [
        "-1",
        "1.5",
        '""',
        '" "',
        '"10abc"',
        '"0x10"',
        '"1e3"',
        '"5"',
        "null",
        "true",
        "[5]",
        "{}",
      ];
      for (const value of [...nonsense, "1e300", "9007199254740992"]) {
        const answer = await server.send("POST", "/v1/jobs", { raw: `{"name":"a","${field}":${value}}` });
        expect([answer.status, answer.as(Problem).errors], `${field}: ${value}`).toEqual([
          422,
          [expect.objectContaining({ pointer: `/${field}`, code: "out_of_range" })],
        ]);
      }
      for (const value of ["1e309", "9007199254740993"]) {
        const answer = await server.send("POST", "/v1/jobs", { raw: `{"name":"a","${field}":${value}}` });
        expect(answer.as(Problem).code).toBe("number_precision");
      }
      expect((await server.get("/v1/jobs")).as(JobPageView).items).toEqual([]);
    },
  );

  test.each([
    ["2026-01-05T09:00:00Z", true],
    ["2026-01-05T09:00:00.123456789+05:30", true],
    ["9999-12-31T23:59:59.999Z", true],
    ["2026-01-05", false],
    ["2026-01-05T09:00:00", false],
    ["2026-02-30T25:00:00Z", false],
    ["1999-12-31T23:59:59Z", false],
    ["tomorrow", false],
    [1_767_571_200_000, false],
    [1_767_571_200, false],
    [null, false],
    [{}, false],
  ])("takes %j as runAt: %s", async (runAt, accepted) => {
    const server = await startHttpServer();
    const answer = await server.post("/v1/jobs", { name: "a", runAt });
    expect(answer.status).toBe(accepted ? 201 : 422);
    if (!accepted) {
      expect(answer.as(Problem).errors).toEqual([
        expect.objectContaining({ pointer: "/runAt", code: "invalid_instant" }),
      ]);
    }
  });

  test.each(["", " a", "../x", "a/b", "a%00b", "*", '"; drop', "-a", "ю", "a\n", "a".repeat(129)])(
    "refuses %j as a name by the printed rule, everywhere",
    async (name) => {
      const server = await startHttpServer();
      for (const job of [{ name }, { name: "a", queue: name }]) {
        const answer = await server.post("/v1/jobs", job);
        expect(answer.as(Problem).errors).toEqual([
          expect.objectContaining({
            code: "invalid_name",
            detail: expect.stringContaining("1 to 128") as string,
          }),
        ]);
      }
      const path = `/v1/queues/${encodeURIComponent(name)}/pause`;
      expect((await server.post(path)).status).toBe(422);
    },
  );

  test.each(["jobs", "sqlite_master", "CON", "a.b:c_d-e", "constructor", "toString", "a".repeat(128)])(
    "takes %s as a name, everywhere",
    async (name) => {
      const server = await startHttpServer();
      const job = await enqueued(server, { name, queue: name });
      expect((await server.get(`/v1/queues/${encodeURIComponent(name)}`)).body).toMatchObject({
        name,
        counts: { pending: 1 },
      });
      expect((await server.get(`/v1/jobs?queue=${name}&name=${name}`)).as(JobPageView).items).toEqual([job]);
      expect((await claimed(server, name)).id).toBe(job.id);
    },
  );
});

describe("POST /v1/jobs/batch", () => {
  test("accepts all, in order, and marks the known ones", async () => {
    const server = await startHttpServer();
    await enqueued(server, { name: "b", idempotencyKey: "k" });
    const answer = await server.post("/v1/jobs/batch", {
      jobs: [{ name: "a" }, { name: "b", idempotencyKey: "k" }, { name: "c" }],
    });
    expect(answer.status).toBe(201);
    const { items } = answer.as(Type.Object({ items: Type.Array(EnqueuedJobView) }));
    expect(items.map(({ name, deduplicated }) => [name, deduplicated])).toEqual([
      ["a", undefined],
      ["b", true],
      ["c", undefined],
    ]);
  });

  test("accepts none when one has a fault, and says which", async () => {
    const server = await startHttpServer();
    const answer = await server.post("/v1/jobs/batch", {
      jobs: [
        { name: "a" },
        { name: "b", priority: 10 },
        { name: "c", delayMs: 1, runAt: "2026-01-05T00:00:00Z" },
      ],
    });
    expect(answer.status).toBe(422);
    expect(answer.as(Problem).errors?.map(({ pointer }) => pointer)).toEqual([
      "/jobs/1/priority",
      "/jobs/2/runAt",
    ]);
    const alone = await server.post("/v1/jobs/batch", {
      jobs: [{ name: "a" }, { name: "c", delayMs: 1, runAt: "2026-01-05T00:00:00Z" }],
    });
    expect(alone.as(Problem).errors?.map(({ pointer }) => pointer)).toEqual(["/jobs/1/runAt"]);
    const large = await server.post("/v1/jobs/batch", {
      jobs: [{ name: "a" }, { name: "b", payload: "x".repeat(256 * 1024) }],
    });
    expect(large.as(Problem).errors?.map(({ pointer }) => pointer)).toEqual(["/jobs/1/payload"]);
    expect((await server.get("/v1/jobs")).as(JobPageView).items).toEqual([]);
  });

  test("accepts none when a key was used for another job", async () => {
    const server = await startHttpServer();
    const answer = await server.post("/v1/jobs/batch", {
      jobs: [
        { name: "a", idempotencyKey: "k" },
        { name: "b", idempotencyKey: "k" },
      ],
    });
    expect(answer.as(Problem).code).toBe("idempotency_key_reused");
    expect((await server.get("/v1/jobs")).as(JobPageView).items).toEqual([]);
  });

  test("takes up to 1000 jobs", async () => {
    const server = await startHttpServer();
    const jobs = Array.from({ length: 1_001 }, () => ({ name: "a", payload: "x".repeat(2_000) }));
    const refused = await server.post("/v1/jobs/batch", { jobs });
    expect(refused.as(Problem).errors).toEqual([
      { pointer: "/jobs", code: "out_of_range", detail: "must be a list of at most 1000 items" },
    ]);
    expect((await server.post("/v1/jobs/batch", { jobs: jobs.slice(1) })).status).toBe(201);
    expect((await server.post("/v1/jobs/batch", { jobs: [] })).json).toEqual({ items: [] });
    expect((await server.get("/v1/queues/default")).body).toMatchObject({ counts: { pending: 1_000 } });
  });
});

describe("GET /v1/jobs", () => {
  test("pages through every job once, whatever happens meanwhile", async () => {
    const server = await startHttpServer();
    await server.post("/v1/jobs/batch", { jobs: Array.from({ length: 205 }, () => ({ name: "a" })) });
    const seen: string[] = [];
    let cursor: string | null = "";
    while (cursor !== null) {
      const query: string = cursor === "" ? "" : `&cursor=${cursor}`;
      const page: { items: JobView[]; nextCursor: string | null } = (
        await server.get(`/v1/jobs?limit=50${query}`)
      ).as(JobPageView);
      seen.push(...page.items.map(({ id }) => id));
      await enqueued(server, { name: "later" });
      cursor = page.nextCursor;
    }
    expect(seen).toEqual(Array.from({ length: 205 }, (_, index) => String(205 - index)));
  });

  test("filters, and has neither payload nor result", async () => {
    const server = await startHttpServer();
    await enqueued(server, { name: "a", queue: "q1", tags: ["red"], payload: "secret" });
    await enqueued(server, { name: "b", queue: "q1", delayMs: 60_000 });
    await enqueued(server, { name: "a", queue: "q2" });
    const names = async (query: string): Promise<string[]> =>
      (await server.get(`/v1/jobs?${query}`)).as(JobPageView).items.map(({ id }) => id);
    expect(await names("")).toEqual(["3", "2", "1"]);
    expect(await names("queue=q1")).toEqual(["2", "1"]);
    expect(await names("name=a")).toEqual(["3", "1"]);
    expect(await names("tag=red")).toEqual(["1"]);
    expect(await names("state=scheduled")).toEqual(["2"]);
    expect(await names("state=pending&queue=q2&name=a")).toEqual(["3"]);
    expect(await names("queue=nowhere")).toEqual([]);
    expect((await server.get("/v1/jobs")).text).not.toContain("secret");
  });

  test("has 50 on a page, or as many as asked for", async () => {
    const server = await startHttpServer();
    await server.post("/v1/jobs/batch", { jobs: Array.from({ length: 501 }, () => ({ name: "a" })) });
    expect((await server.get("/v1/jobs")).as(JobPageView).items).toHaveLength(50);
    const page = (await server.get("/v1/jobs?limit=500")).as(JobPageView);
    expect(page.items).toHaveLength(500);
    const last = (await server.get(`/v1/jobs?limit=500&cursor=${page.nextCursor ?? ""}`)).as(JobPageView);
    expect([last.items.length, last.nextCursor]).toEqual([1, null]);
  });

  test("refuses a cursor of another list", async () => {
    const server = await startHttpServer();
    await server.post("/v1/jobs/batch", { jobs: [{ name: "a" }, { name: "a" }] });
    const { nextCursor } = (await server.get("/v1/jobs?queue=default&limit=1")).as(JobPageView);
    const cursor = nextCursor ?? "";
    expect((await server.get(`/v1/jobs?queue=default&limit=5&cursor=${cursor}`)).status).toBe(200);
    for (const query of [`cursor=${cursor}`, `queue=other&cursor=${cursor}`, "cursor=x", "cursor="]) {
      const answer = await server.get(`/v1/jobs?${query}`);
      expect([answer.status, answer.as(Problem).code], query).toEqual([400, "bad_cursor"]);
    }
  });

  test.each([
    ...["limit=0", "limit=501", "limit=", "limit=1e1", "limit=0x10", "limit=+5", "limit=5&limit=6"],
    ...[
      "offset=1",
      "stat=dead",
      "state=",
      "state=running2",
      "queue=",
      "queue=a%2Fb",
      "tag=",
      "name=",
      "__proto__=x",
    ],
  ])("refuses ?%s", async (query) => {
    const server = await startHttpServer();
    const answer = await server.get(`/v1/jobs?${query}`);
    expect([answer.status, answer.as(Problem).code]).toEqual([422, "validation_failed"]);
  });
});

describe("one job", () => {
  test("has its attempts, error, progress and log", async () => {
    const server = await startHttpServer();
    await enqueued(server, { name: "a" });
    const first = await claimed(server);
    await server.post(`/v1/jobs/1/progress`, { leaseToken: first.leaseToken, percent: 40, message: "half" });
    await server.post(`/v1/jobs/1/logs`, {
      leaseToken: first.leaseToken,
      lines: [{ message: "one" }, { level: "warn", message: "two" }],
    });
    await server.post(`/v1/jobs/1/fail`, {
      leaseToken: first.leaseToken,
      error: { message: "no" },
      retry: { delayMs: 0 },
    });
    await claimed(server);

    const detail = (await server.get("/v1/jobs/1")).as(JobDetailView);
    expect(detail).toMatchObject({
      state: "running",
      attempt: 2,
      workerId: "w",
      progress: { percent: 40, message: "half" },
      lastError: { type: "Error", message: "no", stack: null },
    });
    const { items: attempts } = (await server.get("/v1/jobs/1/attempts")).as(
      Type.Object({ items: Type.Array(AttemptView) }),
    );
    expect(attempts).toMatchObject([
      { number: 1, outcome: "failed", error: { message: "no" }, retryDelayMs: 0 },
      { number: 2, outcome: "running", finishedAt: null, error: null },
    ]);
    const Lines = Type.Object({ items: Type.Array(LogLineView) });
    expect((await server.get("/v1/jobs/1/logs")).as(Lines).items).toMatchObject([
      { seq: 1, attempt: 1, level: "info", message: "one" },
      { seq: 2, attempt: 1, level: "warn", message: "two" },
    ]);
    expect((await server.get("/v1/jobs/1/logs?after=1&limit=1")).as(Lines).items).toMatchObject([{ seq: 2 }]);
    expect((await server.get("/v1/jobs/1/logs?limit=1")).as(Lines).items).toMatchObject([{ seq: 1 }]);
    expect((await server.get("/v1/jobs/1/logs?after=-1")).status).toBe(422);
  });

  test("has a payload always and a result after it completed", async () => {
    const server = await startHttpServer();
    await enqueued(server, { name: "a", payload: [1, "x"] });
    const payload = await server.get("/v1/jobs/1/payload");
    expect([payload.text, payload.headers.get("content-type")]).toEqual([
      '[1,"x"]',
      "application/json; charset=utf-8",
    ]);
    const none = await server.get("/v1/jobs/1/result");
    expect([none.status, none.as(Problem).code]).toEqual([404, "not_found"]);
    const { leaseToken } = await claimed(server);
    await server.post("/v1/jobs/1/complete", { leaseToken, result: null });
    expect((await server.get("/v1/jobs/1/result")).text).toBe("null");
  });

  test("that does not exist is 404, however its id is spelt", async () => {
    const server = await startHttpServer();
    await enqueued(server, { name: "a" });
    for (const id of MISSING) {
      for (const path of ["", "/payload", "/result", "/attempts", "/logs", "/steps", "/steps/1/result"]) {
        const answer = await server.get(`/v1/jobs/${id}${path}`);
        expect([answer.status, answer.as(Problem).code], id + path).toEqual([404, "job_not_found"]);
      }
      for (const verb of ["retry", "cancel", "run-now"]) {
        expect((await server.post(`/v1/jobs/${id}/${verb}`)).as(Problem).code).toBe("job_not_found");
      }
      expect((await server.send("DELETE", `/v1/jobs/${id}`)).as(Problem).code).toBe("job_not_found");
    }
  });
});

describe("what people do to a job", () => {
  test("retry gives a dead job a fresh budget, once for a double-click", async () => {
    const server = await startHttpServer();
    const id = await dead(server, { maxAttempts: 1 });
    const retried = await server.post(`/v1/jobs/${id}/retry`);
    expect(retried.as(JobView)).toMatchObject({ id, state: "pending", attempt: 1, maxAttempts: 2 });
    expect((await server.post(`/v1/jobs/${id}/retry`)).as(JobView)).toEqual(retried.as(JobView));
    await claimed(server);
    const running = await server.post(`/v1/jobs/${id}/retry`);
    expect([running.status, running.as(Problem).code]).toEqual([409, "invalid_state"]);
  });

  test("cancel ends a job, also a running one", async () => {
    const server = await startHttpServer();
    await enqueued(server, { name: "a" });
    const { leaseToken } = await claimed(server);
    const cancelled = await server.post("/v1/jobs/1/cancel");
    expect(cancelled.as(JobView)).toMatchObject({ state: "cancelled", leaseExpiresAt: null });
    expect((await server.post("/v1/jobs/1/cancel")).status).toBe(200);
    const late = await server.post("/v1/jobs/1/complete", { leaseToken });
    expect([late.status, late.as(Problem).code]).toEqual([409, "lease_lost"]);
    const beat = await server.post("/v1/heartbeat", { workerId: "w", leases: [{ id: "1", leaseToken }] });
    expect(beat.body["results"]).toEqual([{ id: "1", ok: false, reason: "cancelled" }]);
    const finished = await dead(server);
    expect((await server.post(`/v1/jobs/${finished}/cancel`)).as(Problem).code).toBe("invalid_state");
  });

  test("run-now makes a scheduled job claimable", async () => {
    const server = await startHttpServer();
    await enqueued(server, { name: "a", delayMs: 60_000 });
    expect((await server.post("/v1/jobs/1/run-now")).as(JobView).state).toBe("pending");
    expect((await server.post("/v1/jobs/1/run-now")).status).toBe(200);
    await claimed(server);
    expect((await server.post("/v1/jobs/1/run-now")).as(Problem).code).toBe("invalid_state");
  });

  test("DELETE removes a job, a running one only by force", async () => {
    const server = await startHttpServer();
    await enqueued(server, { name: "a", idempotencyKey: "k" });
    const { leaseToken } = await claimed(server);
    for (const query of ["", "?force=false"]) {
      const refused = await server.send("DELETE", `/v1/jobs/1${query}`);
      expect(refused.as(Problem).code).toBe("invalid_state");
    }
    expect((await server.send("DELETE", "/v1/jobs/1?force=yes")).status).toBe(422);
    const deleted = await server.send("DELETE", "/v1/jobs/1?force=true");
    expect([deleted.status, deleted.text]).toEqual([204, ""]);
    expect((await server.get("/v1/jobs/1")).status).toBe(404);
    const beat = await server.post("/v1/heartbeat", { workerId: "w", leases: [{ id: "1", leaseToken }] });
    expect(beat.body["results"]).toEqual([{ id: "1", ok: false, reason: "gone" }]);
    expect((await enqueued(server, { name: "b", idempotencyKey: "k" })).id).toBe("2");
  });

  test.each(["retry", "cancel", "run-now"])("%s takes no body but an empty object", async (verb) => {
    const server = await startHttpServer();
    await enqueued(server, { name: "a", delayMs: 60_000 });
    const refused = await server.post(`/v1/jobs/1/${verb}`, { force: true });
    expect(refused.as(Problem).errors).toEqual([
      { pointer: "/force", code: "unknown_field", detail: "is not known here" },
    ]);
    expect((await server.send("POST", `/v1/jobs/1/${verb}`, { raw: "[]" })).status).toBe(422);
    expect((await server.send("POST", `/v1/jobs/1/${verb}?force=true`)).status).toBe(422);
    expect((await server.get("/v1/jobs/1")).as(JobDetailView).state).toBe("scheduled");
    expect((await server.post(`/v1/jobs/1/${verb}`, {})).status).not.toBe(422);
  });
});
