import { readFileSync } from "node:fs";
import { describe, expect, test, vi } from "vitest";
import { AuditPageView } from "../../src/api/audit.js";
import { ClaimView } from "../../src/api/claim.js";
import { IssuedTokenView, TokenListView, type TokenView } from "../../src/api/token.js";
import { API_TOKEN, startHttpServer, type HttpServer } from "../support/http-server.js";
import { FakeClock } from "../support/fake-clock.js";
import { StreamClient } from "../support/event-stream.js";
import { ON_POSTGRES } from "../support/test-database.js";
import { issueToken } from "../support/tokens.js";

const MINUTE = 60_000;

async function tokensOf(server: HttpServer): Promise<readonly TokenView[]> {
  return (await server.get("/v1/tokens")).as(TokenListView).items;
}

describe("a token", () => {
  // Looks into the file.
  test.skipIf(ON_POSTGRES)("is shown once, and only its digest is kept", async () => {
    const server = await startHttpServer();
    const issued = await issueToken(server, ["producer"], { queues: ["mail*"] });
    expect(issued.token).toMatch(/^kv_[a-z0-9]{8}_[A-Za-z0-9_-]{43}$/);
    expect(issued).toMatchObject({ createdBy: "root", queues: ["mail*"], expiresAt: null, revokedAt: null });
    const secret = issued.token.split("_").slice(2).join("_");
    expect(JSON.stringify(await tokensOf(server))).not.toContain(secret);
    expect(server.log.join("")).not.toContain(secret);
    await server.store.check();
    for (const suffix of ["", "-wal"]) {
      expect(readFileSync(server.file + suffix).includes(secret)).toBe(false);
    }
  });

  test("that is revoked ends its event streams, also on another server of the database", async () => {
    const server = await startHttpServer();
    const other = await startHttpServer({ database: server.database });
    const { id, token } = await issueToken(server, ["read-only"]);
    const streams = await Promise.all(
      [server, other].map(({ url }) => StreamClient.open(`${url}/v1/events`, { token })),
    );
    await server.send("DELETE", `/v1/tokens/${id}`);
    for (const stream of streams) {
      await stream.untilClosed();
      expect(stream.events).toMatchObject([{ event: "bye", data: { reason: "auth" } }]);
    }
  });

  test("works on every server of the database, until it is revoked on any of them", async () => {
    const server = await startHttpServer();
    const other = await startHttpServer({ database: server.database });
    const { id, token } = await issueToken(server, ["read-only"]);
    expect((await other.get("/v1/jobs", { token })).status).toBe(200);
    expect((await other.send("DELETE", `/v1/tokens/${id}`)).status).toBe(204);
    for (const each of [server, other]) expect((await each.get("/v1/jobs", { token })).status).toBe(401);
    expect((await tokensOf(server))[0]?.revokedAt).not.toBeNull();
  });

  test("is over when it expires", async () => {
    const server = await startHttpServer();
    const past = await server.post("/v1/tokens", {
      name: "a",
      scopes: ["worker"],
      expiresAt: "2020-01-01T00:00:00Z",
    });
    expect(past.body).toMatchObject({
      status: 422,
      errors: [{ pointer: "/expiresAt", code: "out_of_range" }],
    });
    const { id, token } = await issueToken(server, ["read-only"], { expiresAt: "2099-01-01T00:00:00Z" });
    expect((await server.get("/v1/jobs", { token })).status).toBe(200);
    await server.post(`/v1/tokens/${id}/rotate`, { overlapMs: 0 });
    expect((await server.get("/v1/jobs", { token })).status).toBe(401);
  });

  test("is replaced: the new one has its rights, the old one goes on for a while", async () => {
    const server = await startHttpServer();
    const old = await issueToken(server, ["worker"], {
      queues: ["a", "b.*"],
      expiresAt: "2099-01-01T00:00:00Z",
    });
    const path = `/v1/tokens/${old.id}/rotate`;
    const next = (await server.post(path, { overlapMs: 3_600_000 })).as(IssuedTokenView);
    const { name, scopes, queues, expiresAt } = old;
    expect(next).toMatchObject({ name, scopes, queues, expiresAt });
    const claim = { workerId: "w", queues: ["b.c"] };
    for (const token of [old.token, next.token]) {
      expect((await server.send("POST", "/v1/claim", { token, json: claim })).status).toBe(200);
    }
    await server.post(path, { overlapMs: 0 });
    expect((await server.send("POST", "/v1/claim", { token: old.token, json: claim })).status).toBe(401);
    expect((await server.send("POST", "/v1/claim", { token: next.token, json: claim })).status).toBe(200);
    expect((await server.post(path)).body).toMatchObject({ code: "token_not_found" });
  });

  test("remembers its last use, to the minute", async () => {
    const server = await startHttpServer();
    const { token } = await issueToken(server, ["read-only"]);
    expect((await tokensOf(server))[0]?.lastUsedAt).toBeNull();
    await server.get("/v1/jobs", { token });
    // No call waits for it.
    await vi.waitFor(async () => {
      expect((await tokensOf(server))[0]?.lastUsedAt).toMatch(/:00\.000Z$/);
    });
  });

  test.each([
    [{ name: "a", scopes: [] }, "/scopes"],
    [{ name: "a", scopes: ["root"] }, "/scopes/0"],
    [{ name: "", scopes: ["admin"] }, "/name"],
    [{ scopes: ["admin"] }, "/name"],
    [{ name: "a", scopes: ["admin"], queues: ["x"] }, "/queues"],
    [{ name: "a", scopes: ["worker"], queues: [] }, "/queues"],
    [{ name: "a", scopes: ["worker"], queues: ["a b"] }, "/queues/0"],
    [{ name: "a", scopes: ["worker"], queues: ["a?"] }, "/queues/0"],
    [{ name: "a", scopes: ["worker"], digest: "x" }, "/digest"],
  ])("with a fault is refused: %j", async (json, pointer) => {
    const server = await startHttpServer();
    expect((await server.post("/v1/tokens", json)).body).toMatchObject({
      status: 422,
      errors: [{ pointer }],
    });
    expect(await tokensOf(server)).toEqual([]);
  });

  test("that is unknown, misspelt, revoked or of another database gets one and the same answer", async () => {
    const server = await startHttpServer();
    const elsewhere = await startHttpServer();
    const { token: foreign } = await issueToken(elsewhere, ["admin"]);
    const revoked = await issueToken(server, ["admin"]);
    await server.send("DELETE", `/v1/tokens/${revoked.id}`);
    const good = await issueToken(server, ["admin"]);
    const answers = [];
    for (const token of [
      foreign,
      revoked.token,
      good.token.slice(0, -1),
      `${good.token}x`,
      good.id,
      "kv__",
    ]) {
      const { body } = await server.get("/v1/jobs", { token });
      answers.push(JSON.stringify({ ...body, requestId: "" }));
    }
    expect(new Set(answers).size).toBe(1);
    expect(answers[0]).toContain('"status":401');
  });
});

describe("a token that ends while its request waits", () => {
  const ends = {
    revoked: (server: HttpServer, id: string) => server.send("DELETE", `/v1/tokens/${id}`),
    rotated: (server: HttpServer, id: string) => server.post(`/v1/tokens/${id}/rotate`, { overlapMs: 0 }),
  };

  test.each([
    ["revoked", {}],
    ["revoked", { claimId: "c" }],
    ["rotated", {}],
  ] as const)("%s, is handed no job: %j", async (end, more) => {
    const server = await startHttpServer();
    const { id, token } = await issueToken(server, ["worker"]);
    const claims = vi.spyOn(server.store.claims, "claimId" in more ? "claimAs" : "claim");
    const json = { workerId: "w", queues: ["default"], waitMs: 60_000, ...more };
    const claim = server.send("POST", "/v1/claim", { token, json });
    await vi.waitUntil(() => claims.mock.calls.length > 0);
    expect((await ends[end](server, id)).status).toBeLessThan(300);
    await server.post("/v1/jobs", { name: "a" });
    expect((await claim).status).toBe(401);
    // The job is the next one's, and nobody has tried it.
    const next = { workerId: "other", queues: ["default"], waitMs: 60_000 };
    expect((await server.post("/v1/claim", next)).as(ClaimView).jobs).toMatchObject([{ attempt: 1 }]);
  });

  test("is told no result, and neither is a session that was opened with it", async () => {
    const server = await startHttpServer();
    const { id, token } = await issueToken(server, ["read-only"]);
    const signIn = await server.send("POST", "/v1/session", { token: null, json: { token } });
    const cookie = signIn.headers.get("set-cookie")?.split(";")[0] ?? "";
    await server.post("/v1/jobs", { name: "a" });
    const reads = vi.spyOn(server.store.jobs, "detail");
    const path = "/v1/jobs/1/wait?timeoutMs=60000";
    const waits = [server.get(path, { token }), server.get(path, { token: null, headers: { cookie } })];
    await vi.waitUntil(() => reads.mock.calls.length >= 4);
    await ends.revoked(server, id);
    await server.post("/v1/jobs/1/cancel");
    expect((await Promise.all(waits)).map(({ status }) => status)).toEqual([401, 401]);
  });
});

describe("a token that is limited to queues", () => {
  const limits = { queues: ["mail*"] };

  async function prepared() {
    const server = await startHttpServer();
    await server.post("/v1/jobs", { name: "secret.name", queue: "billing", payload: { pin: 1 } });
    await server.post("/v1/jobs", { name: "open.name", queue: "mail.bulk" });
    for (const queue of ["billing", "mail.bulk"]) {
      await server.send("PUT", `/v1/schedules/of-${queue}`, {
        json: { everyMs: 60_000, job: { name: "s", queue } },
      });
    }
    await server.post("/v1/claim", { workerId: "w-both", queues: ["billing", "mail.bulk"], names: ["none"] });
    const { token } = await issueToken(server, ["operator", "worker"], limits);
    return { server, token };
  }

  test("sees nothing of the others, anywhere", async () => {
    const { server, token } = await prepared();
    const paths = [
      "/v1/queues",
      "/v1/schedules",
      "/v1/workers",
      "/v1/jobs",
      "/v1/jobs?q=name:*.name",
      "/v1/stats/overview",
    ];
    for (const path of paths) {
      const answer = await server.get(path, { token });
      expect(answer.status, path).toBe(200);
      expect(answer.text, path).toContain("mail.bulk");
      expect(answer.text, path).not.toContain("billing");
    }
    const counts = ["", "?q=queue:billing", "?queue=billing", "?q=id:1", "?q=payload.pin%3D1"];
    for (const query of counts) {
      const count = (await server.get(`/v1/jobs/count${query}`, { token })).body["count"];
      expect(count, query).toBe(query === "" ? 1 : 0);
    }
  });

  test("follows only events of its queues, and none of bulk operations", async () => {
    const { server, token } = await prepared();
    const stream = await StreamClient.open(`${server.url}/v1/events`, { token });
    await server.post("/v1/queues/billing/pause");
    await server.post("/v1/jobs", { name: "a", queue: "billing" });
    const preview = await server.post("/v1/jobs/bulk/preview", { action: "cancel", q: "name:none" });
    await server.post("/v1/jobs/bulk", { previewToken: preview.body["previewToken"] });
    await server.post("/v1/jobs", { name: "a", queue: "mail.bulk" });
    await stream.until(() => stream.events.length > 0);
    expect(stream.events).toMatchObject([{ event: "job", data: { queue: "mail.bulk" } }]);
    const page = await server.get("/v1/events?after=1", { token, headers: { accept: "application/json" } });
    expect(page.text).not.toContain("billing");
  });

  test("gets the answer that there is no such thing", async () => {
    const { server, token } = await prepared();
    const calls: [string, string][] = [
      ...[
        "",
        "/payload",
        "/result",
        "/attempts",
        "/logs",
        "/steps",
        "/steps/1/result",
        "/wait?timeoutMs=0",
      ].map((part): [string, string] => ["GET", `/v1/jobs/1${part}`]),
      ...["retry", "cancel", "run-now"].map((verb): [string, string] => ["POST", `/v1/jobs/1/${verb}`]),
      ["DELETE", "/v1/jobs/1"],
      ["GET", "/v1/queues/billing"],
      ["GET", "/v1/schedules/of-billing"],
      ["GET", "/v1/schedules/of-billing/runs"],
      ["DELETE", "/v1/schedules/of-billing"],
      ...["pause", "resume", "run"].map((verb): [string, string] => [
        "POST",
        `/v1/schedules/of-billing/${verb}`,
      ]),
    ];
    for (const [method, path] of calls) {
      const real = await server.send(method, path, { token });
      const unknown = await server.send(method, path.replace("/1", "/999").replace("billing", "nowhere"), {
        token,
      });
      expect(real.status, path).toBe(404);
      const text = (answer: typeof real) => answer.body["code"];
      expect(text(real), path).toBe(text(unknown));
    }
    expect((await server.get("/v1/jobs/1")).body).toMatchObject({ state: "pending" });
    expect((await server.get("/v1/schedules/of-billing")).body).toMatchObject({ pausedAt: null });
  });

  test("cannot use them", async () => {
    const { server, token } = await prepared();
    const calls: [string, string, unknown][] = [
      ["POST", "/v1/jobs", { name: "a", queue: "billing" }],
      ["POST", "/v1/jobs", { name: "a" }],
      [
        "POST",
        "/v1/jobs/batch",
        {
          jobs: [
            { name: "a", queue: "mail" },
            { name: "a", queue: "billing" },
          ],
        },
      ],
      ["POST", "/v1/claim", { workerId: "w", queues: ["mail.bulk", "billing"] }],
      ["GET", "/v1/stats/timeseries?metric=activity", undefined],
      ["GET", "/v1/stats/timeseries?metric=run&queue=billing", undefined],
      ["PATCH", "/v1/queues/billing", { paused: true }],
      ["POST", "/v1/queues/billing/pause", {}],
      ["POST", "/v1/queues/billing/resume", {}],
      ["PUT", "/v1/schedules/new", { everyMs: 60_000, job: { name: "a", queue: "billing" } }],
      ["PUT", "/v1/schedules/of-billing", { everyMs: 60_000, job: { name: "a", queue: "mail" } }],
    ];
    for (const [method, path, json] of calls) {
      const answer = await server.send(method, path, { token, json });
      expect(answer.body, path).toMatchObject({ status: 403, code: "queue_not_allowed" });
    }
    expect((await server.get("/v1/jobs")).body["items"]).toHaveLength(2);
  });

  test("gets no jobs that another claimed under the same names", async () => {
    const { server, token } = await prepared();
    const names = { workerId: "w", claimId: "c", max: 5 };
    await server.post("/v1/claim", { ...names, queues: ["billing"] });
    const mine = { ...names, queues: ["mail.bulk"] };
    const { jobs } = (await server.send("POST", "/v1/claim", { token, json: mine })).as(ClaimView);
    expect(jobs.map(({ queue }) => queue)).toEqual(["mail.bulk"]);
    const again = (await server.send("POST", "/v1/claim", { token, json: mine })).as(ClaimView);
    expect(again.jobs).toEqual(jobs);
    const other = await server.send("POST", "/v1/claim", { token, json: { ...names, queues: ["mail"] } });
    expect(other.as(ClaimView).jobs).toEqual([]);
  });

  test("says nothing for the worker of another token, whatever it calls itself", async () => {
    const { server, token } = await prepared();
    const own = { workerId: "w-both", queues: ["mail.bulk"], names: ["nothing"], max: 9 };
    const leases = [{ id: "1", leaseToken: "x" }];
    const { items: before } = (await server.get("/v1/workers")).json as { items: object[] };
    expect(before).toHaveLength(1);
    await server.send("POST", "/v1/claim", { token, json: own });
    await server.send("POST", "/v1/heartbeat", { token, json: { workerId: "w-both", leases } });
    const ofItsOwn = { id: "w-both", queues: ["mail.bulk"], names: ["nothing"], concurrency: 9 };
    await vi.waitFor(async () => {
      const { items } = (await server.get("/v1/workers")).json as { items: object[] };
      expect(items).toHaveLength(2);
      // The list does not say by which token, so the order is not known.
      expect(items).toEqual(expect.arrayContaining([before[0], expect.objectContaining(ofItsOwn)]));
    });
    const queue = (await server.get("/v1/queues/billing")).body;
    expect(queue["unhandled"]).toEqual([{ name: "secret.name", pending: 1 }]);
  });

  test("cannot take over a claim of another token, nor end its waiting", async () => {
    const { server, token } = await prepared();
    const body = { workerId: "w", claimId: "c", queues: ["mail.bulk"] };
    const first = (await server.post("/v1/claim", body)).as(ClaimView).jobs;
    expect(first).toHaveLength(1);
    const mine = async () =>
      (await server.send("POST", "/v1/claim", { token, json: body })).as(ClaimView).jobs;
    expect(await mine()).toEqual([]);
    await server.post("/v1/jobs", { name: "open.name", queue: "mail.bulk" });
    const [job] = await mine();
    expect(job?.id).not.toBe(first[0]?.id);
    expect(await mine()).toEqual([job]);
    expect((await server.post("/v1/claim", body)).as(ClaimView).jobs).toEqual(first);
  });

  test("can use its own", async () => {
    const { server, token } = await prepared();
    const send = (method: string, path: string, json: unknown) => server.send(method, path, { token, json });
    expect((await send("POST", "/v1/jobs", { name: "a", queue: "mail" })).status).toBe(201);
    const { jobs } = (
      await send("POST", "/v1/claim", { workerId: "w", queues: ["mail", "mail.bulk"], max: 5 })
    ).as(ClaimView);
    expect(jobs).toHaveLength(2);
    for (const { id, leaseToken } of jobs) {
      expect((await send("POST", `/v1/jobs/${id}/complete`, { leaseToken })).status).toBe(200);
      expect((await server.get(`/v1/jobs/${id}`, { token })).status).toBe(200);
    }
    expect((await send("PATCH", "/v1/queues/mail", { paused: true })).status).toBe(200);
    const schedule = { everyMs: 60_000, job: { name: "a", queue: "mail" } };
    expect((await send("PUT", "/v1/schedules/mine", schedule)).status).toBe(201);
    expect((await send("PUT", "/v1/schedules/mine", { ...schedule, everyMs: 120_000 })).status).toBe(200);
  });
});

describe("a browser's session", () => {
  async function signIn(server: HttpServer, token: string, headers: Record<string, string> = {}) {
    const answer = await server.send("POST", "/v1/session", { token: null, json: { token }, headers });
    return { answer, cookie: answer.headers.get("set-cookie")?.split(";")[0] ?? "" };
  }

  // Looks into the file.
  test.skipIf(ON_POSTGRES)("is a cookie that no script can read, and is different each time", async () => {
    const server = await startHttpServer();
    const { answer, cookie } = await signIn(server, API_TOKEN);
    expect(answer.status).toBe(204);
    expect(answer.headers.get("set-cookie")).toMatch(
      /^konveier_session=[A-Za-z0-9_-]{43}; Path=\/; HttpOnly; SameSite=Strict$/,
    );
    expect((await server.get("/v1/jobs", { token: null, headers: { cookie } })).status).toBe(200);
    expect((await signIn(server, API_TOKEN)).cookie).not.toBe(cookie);
    const id = cookie.split("=")[1] ?? "";
    expect(readFileSync(`${server.file}-wal`).includes(id)).toBe(false);
    expect(server.log.join("")).not.toContain(id);
  });

  test("needs a right token", async () => {
    const server = await startHttpServer();
    const { answer, cookie } = await signIn(server, "wrong");
    expect(answer.status).toBe(401);
    expect(cookie).toBe("");
  });

  test.each([
    ["from a page of this server", { "sec-fetch-site": "same-origin" }, 201],
    ["from a page of this server over plain HTTP", { origin: "SELF" }, 201],
    ["from another site", { "sec-fetch-site": "cross-site", origin: "SELF" }, 403],
    ["from a neighbour under the same domain", { "sec-fetch-site": "same-site" }, 403],
    ["typed into the address bar", { "sec-fetch-site": "none" }, 403],
    ["from another origin over plain HTTP", { origin: "http://evil.example" }, 403],
    ["from a sandboxed frame", { origin: "null" }, 403],
    ["from another port of this host", { origin: "http://127.0.0.1:1" }, 403],
    ["with no word about where it is from", {}, 403],
  ])("may change something %s, or not", async (_where, given: Record<string, string>, status) => {
    const server = await startHttpServer();
    const { cookie } = await signIn(server, API_TOKEN);
    const headers = { ...given, ...(given["origin"] === "SELF" && { origin: server.url }), cookie };
    const call = { token: null, headers, json: { name: "a" } };
    const answer = await server.send("POST", "/v1/jobs", call);
    expect(answer.status).toBe(status);
    if (status === 403) expect(answer.body["code"]).toBe("cross_site");
    // Looking changes nothing.
    expect((await server.get("/v1/jobs", { token: null, headers })).status).toBe(200);
    // With a bearer token it does not matter where the call is from.
    expect((await server.send("POST", "/v1/jobs", { headers, json: { name: "a" } })).status).toBe(201);
  });

  test("cannot be opened or ended by another site", async () => {
    const server = await startHttpServer();
    const foreign = { "sec-fetch-site": "cross-site" };
    expect((await signIn(server, API_TOKEN, foreign)).answer.body["code"]).toBe("cross_site");
    const { cookie } = await signIn(server, API_TOKEN, { "sec-fetch-site": "same-origin" });
    const out = (headers: Record<string, string>) =>
      server.send("DELETE", "/v1/session", { token: null, headers: { cookie, ...headers } });
    expect((await out(foreign)).status).toBe(403);
    expect((await server.get("/v1/jobs", { token: null, headers: { cookie } })).status).toBe(200);
    const answer = await out({});
    expect(answer.status).toBe(204);
    expect(answer.headers.get("set-cookie")).toContain("Max-Age=0");
    expect((await server.get("/v1/jobs", { token: null, headers: { cookie } })).status).toBe(401);
  });

  test("ends with its token", async () => {
    const server = await startHttpServer();
    const { id, token } = await issueToken(server, ["read-only"]);
    const { cookie } = await signIn(server, token);
    expect((await server.get("/v1/jobs", { token: null, headers: { cookie } })).status).toBe(200);
    await server.send("DELETE", `/v1/tokens/${id}`);
    expect((await server.get("/v1/jobs", { token: null, headers: { cookie } })).status).toBe(401);
  });

  test("ends when the server's own token is another one", async () => {
    const server = await startHttpServer();
    const { cookie } = await signIn(server, API_TOKEN);
    const other = await startHttpServer({ database: server.database, apiToken: "a-new-one" });
    expect((await other.get("/v1/jobs", { token: null, headers: { cookie } })).status).toBe(401);
  });

  test("does not count when a bearer token is there, even a wrong one", async () => {
    const server = await startHttpServer();
    const { cookie } = await signIn(server, API_TOKEN);
    expect((await server.get("/v1/jobs", { token: "wrong", headers: { cookie } })).status).toBe(401);
  });
});

describe("wrong tokens", () => {
  test("at the login are stopped after five in a minute, and a right one too until it is over", async () => {
    const clock = new FakeClock();
    const server = await startHttpServer({ clock });
    const login = (token: string) => server.send("POST", "/v1/session", { token: null, json: { token } });
    for (let failed = 0; failed < 5; failed += 1) expect((await login("wrong")).status).toBe(401);
    const refused = await login(API_TOKEN);
    expect(refused.body).toMatchObject({ status: 429, code: "too_many_failures", retryable: true });
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await server.get("/v1/jobs")).status).toBe(200);
    await clock.advance(MINUTE);
    expect((await login(API_TOKEN)).status).toBe(204);
  });

  test("anywhere are stopped after thirty; a client that was known before goes on", async () => {
    const clock = new FakeClock();
    const server = await startHttpServer({ clock });
    const { token } = await issueToken(server, ["read-only"]);
    for (let failed = 0; failed < 30; failed += 1) {
      expect((await server.get("/v1/jobs", { token: `wrong-${failed}` })).status).toBe(401);
    }
    expect((await server.get("/v1/jobs", { token: "wrong" })).status).toBe(429);
    // It was never used from here, so this may be a guess that was right.
    expect((await server.get("/v1/jobs", { token })).status).toBe(429);
    expect((await server.get("/v1/jobs")).status).toBe(200);
    await clock.advance(MINUTE);
    expect((await server.get("/v1/jobs", { token })).status).toBe(200);
  });

  test("are not counted for who sends none", async () => {
    const server = await startHttpServer();
    for (let call = 0; call < 40; call += 1) {
      expect((await server.get("/v1/jobs", { token: null })).status).toBe(401);
    }
  });
});

describe("the audit log", () => {
  async function entriesOf(server: HttpServer) {
    return (await server.get("/v1/audit")).as(AuditPageView).items;
  }

  test("has who changed what, newest first", async () => {
    const server = await startHttpServer();
    const { id: tokenId, token } = await issueToken(server, ["operator"]);
    await server.post("/v1/jobs", { name: "a" });
    await server.send("POST", "/v1/jobs/1/cancel", { token, headers: { "x-request-id": "my-call" } });
    await server.send("POST", "/v1/jobs/77/cancel", { token });
    await server.send("POST", "/v1/queues/q/pause", { token, json: { reason: "why" } });
    await server.send("POST", "/v1/tokens", { token, json: { name: "a", scopes: ["admin"] } });
    const of = { at: "", ip: "", requestId: "" };
    // The end of a call is written down after its answer.
    await vi.waitFor(async () => {
      expect((await entriesOf(server))[0]?.status).toBe(403);
    });
    const entries = (await entriesOf(server)).map((entry) => ({ ...entry, ...of }));
    const by = { ...of, tokenId, tokenName: "operator", session: false };
    expect(entries).toEqual([
      { ...by, action: "createToken", target: null, detail: null, status: 403 },
      { ...by, action: "pauseQueue", target: "q", detail: "why", status: 200 },
      { ...by, action: "cancelJob", target: "77", detail: null, status: 404 },
      { ...by, action: "cancelJob", target: "1", detail: null, status: 200 },
      {
        ...of,
        tokenId: "root",
        tokenName: "root",
        session: false,
        action: "createToken",
        target: null,
        detail: "operator: operator",
        status: 201,
      },
    ]);
    expect((await entriesOf(server))[3]).toMatchObject({ requestId: "my-call", ip: "127.0.0.1" });
  });

  test("pages", async () => {
    const server = await startHttpServer();
    for (let call = 0; call < 5; call += 1) await server.post(`/v1/queues/q${call}/pause`);
    const first = (await server.get("/v1/audit?limit=3")).as(AuditPageView);
    const rest = (await server.get(`/v1/audit?limit=3&cursor=${first.nextCursor ?? ""}`)).as(AuditPageView);
    expect([...first.items, ...rest.items].map(({ target }) => target)).toEqual([
      "q4",
      "q3",
      "q2",
      "q1",
      "q0",
    ]);
    expect(rest.nextCursor).toBeNull();
  });

  test("has sign-ins, and what was done with the session", async () => {
    const server = await startHttpServer();
    const login = await server.send("POST", "/v1/session", { token: null, json: { token: API_TOKEN } });
    const headers = {
      cookie: login.headers.get("set-cookie")?.split(";")[0] ?? "",
      "sec-fetch-site": "same-origin",
    };
    await server.send("POST", "/v1/queues/q/pause", { token: null, headers });
    expect(await entriesOf(server)).toMatchObject([
      { action: "pauseQueue", session: true, tokenId: "root" },
      { action: "signIn", session: false, tokenId: "root", status: 204 },
    ]);
  });

  test("has an entry before anything is changed: where it cannot be written, nothing is", async () => {
    const server = await startHttpServer();
    await server.post("/v1/jobs", { name: "a" });
    const begin = server.store.audit.begin.bind(server.store.audit);
    Object.assign(server.store.audit, { begin: () => Promise.reject(new Error("no room")) });
    expect((await server.post("/v1/jobs/1/cancel")).status).toBe(500);
    expect((await server.get("/v1/jobs/1")).body).toMatchObject({ state: "pending" });
    Object.assign(server.store.audit, { begin });
  });

  test("has no payloads, no tokens, and nothing of the daily work", async () => {
    const server = await startHttpServer();
    const { token } = await issueToken(server, ["worker"]);
    await server.post("/v1/jobs", { name: "a", payload: "my-secret" });
    await server.send("POST", "/v1/claim", { token, json: { workerId: "w", queues: ["default"] } });
    await server.send("PUT", "/v1/schedules/s", {
      json: { cron: "@daily", job: { name: "a", payload: "my-secret" } },
    });
    const text = JSON.stringify(await entriesOf(server));
    expect(text).not.toContain("my-secret");
    expect(text).not.toContain(token);
    expect(text).not.toMatch(/enqueueJob|claimJobs/);
  });
});

describe("an edit", () => {
  test("of a queue happens only as it was read", async () => {
    const server = await startHttpServer();
    await server.post("/v1/jobs", { name: "a" });
    const read = await server.get("/v1/queues/default");
    const tag = read.headers.get("etag") ?? "";
    expect(tag).toBe('"v0"');
    const patch = (paused: boolean, ifMatch: string) =>
      server.send("PATCH", "/v1/queues/default", { json: { paused }, headers: { "if-match": ifMatch } });
    const first = await patch(true, tag);
    expect(first.status).toBe(200);
    const stale = await patch(false, tag);
    expect(stale.body).toMatchObject({ status: 412, code: "etag_mismatch" });
    expect((await server.get("/v1/queues/default")).body).toMatchObject({
      pausedAt: expect.any(String) as string,
    });
    expect((await patch(false, first.headers.get("etag") ?? "")).status).toBe(200);
    expect((await patch(true, "*")).status).toBe(200);
    expect((await patch(true, '"nonsense"')).status).toBe(412);
  });

  test("of a schedule happens only as it was read, and only one of many at once does", async () => {
    const server = await startHttpServer();
    const put = (everyMs: number, headers: Record<string, string>) =>
      server.send("PUT", "/v1/schedules/s", { json: { everyMs, job: { name: "a" } }, headers });
    expect((await put(60_000, { "if-match": '"v7"' })).status).toBe(412);
    const made = await put(60_000, { "if-none-match": "*" });
    expect(made.status).toBe(201);
    expect((await put(61_000, { "if-none-match": "*" })).status).toBe(412);
    const tag = made.headers.get("etag") ?? "";
    const race = await Promise.all([2, 3, 4, 5, 6].map((n) => put(n * 60_000, { "if-match": tag })));
    expect(race.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412, 412]);
    const remove = (ifMatch: string) =>
      server.send("DELETE", "/v1/schedules/s", { headers: { "if-match": ifMatch } });
    expect((await remove(tag)).status).toBe(412);
    expect((await remove(`W/${tag}`)).status).toBe(412);
    const current = (await server.get("/v1/schedules/s")).headers.get("etag") ?? "";
    // As a proxy that compresses hands it on.
    expect((await remove(`W/${current}`)).status).toBe(204);
  });
});
