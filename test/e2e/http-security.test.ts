import { once } from "node:events";
import { METHODS } from "node:http";
import { join } from "node:path";
import { pino } from "pino";
import { describe, expect, onTestFinished, test } from "vitest";
import { Problem } from "../../src/api/problem.js";
import { createContext } from "../../src/engine/context.js";
import { openStore } from "../../src/open-store.js";
import { createServer } from "../../src/server/index.js";
import { API_TOKEN, startHttpServer } from "../support/http-server.js";
import { connectTo, exchange, happened, statusOf, untilClosed } from "../support/raw-http.js";
import { routesOf } from "../support/routes.js";
import { tempDirectory } from "../support/temp-directory.js";

const PUBLIC = ["/", "/healthz", "/openapi.json", "/readyz", "/v1/session"];

describe("the token", () => {
  test("is needed for every route but the public ones", async () => {
    const server = await startHttpServer();
    const routes = routesOf(server.server.app);
    expect(routes.length).toBeGreaterThan(150);
    expect(routes).toContainEqual({ method: "POST", url: "/v1/jobs/:id/complete" });
    const open = new Set<string>();
    for (const { method, url } of routes) {
      if (method === "QUERY") continue; // Node does not read this one yet.
      const response = await server.server.app.inject({
        method: method as "GET",
        url: url.replace(/:\w+/g, "1"),
      });
      if (response.statusCode !== 401) open.add(url);
      else expect(response.headers["www-authenticate"]).toBe('Bearer realm="konveier"');
    }
    expect([...open].sort()).toEqual(PUBLIC);
  });

  test.each([
    ["none", undefined],
    ["empty", ""],
    ["a scheme only", "Bearer"],
    ["a scheme and a space", "Bearer "],
    ["another scheme", `Basic ${Buffer.from(`:${API_TOKEN}`).toString("base64")}`],
    ["no scheme", API_TOKEN],
    ["another token", "Bearer nope"],
    ["a longer token", `Bearer ${API_TOKEN}x`],
    ["a shorter token", `Bearer ${API_TOKEN.slice(1)}`],
    ["in other letters", `Bearer ${API_TOKEN.toUpperCase()}`],
    ["two tokens", `Bearer ${API_TOKEN} ${API_TOKEN}`],
    ["a token after a comma", `Bearer x,Bearer ${API_TOKEN}`],
    ["letters beyond ASCII", "Bearer \u00ff\u00fe"],
    ["null", "Bearer null"],
  ])("is refused with one and the same answer: %s", async (_what, authorization) => {
    const server = await startHttpServer();
    const headers = authorization === undefined ? {} : { authorization };
    const answer = await server.get("/v1/jobs", { token: null, headers });
    expect(answer.status).toBe(401);
    expect(answer.headers.get("www-authenticate")).toBe('Bearer realm="konveier"');
    const { requestId, ...problem } = answer.as(Problem);
    expect(requestId).not.toBe("");
    expect(problem).toEqual({
      type: "urn:konveier:problem:unauthorized",
      title: "A valid bearer token is needed",
      status: 401,
      detail: "This needs a valid token, in the header: Authorization: Bearer <token>.",
      instance: "/v1/jobs",
      code: "unauthorized",
      retryable: false,
    });
  });

  test("may be of any letters, and its scheme in any case", async () => {
    const server = await startHttpServer({ apiToken: "пароль-🔑" });
    const authorization = `bearer  ${Buffer.from("пароль-🔑").toString("latin1")}`;
    expect((await server.get("/v1/jobs", { token: null, headers: { authorization } })).status).toBe(200);
  });

  test("is not taken from anywhere else", async () => {
    const server = await startHttpServer();
    const tries: [string, Record<string, string>][] = [
      [`/v1/jobs?token=${API_TOKEN}`, {}],
      [`/v1/jobs?access_token=${API_TOKEN}`, {}],
      ["/v1/jobs", { cookie: `token=${API_TOKEN}` }],
      ["/v1/jobs", { "x-api-key": API_TOKEN }],
      ["/v1/jobs", { "x-forwarded-for": "127.0.0.1" }],
      ["/v1/jobs", { "x-original-url": "/healthz" }],
      ["/healthz/../v1/jobs", {}],
    ];
    for (const [path, headers] of tries) {
      expect((await server.get(path, { token: null, headers })).status, path).toBe(401);
    }
    const overridden = await server.get("/v1/jobs", {
      token: null,
      headers: { "x-http-method-override": "OPTIONS" },
    });
    expect(overridden.status).toBe(401);
  });

  test.each(["", " ", "a b"])("must be one that a client can send: %j", async (apiToken) => {
    const store = await openStore(`sqlite:${join(tempDirectory(), "konveier.db")}`);
    onTestFinished(() => store.close());
    const context = createContext(store);
    await expect(createServer({ context, apiToken, logger: pino({ enabled: false }) })).rejects.toThrow(
      RangeError,
    );
  });

  test("is in no line of the log, whatever happens", async () => {
    const server = await startHttpServer();
    await server.post("/v1/jobs", { name: "a", payload: { password: "hunter2" }, idempotencyKey: "k" });
    await server.post("/v1/jobs", {
      name: "a",
      payload: { password: "hunter2" },
      idempotencyKey: "k",
      priority: 1,
    });
    await server.post("/v1/jobs", { name: "a", payload: { password: "hunter2" }, x: 1 });
    await server.get(`/v1/jobs?token=${API_TOKEN}`);
    const claim = await server.post("/v1/claim", { workerId: "w", queues: ["default"] });
    const { leaseToken } = (claim.body["jobs"] as { leaseToken: string }[])[0]!;
    await server.store.close();
    await server.post("/v1/jobs/1/complete", { leaseToken, result: "hunter2" });
    await server.get("/v1/jobs");
    await server.get("/v1/jobs", { token: "wrong-token-of-somebody" });
    const text = server.log.join("");
    expect(text).toContain('"status":503');
    for (const secret of [API_TOKEN, "hunter2", leaseToken, "wrong-token", "Bearer"]) {
      expect(text).not.toContain(secret);
    }
  });
});

describe("a crafted path", () => {
  test("below /v1 is refused alike whether it exists or not", async () => {
    const server = await startHttpServer();
    const paths = [
      "/v1",
      "/v1/",
      "/v1/nothing",
      "/v1/jobs/1/nothing",
      "/v1?x",
      "/v1;x",
      "/V1/jobs",
      "/v1/jobs",
    ];
    for (const path of paths) expect((await server.get(path, { token: null })).status, path).toBe(401);
    expect((await server.get("/v1x", { token: null })).status).toBe(404);
  });

  test.each([
    ...[
      "/v1/jobs;x",
      "/v1;x/jobs",
      "//v1/jobs",
      "/v1//jobs",
      "/v1/./jobs",
      "/./v1/jobs",
      "/healthz/../v1/jobs",
    ],
    ...[
      "/static/../v1/jobs",
      "/static/%2e%2e/v1/jobs",
      "/healthz/%2e%2e/v1/jobs",
      "/healthz%2f..%2fv1%2fjobs",
    ],
    ...[
      "/V1/jobs",
      "/v1/JOBS",
      "/v1/jobs/",
      "/v1%2fjobs",
      "/%761/jobs",
      "/v%31/jobs",
      "/\\v1\\jobs",
      "/v1\\jobs",
    ],
    ...[
      "/assets/..%2f..%2fetc/passwd",
      "/v1/jobs%00",
      "/%00",
      "/v1/jobs/%zz",
      "/%c0%ae%c0%ae/v1/jobs",
      "/v1/jobs#x",
    ],
    ...["/v1/jobs/1/../..", "/v1/unknown", "/v1", "/v1/", "/.env", "/v1/events", "http://localhost/v1/jobs"],
  ])("gets nothing without the token: %s", async (path) => {
    const server = await startHttpServer();
    await server.post("/v1/jobs", { name: "secret-name" });
    for (const method of ["GET", "POST", "OPTIONS", "TRACE"]) {
      const answer = await exchange(
        server.url,
        `${method} ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
      );
      expect([401, 404], `${method} ${path}: ${answer.slice(0, 200)}`).toContain(statusOf(answer));
      expect(answer).not.toContain("secret-name");
    }
  });

  test.each([
    ["a path without a slash", "GET \\v1\\jobs HTTP/1.1\r\nHost: x\r\n\r\n", 400],
    ["HTTP/1.0 without Host", "GET /v1/jobs HTTP/1.0\r\n\r\n", 401],
    ["an expectation", "GET /v1/jobs HTTP/1.1\r\nHost: x\r\nExpect: foo\r\nConnection: close\r\n\r\n", 401],
    ["two Hosts", "GET /v1/jobs HTTP/1.1\r\nHost: x\r\nhost: y\r\nConnection: close\r\n\r\n", 400],
    ["no Host at all", "GET /v1/jobs HTTP/1.1\r\nConnection: close\r\n\r\n", 400],
    [
      "an upgrade",
      "GET /v1/jobs HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\n\r\n",
      401,
    ],
    ["nonsense", "\0\0\0\r\n\r\n", 400],
    ["TLS", Buffer.from("16030100a5010000a10303", "hex"), 400],
    ["headers without end", `GET / HTTP/1.1\r\nHost: x\r\nX: ${"x".repeat(20_000)}\r\n\r\n`, 400],
    [
      "two lengths",
      "POST /v1/jobs HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{",
      400,
    ],
    [
      "a length and chunks",
      "POST /v1/jobs HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      400,
    ],
  ])("that is hardly HTTP is closed: %s", async (_what, bytes, status) => {
    const server = await startHttpServer();
    const answer = await exchange(server.url, bytes);
    expect(statusOf(answer)).toBe(status);
    const [head = "", body = ""] = answer.split("\r\n\r\n");
    if (status === 400) {
      expect(head).toContain("application/problem+json");
      expect(JSON.parse(body)).toMatchObject({ code: "bad_request", status: 400 });
    }
  });
});

test("a thousand requests without waiting for an answer end the connection, and the next client is served", async () => {
  const server = await startHttpServer();
  const some = "GET /v1/queues HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
  const few = await exchange(server.url, some.replace("close", "keep-alive").repeat(49) + some);
  expect(few.match(/HTTP\/1\.1 401 /g)).toHaveLength(50);
  const many = await exchange(server.url, some.replace("close", "keep-alive").repeat(1_000));
  expect(many.match(/HTTP\/1\.1 401 /g) ?? []).toHaveLength(0);
  expect((await server.get("/v1/queues")).status).toBe(200);
});

test("the last of very many headers counts", async () => {
  const server = await startHttpServer();
  await server.send("PUT", "/v1/schedules/s", { json: { everyMs: 60_000, job: { name: "a" } } });
  const headers = [...Array.from({ length: 1_100 }, (_, index) => `a${index}: 1`), 'If-Match: "v9"'].join(
    "\r\n",
  );
  const answer = await exchange(
    server.url,
    `DELETE /v1/schedules/s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${API_TOKEN}\r\nConnection: close\r\n${headers}\r\n\r\n`,
  );
  expect(statusOf(answer)).toBe(412);
});

describe("a body", () => {
  const HEAD = "POST /v1/jobs HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n";
  const AUTHORIZED = `${HEAD}Authorization: Bearer ${API_TOKEN}\r\n`;

  test("is not read without the token, and the connection ends", async () => {
    const server = await startHttpServer();
    // The body never comes: whoever waited for it would not answer.
    for (const length of ["Content-Length: 104857600", "Transfer-Encoding: chunked"]) {
      const answer = await exchange(server.url, `${HEAD}${length}\r\n\r\n`);
      expect(statusOf(answer)).toBe(401);
      expect(answer).toMatch(/connection: close/i);
    }
  });

  test("is not read for an unknown address, method or encoding", async () => {
    const server = await startHttpServer();
    const rest = "Content-Length: 1000000\r\n\r\n";
    const cases: [string, number][] = [
      [AUTHORIZED.replace("/v1/jobs", "/v1/nothing") + rest, 404],
      [AUTHORIZED.replace("/v1/jobs", "/nothing") + rest, 404],
      [AUTHORIZED.replace("POST", "PUT") + rest, 405],
      [`${AUTHORIZED}Content-Encoding: gzip\r\n${rest}`, 415],
      [`${AUTHORIZED}Content-Encoding: br\r\n${rest}`, 415],
      [`${AUTHORIZED}Content-Encoding: deflate, gzip\r\n${rest}`, 415],
      [AUTHORIZED.replace("application/json", "application/octet-stream") + rest, 415],
    ];
    for (const [bytes, status] of cases) {
      const answer = await exchange(server.url, bytes);
      expect(statusOf(answer), bytes).toBe(status);
      expect(answer).toMatch(/connection: close/i);
    }
  });

  test("that says it is too large is refused unread, and the connection ends", async () => {
    const server = await startHttpServer();
    const cases: [path: string, limit: number][] = [
      ["/v1/jobs", 1024 * 1024],
      ["/v1/jobs/batch", 8 * 1024 * 1024],
      ["/v1/jobs/1/complete", 8 * 1024 * 1024],
      ["/v1/jobs/1/fail", 1024 * 1024],
    ];
    for (const [path, limit] of cases) {
      const head = AUTHORIZED.replace("/v1/jobs", path);
      const answer = await exchange(server.url, `${head}Content-Length: ${limit + 1}\r\n\r\n`);
      expect(statusOf(answer), path).toBe(413);
      expect(answer).toContain("body_too_large");
      expect(answer).toMatch(/connection: close/i);
    }
  });

  test("that turns out too large is cut off where it does", async () => {
    const server = await startHttpServer();
    const socket = await connectTo(server.url);
    const answer = untilClosed(socket);
    let sent = 0;
    const chunk = Buffer.alloc(64 * 1024, "x");
    socket.write(`${AUTHORIZED}Transfer-Encoding: chunked\r\n\r\n`);
    while (!socket.destroyed && sent < 100 * 1024 * 1024) {
      sent += chunk.length;
      socket.write(`${chunk.length.toString(16)}\r\n`);
      socket.write(chunk);
      if (!socket.write("\r\n")) await happened(socket, "drain", "close");
    }
    // The answer may be lost when the server closes on a client that still sends; that it closes is the point.
    const text = await answer;
    if (text !== "") expect(statusOf(text)).toBe(413);
    expect(sent).toBeLessThan(50 * 1024 * 1024);
  });

  test("in small pieces is read like any other", async () => {
    const server = await startHttpServer();
    const socket = await connectTo(server.url);
    const answer = untilClosed(socket);
    socket.setNoDelay(true);
    const body = '{"name":"a","payload":"я🙂"}';
    socket.write(`${AUTHORIZED}Connection: close\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n`);
    for (const byte of Buffer.from(body)) {
      await new Promise<void>((resolve) =>
        socket.write(Buffer.from([byte]), () => {
          resolve();
        }),
      );
    }
    expect(statusOf(await answer)).toBe(201);
    expect((await server.get("/v1/jobs/1/payload")).text).toBe('"я🙂"');
  });

  test("that stops half-way is no job and no error of the server", async () => {
    const server = await startHttpServer();
    const connection = server.nextConnection();
    const socket = await connectTo(server.url);
    socket.write(`${AUTHORIZED}Content-Length: 100\r\n\r\n{"name":"a"`);
    const closed = once(await connection, "close");
    socket.destroy();
    await closed;
    expect((await server.get("/v1/jobs")).body["items"]).toEqual([]);
    expect(server.logged('"level":50')).toEqual([]);
  });

  test("with a fault leaves the connection open", async () => {
    const server = await startHttpServer();
    const socket = await connectTo(server.url);
    const body = '{"name":9007199254740993}';
    socket.write(`${AUTHORIZED}Content-Length: ${body.length}\r\n\r\n${body}`);
    const [answer] = (await once(socket, "data")) as [Buffer];
    expect(statusOf(answer.toString())).toBe(422);
    expect(answer.toString()).toMatch(/connection: keep-alive/i);
    socket.destroy();
  });
});

describe("every answer", () => {
  test("has the headers that keep browsers and caches away", async () => {
    const server = await startHttpServer();
    await server.post("/v1/jobs", { name: "a" });
    const answers = [
      await server.get("/"),
      await server.get("/healthz"),
      await server.get("/v1/jobs"),
      await server.get("/v1/jobs/1/payload"),
      await server.get("/v1/jobs", { token: null }),
      await server.get("/v1/jobs/99"),
      await server.get("/nothing"),
      await server.send("PUT", "/v1/jobs"),
      await server.post("/v1/jobs", {}),
    ];
    for (const { headers, status } of answers) {
      expect(headers.get("cache-control"), String(status)).toBe("no-store");
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("content-security-policy")).toBe(
        "default-src 'none';base-uri 'none';form-action 'none';frame-ancestors 'none'",
      );
      expect(headers.get("konveier-request-id")).toMatch(/^[\w-]{36}$/);
      expect(headers.get("strict-transport-security")).toBeNull();
      expect(headers.get("access-control-allow-origin")).toBeNull();
      expect(headers.get("x-powered-by")).toBeNull();
    }
  });

  test("repeats a harmless request id, in header, problem and log", async () => {
    const server = await startHttpServer();
    const given = async (id: string): Promise<string | null> => {
      const answer = await server.get("/v1/jobs/1", { headers: { "x-request-id": id } });
      expect(answer.as(Problem).requestId).toBe(answer.headers.get("konveier-request-id"));
      return answer.headers.get("konveier-request-id");
    };
    expect(await given("a-B_1.2")).toBe("a-B_1.2");
    expect(server.logged('"requestId":"a-B_1.2"')).toHaveLength(1);
    for (const id of ["", "a b", "a".repeat(65), '"><script>', "a\tb", "é"]) {
      expect(await given(id), id).not.toBe(id);
    }
  });

  test("405 says what the address takes", async () => {
    const server = await startHttpServer();
    const cases: [method: string, path: string, allow: string][] = [
      ["PUT", "/v1/jobs", "GET, HEAD, POST"],
      ["PATCH", "/v1/jobs/1", "DELETE, GET, HEAD"],
      ["GET", "/v1/jobs/batch", "POST"],
      ["GET", "/v1/claim", "POST"],
      ["DELETE", "/v1/queues", "GET, HEAD"],
      ["OPTIONS", "/v1/jobs", "GET, HEAD, POST"],
      ["POST", "/healthz", "GET, HEAD"],
      ["DELETE", "/", "GET, HEAD"],
    ];
    for (const [method, path, allow] of cases) {
      const answer = await server.send(method, path);
      expect([answer.status, answer.headers.get("allow")], `${method} ${path}`).toEqual([405, allow]);
      expect(answer.as(Problem).code).toBe("method_not_allowed");
    }
  });

  test("405 is that to every method that Node reads, and no page is at an asterisk", async () => {
    const server = await startHttpServer({ dashboard: true });
    const authorized = `Host: x\r\nAuthorization: Bearer ${API_TOKEN}\r\nConnection: close\r\n`;
    for (const method of METHODS) {
      if (["CONNECT", "GET", "HEAD", "POST"].includes(method)) continue;
      const text = await exchange(server.url, `${method} /v1/jobs HTTP/1.1\r\n${authorized}\r\n`);
      expect([statusOf(text), /^allow: (.*)\r$/im.exec(text)?.[1]], method).toEqual([405, "GET, HEAD, POST"]);
    }
    expect(statusOf(await exchange(server.url, `PROPFIND /nothing HTTP/1.1\r\n${authorized}\r\n`))).toBe(404);
    expect(statusOf(await exchange(server.url, `GET * HTTP/1.1\r\n${authorized}\r\n`))).toBe(404);
  });

  test("to HEAD is that to GET without the body", async () => {
    const server = await startHttpServer();
    await server.post("/v1/jobs", { name: "a", payload: 1 });
    for (const path of [
      "/",
      "/healthz",
      "/readyz",
      "/v1/jobs",
      "/v1/jobs/1",
      "/v1/jobs/1/payload",
      "/v1/workers",
    ]) {
      const head = await server.send("HEAD", path);
      const get = await server.get(path);
      expect([head.status, head.text, head.headers.get("content-length")], path).toEqual([
        200,
        "",
        get.headers.get("content-length"),
      ]);
    }
    expect((await server.send("HEAD", "/v1/jobs/99")).status).toBe(404);
  });

  test("to an unknown address is a problem", async () => {
    const server = await startHttpServer();
    for (const path of ["/v1/nothing", "/nothing", "/v1/jobs/1/nothing"]) {
      const answer = await server.get(path);
      expect([answer.status, answer.as(Problem).code, answer.as(Problem).instance]).toEqual([
        404,
        "not_found",
        path,
      ]);
    }
    expect((await server.get("/nothing", { token: null })).status).toBe(404);
  });
});

describe("the log", () => {
  test("has a line for each request, at the level of its outcome", async () => {
    const server = await startHttpServer();
    await server.post("/v1/jobs", { name: "a" });
    await server.get("/v1/jobs/99?x=secret");
    await server.store.close();
    await server.get("/v1/jobs");
    const lines = server.logged('"msg":"request"');
    expect(lines).toMatchObject([
      { level: 20, method: "POST", path: "/v1/jobs", status: 201 },
      { level: 30, method: "GET", path: "/v1/jobs/99", status: 422 },
      { level: 50, method: "GET", path: "/v1/jobs", status: 503 },
    ]);
    expect(server.log.join("")).not.toContain("secret");
  });

  test("is silent about probes", async () => {
    const server = await startHttpServer();
    await server.get("/healthz");
    await server.get("/readyz");
    expect(server.logged("request")).toEqual([]);
  });
});
