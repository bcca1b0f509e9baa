import { rmSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import type Database from "better-sqlite3";
import { Type } from "typebox";
import { describe, expect, test, vi } from "vitest";
import { Problem } from "../../src/api/problem.js";
import { QueueDetailView, QueueView } from "../../src/api/queue.js";
import { WorkerView } from "../../src/api/worker.js";
import { KonveierError, type ErrorCode } from "../../src/core/errors.js";
import { WORKER_TIMEOUT_MS } from "../../src/engine/worker-timeout.js";
import { FakeClock } from "../support/fake-clock.js";
import { startHttpServer } from "../support/http-server.js";
import { sqliteDatabase } from "../support/test-database.js";
import { fill, mayMount, smallDisk } from "../support/small-disk.js";

const Queues = Type.Object({ items: Type.Array(QueueView) });

describe("queues", () => {
  test("are listed with what they hold", async () => {
    const server = await startHttpServer();
    expect((await server.get("/v1/queues")).json).toEqual({ items: [] });
    await server.post("/v1/jobs/batch", {
      jobs: [{ name: "a", queue: "mail" }, { name: "a" }, { name: "a", delayMs: 60_000 }],
    });
    const { items } = (await server.get("/v1/queues")).as(Queues);
    const none = { blocked: 0, scheduled: 0, pending: 0, running: 0, completed: 0, dead: 0, cancelled: 0 };
    const noLimits = {
      concurrency: null,
      rateLimit: null,
      perKey: { concurrency: null, rateLimit: null },
      ageingMs: null,
      heldUntil: null,
    };
    expect(items).toEqual([
      {
        ...noLimits,
        name: "default",
        pausedAt: null,
        pauseReason: null,
        maxLength: null,
        onFull: "refuse",
        counts: { ...none, pending: 1, scheduled: 1 },
        oldestPendingAt: expect.any(String) as string,
        version: 0,
      },
      {
        ...noLimits,
        name: "mail",
        pausedAt: null,
        pauseReason: null,
        maxLength: null,
        onFull: "refuse",
        counts: { ...none, pending: 1 },
        oldestPendingAt: expect.any(String) as string,
        version: 0,
      },
    ]);
  });

  test("tell which of their jobs nobody handles", async () => {
    const server = await startHttpServer();
    await server.post("/v1/jobs/batch", {
      jobs: [{ name: "a" }, { name: "b" }, { name: "b", queue: "other" }],
    });
    const worker = {
      claimant: null,
      host: "h",
      pid: 1,
      concurrency: 1,
      running: 0,
      state: "active" as const,
    };
    await server.store.workers.seen({ ...worker, id: "w", queues: ["default"], names: ["a"] });
    expect((await server.get("/v1/queues/default")).as(QueueDetailView).unhandled).toEqual([
      { name: "b", pending: 1 },
    ]);
    await server.store.workers.seen({ ...worker, id: "w", queues: ["default"], names: null });
    expect((await server.get("/v1/queues/default")).as(QueueDetailView).unhandled).toEqual([]);
  });

  test("are paused with a reason, and resumed", async () => {
    const server = await startHttpServer();
    const paused = (await server.post("/v1/queues/mail/pause", { reason: "SMTP \ud800 down" })).as(QueueView);
    expect(paused).toMatchObject({ name: "mail", pauseReason: "SMTP \ufffd down" });
    expect(paused.pausedAt).not.toBeNull();
    expect((await server.get("/v1/queues/mail")).as(QueueDetailView)).toEqual({ ...paused, unhandled: [] });
    const again = (await server.post("/v1/queues/mail/pause")).as(QueueView);
    expect(again).toMatchObject({ pausedAt: paused.pausedAt, pauseReason: null });
    const long = (await server.post("/v1/queues/mail/pause", { reason: "x".repeat(9_999) })).as(QueueView);
    expect(long.pauseReason).toHaveLength(500);
    expect((await server.post("/v1/queues/mail/resume")).as(QueueView)).toMatchObject({
      pausedAt: null,
      pauseReason: null,
    });
    expect((await server.post("/v1/queues/mail/resume", {})).status).toBe(200);
  });

  test("that nobody has named are 404", async () => {
    const server = await startHttpServer();
    for (const answer of [await server.get("/v1/queues/nope"), await server.post("/v1/queues/nope/resume")]) {
      expect([answer.status, answer.as(Problem).code]).toEqual([404, "not_found"]);
    }
    expect((await server.get("/v1/queues")).json).toEqual({ items: [] });
  });

  test.each([{ reason: 5 }, { reason: null }, { reasons: "x" }])("refuse %j with a pause", async (body) => {
    const server = await startHttpServer();
    expect((await server.post("/v1/queues/mail/pause", body)).status).toBe(422);
    expect((await server.get("/v1/queues")).json).toEqual({ items: [] });
  });
});

test("workers are listed while they are seen", async () => {
  const server = await startHttpServer();
  const worker = {
    id: "w1",
    host: "Basecamp’s-Computer",
    pid: 4711,
    queues: ["default"],
    names: ["a"],
    concurrency: 10,
    running: 3,
    state: "stopping" as const,
  };
  const list = vi.spyOn(server.store.workers, "list");
  await server.store.workers.seen({ ...worker, claimant: null });
  const { items } = (await server.get("/v1/workers")).as(Type.Object({ items: Type.Array(WorkerView) }));
  expect(items).toEqual([
    { ...worker, startedAt: expect.any(String) as string, seenAt: expect.any(String) as string },
  ]);
  expect(list).toHaveBeenCalledWith(WORKER_TIMEOUT_MS);
});

describe("health", () => {
  test("needs no token and tells nothing", async () => {
    const server = await startHttpServer();
    for (const path of ["/healthz", "/readyz"]) {
      const answer = await server.get(path, { token: null });
      expect([answer.status, answer.json]).toEqual([200, { status: "ok" }]);
    }
  });

  test("asks the database once a second at the most", async () => {
    const clock = new FakeClock();
    const server = await startHttpServer({ clock });
    const check = vi.spyOn(server.store, "check");
    await Promise.all(Array.from({ length: 10 }, () => server.get("/readyz")));
    expect(check).toHaveBeenCalledTimes(1);
    await clock.advance(999);
    await server.get("/readyz");
    expect(check).toHaveBeenCalledTimes(1);
    await clock.advance(1);
    await server.get("/readyz");
    expect(check).toHaveBeenCalledTimes(2);
    await server.get("/healthz");
    expect(check).toHaveBeenCalledTimes(2);
  });

  test("writes every ten seconds while that succeeds, and at every check while it fails", async () => {
    const clock = new FakeClock();
    const server = await startHttpServer({ clock });
    const write = vi.spyOn(server.store, "checkWrite");
    const ready = async (): Promise<number> => (await server.get("/readyz")).status;
    expect(await ready()).toBe(200);
    await clock.advance(9_999);
    expect(await ready()).toBe(200);
    expect(write).toHaveBeenCalledTimes(1);

    const db = (server.store as unknown as { readonly db: Database.Database }).db;
    db.pragma("query_only = ON");
    await clock.advance(1_000);
    expect(await ready()).toBe(503);
    expect((await server.get("/v1/queues")).status).toBe(200);
    expect((await server.get("/healthz")).status).toBe(200);
    await clock.advance(1_000);
    expect(await ready()).toBe(503);
    expect(write).toHaveBeenCalledTimes(3);

    db.pragma("query_only = OFF");
    await clock.advance(1_000);
    expect(await ready()).toBe(200);
    await clock.advance(9_000);
    expect(await ready()).toBe(200);
    expect(write).toHaveBeenCalledTimes(4);
  });

  test.skipIf(!mayMount())("says when the disk is full, and when it is not any more", async () => {
    const disk = smallDisk(8);
    const clock = new FakeClock();
    const server = await startHttpServer({ clock, database: sqliteDatabase(join(disk, "konveier.db")) });
    const ready = async (): Promise<number> => {
      await clock.advance(10_000);
      return (await server.get("/readyz")).status;
    };
    expect(await ready()).toBe(200);
    // A log with room of its own, in which single rows could still be written for long.
    await server.post("/v1/jobs/batch", {
      jobs: [1, 2, 3].map(() => ({ name: "a", payload: "x".repeat(200_000) })),
    });
    const db = (server.store as unknown as { readonly db: Database.Database }).db;
    db.pragma("wal_checkpoint(PASSIVE)");
    const filler = fill(disk);
    expect(await ready()).toBe(503);
    expect((await server.get("/healthz")).status).toBe(200);
    unlinkSync(filler);
    expect(await ready()).toBe(200);
  });

  test("does not wait for a database that takes its time", async () => {
    const clock = new FakeClock();
    const server = await startHttpServer({ clock });
    let answer = (): void => undefined;
    const write = vi
      .spyOn(server.store, "checkWrite")
      .mockReturnValueOnce(new Promise<void>((resolve) => (answer = resolve)));
    const late = server.get("/readyz");
    await vi.waitFor(() => {
      expect(write).toHaveBeenCalledTimes(1);
    });
    await clock.advance(2_000);
    expect((await late).status).toBe(503);
    // It is still being asked, so nobody asks again.
    await clock.advance(2_000);
    expect((await server.get("/readyz")).status).toBe(503);
    expect(write).toHaveBeenCalledTimes(1);
    answer();
    await clock.advance(1_000);
    expect((await server.get("/readyz")).status).toBe(200);
  });

  test("says when the database is gone, and when it is back", async () => {
    const clock = new FakeClock();
    const server = await startHttpServer({ clock });
    const check = vi.spyOn(server.store, "check");
    check.mockRejectedValueOnce(new KonveierError("store_io", "/data/konveier.db: disk I/O error"));
    const down = await server.get("/readyz");
    expect([down.status, down.json]).toEqual([503, { status: "unavailable" }]);
    expect((await server.get("/healthz")).status).toBe(200);
    await clock.advance(1_000);
    expect((await server.get("/readyz")).status).toBe(200);
  });
});

describe("a database in trouble", () => {
  test.each([
    ["store_busy", 503, "1"],
    ["store_full", 507, "1"],
    ["store_read_only", 503, "1"],
    ["store_io", 503, "1"],
    ["store_missing", 503, null],
    ["store_corrupt", 503, null],
  ] satisfies [ErrorCode, number, string | null][])(
    "answers %s without a word about it",
    async (code, status, retryAfter) => {
      const server = await startHttpServer();
      const text = "/data/konveier.db: disk image is malformed (SQLITE_CORRUPT). Restore a backup.";
      vi.spyOn(server.store.jobs, "insertMany").mockRejectedValue(new KonveierError(code, text));
      const answer = await server.post("/v1/jobs", { name: "a" });
      expect([answer.status, answer.headers.get("retry-after"), answer.as(Problem).code]).toEqual([
        status,
        retryAfter,
        code,
      ]);
      expect(answer.text).not.toMatch(/konveier\.db|SQLITE|malformed|backup/);
      const [line] = server.logged("SQLITE_CORRUPT");
      expect(line).toMatchObject({ level: 50, requestId: answer.as(Problem).requestId });
    },
  );

  test("whose file was removed makes every write fail clearly", async () => {
    const server = await startHttpServer();
    await server.post("/v1/jobs", { name: "a" });
    for (const suffix of ["", "-wal", "-shm"]) rmSync(server.file + suffix, { force: true });
    const answer = await server.post("/v1/jobs", { name: "a" });
    expect([answer.status, answer.as(Problem).code]).toEqual([503, "store_missing"]);
    expect(answer.text).not.toContain(server.file);
    expect((await server.get("/readyz")).status).toBe(503);
  });

  test("and a defect are told apart", async () => {
    const server = await startHttpServer();
    vi.spyOn(server.store.queues, "list").mockRejectedValue(
      new TypeError("x is undefined at /srv/secret.js"),
    );
    const answer = await server.get("/v1/queues");
    expect([answer.status, answer.as(Problem).code, answer.as(Problem).retryable]).toEqual([
      500,
      "internal",
      false,
    ]);
    expect(answer.text).not.toContain("secret");
    expect(server.logged("secret.js")).toMatchObject([
      { level: 50, requestId: answer.as(Problem).requestId },
    ]);
  });
});

test("GET / says what this is, to anybody", async () => {
  const server = await startHttpServer();
  const answer = await server.get("/", { token: null });
  expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/plain; charset=utf-8"]);
  expect(answer.text).toContain("Konveier");
  expect(answer.text).toContain("docs/http-api.md");
});
