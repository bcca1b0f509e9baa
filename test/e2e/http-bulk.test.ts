import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { BulkPreviewView, OperationPageView, OperationView } from "../../src/api/operation.js";
import { Background } from "../../src/engine/loops/background.js";
import { startHttpServer, type HttpServer } from "../support/http-server.js";
import { ON_POSTGRES } from "../support/test-database.js";
import { startServer } from "../support/server-process.js";
import { tempDirectory } from "../support/temp-directory.js";
import { issueToken } from "../support/tokens.js";

async function preview(server: HttpServer, json: object, token?: string) {
  const answer = await server.send("POST", "/v1/jobs/bulk/preview", { json, ...(token && { token }) });
  return answer.as(BulkPreviewView);
}

function startBackground(server: HttpServer): void {
  const background = new Background(server.context);
  background.start();
  onTestFinished(() => background.stop());
}

async function until<Value>(ask: () => Promise<Value>, holds: (value: Value) => boolean): Promise<Value> {
  for (;;) {
    const value = await ask();
    if (holds(value)) return value;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe("a bulk operation over HTTP", () => {
  test("is of those jobs that its filter means when it is read again", async () => {
    const server = await startHttpServer();
    await server.post("/v1/jobs/batch", {
      jobs: [{ name: "a" }, { name: "a", queue: "q" }, { name: "a", queue: "q", delayMs: 60_000 }],
    });
    await server.post("/v1/jobs/1/cancel");
    const { token } = await issueToken(server, ["operator"], { queues: ["q", "r*"] });
    for (const [action, q, means] of [
      ["cancel", "state:scheduled", "state:scheduled"],
      ["delete", "state:cancelled", "state:cancelled"],
      ["cancel", "-state:pending", "state:blocked,scheduled,running"],
      ["retry", "state:pending", "state:dead,cancelled -state:dead,cancelled"],
    ] as const) {
      const seen = await preview(server, { action, q });
      expect([seen.q, seen.queues]).toEqual([means, null]);
      const again = await preview(server, { action, q: seen.q });
      const count = await server.get(`/v1/jobs/count?q=${encodeURIComponent(seen.q)}`);
      expect([q, again.q, again.matched, count.body["count"]]).toEqual([
        q,
        means,
        seen.matched,
        seen.matched,
      ]);
    }
    const own = await preview(server, { action: "cancel", q: "name:a" }, token);
    expect([own.matched, own.queues]).toEqual([2, ["q", "r*"]]);
    const json = { previewToken: own.previewToken };
    const started = (await server.send("POST", "/v1/jobs/bulk", { json, token })).as(OperationView);
    expect(started.queues).toEqual(["q", "r*"]);
    const audit = (await server.get("/v1/audit?limit=1")).json as { items: { detail: string }[] };
    expect(audit.items[0]?.detail).toBe(`cancel · ${own.q} · queues of the token: q,r*`);
  });

  test("is started by one text only", async () => {
    const server = await startHttpServer();
    await server.post("/v1/jobs", { name: "a" });
    const { previewToken } = await preview(server, { action: "cancel", q: 'tag:"\uFFFD","a"' });
    const bytes = Buffer.from(previewToken, "base64url");
    // A broken character reads as U+FFFD too.
    const broken = Buffer.from(bytes.toString("latin1").replace("\u00EF\u00BF\u00BD", "\u00FF"), "latin1");
    expect(broken.toString()).toBe(bytes.toString());
    for (const text of [
      `${previewToken}=`,
      `${previewToken}==`,
      `${previewToken} `,
      `${previewToken}!`,
      `${previewToken}.x`,
      `\n${previewToken}`,
      bytes.toString("base64"),
      broken.toString("base64url"),
    ]) {
      if (text === previewToken) continue;
      expect([text, (await server.post("/v1/jobs/bulk", { previewToken: text })).status]).toEqual([
        text,
        409,
      ]);
    }
    expect((await server.post("/v1/jobs/bulk", { previewToken })).status).toBe(202);
    expect((await server.post("/v1/jobs/bulk", { previewToken })).status).toBe(200);
    expect((await server.get("/v1/operations")).as(OperationPageView).items).toHaveLength(1);
  });

  test("is previewed, started, and comes to its end", async () => {
    const server = await startHttpServer();
    await server.post("/v1/jobs/batch", {
      jobs: [{ name: "a.x" }, { name: "b" }, { name: "a.y", delayMs: 60_000 }],
    });
    const seen = await preview(server, { action: "cancel", q: "name:a.*" });
    expect(seen).toMatchObject({ action: "cancel", matched: 2, capped: false });
    expect(seen.q).toBe("name:a.* state:blocked,scheduled,pending,running");
    expect(seen.samples.map(({ id }) => id)).toEqual(["3", "1"]);
    expect((await server.get("/v1/jobs/count?q=state:cancelled")).body["count"]).toBe(0);

    const started = await server.post("/v1/jobs/bulk", { previewToken: seen.previewToken, reason: "a test" });
    expect(started.status).toBe(202);
    const { id } = started.as(OperationView);
    expect(started.headers.get("location")).toBe(`/v1/operations/${id}`);
    const again = await server.post("/v1/jobs/bulk", { previewToken: seen.previewToken });
    expect([again.status, again.body["id"]]).toEqual([200, id]);

    startBackground(server);
    const over = await until(
      async () => (await server.get(`/v1/operations/${id}`)).as(OperationView),
      ({ state }) => state !== "running",
    );
    expect(over).toMatchObject({
      state: "completed",
      matched: 2,
      changed: 2,
      reason: "a test",
      createdBy: "root",
    });
    expect((await server.get("/v1/jobs/count?q=state:cancelled")).body["count"]).toBe(2);
    expect((await server.get("/v1/operations")).as(OperationPageView).items).toEqual([over]);
    expect((await server.get("/v1/audit")).text).toContain("cancel · name:a.*");
  });

  test("of ticked jobs takes their ids", async () => {
    const server = await startHttpServer();
    await server.post("/v1/jobs/batch", { jobs: [{ name: "a" }, { name: "b" }, { name: "c" }] });
    const seen = await preview(server, { action: "delete", ids: ["1", "3", "99"] });
    expect(seen.samples.map(({ id }) => id)).toEqual(["3", "1"]);
  });

  test("takes no ids that are none", async () => {
    const server = await startHttpServer();
    const ids = ["x y", "1", "01", "", "9007199254740992"];
    const answer = await server.post("/v1/jobs/bulk/preview", { action: "cancel", ids });
    const faultOf = (index: number) => ({ pointer: `/ids/${index}`, code: "invalid_id" });
    expect(answer.body).toMatchObject({ status: 422, errors: [0, 2, 3, 4].map(faultOf) });
  });

  test.each([
    [{ action: "cancel" }, "validation_failed"],
    [{ action: "cancel", q: "" }, "validation_failed"],
    [{ action: "cancel", q: "  " }, "validation_failed"],
    [{ action: "cancel", q: "name:a", ids: ["1"] }, "validation_failed"],
    [{ action: "cancel", ids: [] }, "validation_failed"],
    [{ action: "purge", q: "name:a" }, "validation_failed"],
    [{ action: "cancel", q: "nmae:a" }, "bad_filter"],
    [{ action: "cancel", q: "name:a OR name:b" }, "bad_filter"],
  ])("with a fault is refused: %j", async (json, code) => {
    const server = await startHttpServer();
    expect((await server.post("/v1/jobs/bulk/preview", json)).body["code"]).toBe(code);
  });

  test("starts only from a preview that this server gave to this very token", async () => {
    const server = await startHttpServer();
    await server.post("/v1/jobs", { name: "a" });
    const { token } = await issueToken(server, ["operator"]);
    const seen = await preview(server, { action: "cancel", q: "name:a" });
    const start = (previewToken: string, by?: string) =>
      server.send("POST", "/v1/jobs/bulk", { json: { previewToken }, ...(by && { token: by }) });
    const decoded = Buffer.from(seen.previewToken, "base64url").toString();
    const forged = Buffer.from(decoded.replace('"cancel"', '"delete"')).toString("base64url");
    for (const text of ["", "x", forged, `${seen.previewToken}AA`]) {
      expect((await start(text)).body["code"]).toBe("preview_expired");
    }
    expect((await start(seen.previewToken, token)).body["code"]).toBe("preview_expired");
    expect((await server.get("/v1/operations")).body["items"]).toEqual([]);
  });

  test("may delete only for an admin", async () => {
    const server = await startHttpServer();
    await server.post("/v1/jobs", { name: "a" });
    const { token } = await issueToken(server, ["operator"]);
    const { previewToken } = await preview(server, { action: "delete", q: "name:a" }, token);
    const answer = await server.send("POST", "/v1/jobs/bulk", { json: { previewToken }, token });
    expect(answer.body).toMatchObject({ status: 403, code: "forbidden" });
    expect((await server.get("/v1/jobs/1")).status).toBe(200);
  });

  test("of a token that covers some queues stays within them, and is its own", async () => {
    const server = await startHttpServer();
    await server.post("/v1/jobs/batch", {
      jobs: [
        { name: "a", queue: "mail" },
        { name: "a", queue: "bill" },
      ],
    });
    const mail = await issueToken(server, ["operator"], { queues: ["mail"] });
    const bill = await issueToken(server, ["operator"], { queues: ["bill"] });
    const seen = await preview(server, { action: "cancel", q: "name:a" }, mail.token);
    expect(seen).toMatchObject({ matched: 1, samples: [{ queue: "mail" }] });
    const started = await server.send("POST", "/v1/jobs/bulk", {
      json: { previewToken: seen.previewToken },
      token: mail.token,
    });
    const path = `/v1/operations/${started.as(OperationView).id}`;
    startBackground(server);
    await until(
      async () => (await server.get(path, { token: mail.token })).body["state"],
      (state) => state === "completed",
    );
    expect((await server.get("/v1/jobs/2")).body["state"]).toBe("pending");
    expect((await server.get(path, { token: bill.token })).status).toBe(404);
    expect((await server.send("POST", `${path}/cancel`, { token: bill.token })).status).toBe(404);
    expect((await server.get("/v1/operations", { token: bill.token })).body["items"]).toEqual([]);
    expect((await server.get("/v1/operations")).body["items"]).toHaveLength(1);
  });

  // On a file in any case.
  test.skipIf(ON_POSTGRES)("goes on where it was when the server is killed in the middle", async () => {
    const directory = tempDirectory();
    const settings = { cwd: directory, env: { DATABASE_URL: `sqlite:${join(directory, "k.db")}` } };
    const jobs = Array.from({ length: 500 }, () => ({ name: "a", queue: "idle" }));
    let server = await startServer(settings);
    for (let batch = 0; batch < 4; batch += 1) await server.post("/v1/jobs/batch", { jobs });
    const seen = await server.post<{ previewToken: string }>("/v1/jobs/bulk/preview", {
      action: "cancel",
      q: "queue:idle",
    });
    const started = await server.post<{ id: string }>("/v1/jobs/bulk", {
      previewToken: seen.body.previewToken,
      perSecond: 1_000,
    });
    const path = `/v1/operations/${started.body.id}`;
    const ask = async () => (await server.get<{ state: string; changed: number }>(path)).body;
    for (let kills = 1; kills <= 3; kills += 1) {
      await until(ask, ({ changed }) => changed >= kills * 300);
      server.kill("SIGKILL");
      await server.exited;
      server = await startServer(settings);
    }
    expect(await until(ask, ({ state }) => state !== "running")).toMatchObject({
      state: "completed",
      changed: 2_000,
    });
    const { body } = await server.get<{ counts: object }>("/v1/queues/idle");
    expect(body.counts).toMatchObject({ pending: 0, cancelled: 2_000 });
  });
});
