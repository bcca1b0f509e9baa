import { describe, expect, test } from "vitest";
import { EnqueuedJobView, JobDetailView } from "../../src/api/job.js";
import { Problem } from "../../src/api/problem.js";
import { QueueView } from "../../src/api/queue.js";
import { startHttpServer } from "../support/http-server.js";
import { issueToken } from "../support/tokens.js";

const UNIQUE = { key: "k" };

describe("unique jobs over HTTP", () => {
  test("the second request gets the job of the first, or is refused", async () => {
    const server = await startHttpServer();
    const first = await server.post("/v1/jobs", { name: "a", unique: UNIQUE });
    expect(first.status).toBe(201);
    const second = await server.post("/v1/jobs", { name: "a", payload: 2, unique: UNIQUE });
    expect(second.status).toBe(200);
    const { id } = first.as(EnqueuedJobView);
    expect(second.as(EnqueuedJobView)).toMatchObject({ id, deduplicated: true });
    const third = await server.post("/v1/jobs", { name: "a", unique: { ...UNIQUE, onConflict: "reject" } });
    expect(third.status).toBe(409);
    expect(third.as(Problem)).toMatchObject({ code: "unique_conflict", retryable: false });
    const detail = (await server.get(`/v1/jobs/${id}`)).as(JobDetailView);
    expect(detail).toMatchObject({
      unique: { scope: "name", key: "k" },
      cancellation: null,
      expiresAt: null,
    });
  });

  test("every fault of unique and of an expiry is told with its place", async () => {
    const server = await startHttpServer();
    const answer = await server.post("/v1/jobs/batch", {
      jobs: [
        { name: "a", unique: { key: "", scope: "x", states: [], ttlMs: 0, onConflict: "y" } },
        { name: "a", unique: { key: "k", scope: "all", onConflict: "replace" } },
        { name: "a", expiresInMs: 5, expiresAt: "2026-01-05T00:00:00Z" },
      ],
    });
    expect(answer.status).toBe(422);
    const pointers = (answer.as(Problem).errors ?? []).map(({ pointer }) => pointer);
    expect(pointers.toSorted()).toEqual([
      "/jobs/0/unique/key",
      "/jobs/0/unique/onConflict",
      "/jobs/0/unique/scope",
      "/jobs/0/unique/states",
      "/jobs/0/unique/ttlMs",
      "/jobs/1/unique/onConflict",
      "/jobs/2/expiresAt",
    ]);
  });

  test("of 100 requests at once one makes the job, and none fails", async () => {
    const server = await startHttpServer();
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => server.post("/v1/jobs", { name: "a", unique: UNIQUE })),
    );
    expect(new Set(answers.map((answer) => answer.as(EnqueuedJobView).id)).size).toBe(1);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([...Array<number>(99).fill(200), 201]);
  });
});

describe("a unique key among all jobs, and a token that covers some queues", () => {
  const unique = { key: "k", scope: "all", onConflict: "reschedule" } as const;
  const mine = { name: "a", queue: "mine", unique };

  test("neither shows nor moves the job of a queue that it does not cover", async () => {
    const server = await startHttpServer();
    const { token } = await issueToken(server, ["operator"], { queues: ["mine"] });
    const theirs = await server.post("/v1/jobs", { name: "a", queue: "theirs", delayMs: 60_000, unique });
    const { id, runAt } = theirs.as(EnqueuedJobView);
    await server.send("PUT", "/v1/schedules/old", { json: { everyMs: 60_000, job: mine } });
    const calls = [
      ["POST", "/v1/jobs", { ...mine, expiresInMs: 1 }],
      ["POST", "/v1/jobs/batch", { jobs: [{ name: "a", queue: "mine" }, mine] }],
      ["PUT", "/v1/schedules/new", { everyMs: 60_000, job: mine }],
      ["POST", "/v1/schedules/old/run", {}],
    ] as const;
    for (const [method, path, json] of calls) {
      const answer = await server.send(method, path, { token, json });
      expect(answer.body, path).toMatchObject({ status: 403, code: "queue_not_allowed" });
    }
    const job = (await server.get(`/v1/jobs/${id}`)).as(JobDetailView);
    expect(job).toMatchObject({ state: "scheduled", runAt, expiresAt: null });
    expect((await server.get("/v1/jobs")).body["items"]).toHaveLength(1);
  });

  test.each(["name", "queue"] as const)("the scope %s is theirs to use", async (scope) => {
    const server = await startHttpServer();
    const { token } = await issueToken(server, ["producer"], { queues: ["mine"] });
    const json = { ...mine, unique: { ...unique, scope } };
    expect((await server.send("POST", "/v1/jobs", { token, json })).status).toBe(201);
  });
});

describe("limits of a queue over HTTP", () => {
  test("are edited as they were read, and refuse what is too much", async () => {
    const server = await startHttpServer();
    const edited = await server.send("PATCH", "/v1/queues/default", { json: { maxLength: 1 } });
    expect(edited.as(QueueView)).toMatchObject({ maxLength: 1, onFull: "refuse", pausedAt: null });
    const stale = await server.send("PATCH", "/v1/queues/default", {
      json: { maxLength: 5 },
      headers: { "If-Match": '"v9"' },
    });
    expect(stale.status).toBe(412);
    const first = await server.post("/v1/jobs", { name: "a" });
    expect(first.status).toBe(201);
    const refused = await server.post("/v1/jobs", { name: "a" });
    expect(refused.status).toBe(409);
    expect(refused.as(Problem)).toMatchObject({ code: "queue_full", retryable: true });
    expect(refused.as(Problem).detail).toContain("Try again later");
    const tooMany = await server.post("/v1/jobs/batch", { jobs: [{ name: "a" }, { name: "a" }] });
    expect(tooMany.as(Problem).detail).toBe(
      "2 new jobs at once are more than the queue default may hold: 1.",
    );
    const dropping = await server.send("PATCH", "/v1/queues/default", { json: { onFull: "drop-oldest" } });
    expect(dropping.as(QueueView)).toMatchObject({ maxLength: 1, onFull: "drop-oldest" });
    expect((await server.post("/v1/jobs", { name: "a" })).status).toBe(201);
    const dropped = (await server.get(`/v1/jobs/${String(first.body["id"])}`)).as(JobDetailView);
    expect(dropped).toMatchObject({
      state: "cancelled",
      cancellation: { reason: "queue_full", about: null },
    });
    expect((await server.get("/v1/queues/default")).body).toMatchObject({
      maxLength: 1,
      onFull: "drop-oldest",
    });
  });

  test.each([
    [{ maxLength: -1 }],
    [{ maxLength: 1.5 }],
    [{ maxLength: "5" }],
    [{ onFull: "x" }],
    [{ max: 1 }],
  ])("%j is refused", async (body) => {
    const server = await startHttpServer();
    expect((await server.send("PATCH", "/v1/queues/default", { json: body })).status).toBe(422);
  });
});
