import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, test, vi } from "vitest";
import { API_TOKEN, startHttpServer, type HttpServer } from "../support/http-server.js";
import { connectTo, exchange, happened, untilClosed } from "../support/raw-http.js";

function call(method: string, path: string, body?: unknown, ...headers: readonly string[]): string {
  const text = body === undefined ? "" : JSON.stringify(body);
  const all = [
    `${method} ${path} HTTP/1.1`,
    "Host: x",
    `Authorization: Bearer ${API_TOKEN}`,
    ...(text === "" ? [] : ["Content-Type: application/json", `Content-Length: ${text.length}`]),
    ...headers,
  ];
  return `${all.join("\r\n")}\r\n\r\n${text}`;
}

function statusesOf(answer: string): number[] {
  return [...answer.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
}

function job(queue: string): string {
  return call("POST", "/v1/jobs", { name: "a", queue });
}

function waitingClaim(waitMs: number): string {
  return call("POST", "/v1/claim", { workerId: "w", queues: ["claimed"], waitMs });
}

async function untilWaiting(server: HttpServer): Promise<void> {
  await vi.waitFor(async () => {
    expect((await server.get("/metrics")).text).toContain("konveier_claim_waiters 1");
  });
}

/** How often a method is called from now on. */
function count<Name extends string>(object: Record<Name, unknown>, name: Name): () => number {
  const original = (object[name] as (...args: unknown[]) => unknown).bind(object);
  let calls = 0;
  Object.assign(object, {
    [name]: (...args: unknown[]) => {
      calls += 1;
      return original(...args);
    },
  });
  return () => calls;
}

describe("requests that are sent ahead of their answers", () => {
  test("are worked on one after another, and answered in order", async () => {
    const server = await startHttpServer();
    const client = await connectTo(server.url);
    const answer = untilClosed(client);
    client.write(
      waitingClaim(30_000) + job("behind") + call("GET", "/nothing", undefined, "Connection: close"),
    );
    await untilWaiting(server);
    expect(await server.store.queues.get("behind")).toBeNull();
    await server.post("/v1/jobs", { name: "a", queue: "claimed" });
    expect(statusesOf(await answer)).toEqual([200, 201, 404]);
    expect(await server.store.queues.get("behind")).not.toBeNull();
  });

  test("are not begun while nobody reads the answers before", async () => {
    const server = await startHttpServer();
    await server.post("/v1/jobs", { name: "a", payload: "x".repeat(250_000) });
    const begun = count(server.store.jobs as unknown as Record<"payload", unknown>, "payload");
    const clients = await Promise.all(Array.from({ length: 4 }, () => connectTo(server.url)));
    for (const client of clients) {
      client.pause();
      client.write(call("GET", "/v1/jobs/1/payload").repeat(64));
    }
    let before = 0;
    await vi.waitFor(
      async () => {
        before = begun();
        await pause(300);
        expect(begun()).toBe(before);
      },
      { timeout: 5_000 },
    );
    expect(before).toBeLessThan(4 * 50);
    const [client] = clients;
    let got = 0;
    client?.on("data", (bytes: Buffer) => (got += bytes.length)).resume();
    await vi.waitFor(() => {
      expect(got).toBeGreaterThan(64 * 250_000);
    });
    for (const each of clients) each.destroy();
  });
});

describe("what is no request", () => {
  const JUNK = "XX\r\n\r\n";

  test("behind requests lets them be answered, and then ends the connection without a word", async () => {
    const server = await startHttpServer();
    expect(statusesOf(await exchange(server.url, Array(10).fill(job("q")).join("") + JUNK))).toEqual(
      Array(10).fill(201),
    );
    expect(statusesOf(await exchange(server.url, `${job("q")}  `))).toEqual([201]);
    expect((await server.store.queues.get("q"))?.counts.pending).toBe(11);
  });

  test.each([
    ["nonsense", JUNK, []],
    ["too large headers", `GET / HTTP/1.1\r\nX: ${"x".repeat(20_000)}\r\n\r\n`, []],
    ["CONNECT", "CONNECT other:443 HTTP/1.1\r\nHost: x\r\n\r\n", [405]],
  ])(
    "in one packet with requests without a body comes behind their answers: %s",
    async (_what, bytes, own) => {
      const server = await startHttpServer();
      const requests = call("POST", "/v1/queues/q/pause") + call("GET", "/v1/queues/q");
      expect(statusesOf(await exchange(server.url, requests + bytes))).toEqual([200, 200, ...own]);
      const pause = call("POST", "/v1/queues/other/pause");
      expect(statusesOf(await exchange(server.url, pause + bytes))).toEqual([200, ...own]);
    },
  );

  test("behind a waiting claim does not keep it from its job", async () => {
    const server = await startHttpServer();
    const client = await connectTo(server.url);
    const answer = untilClosed(client);
    client.write(waitingClaim(30_000));
    await untilWaiting(server);
    client.write(JUNK);
    client.write(JUNK);
    await pause(100);
    await server.post("/v1/jobs", { name: "a", queue: "claimed" });
    const text = await answer;
    expect(statusesOf(text)).toEqual([200]);
    expect(text).toContain('"id":"1"');
  });

  test("is never answered in the middle of a stream", async () => {
    const server = await startHttpServer();
    const client = await connectTo(server.url);
    client.write(call("GET", "/v1/events"));
    await happened(client, "data");
    let more = "";
    client.on("data", (bytes: Buffer) => (more += bytes.toString()));
    client.write(JUNK);
    await pause(100);
    await server.post("/v1/jobs", { name: "a" });
    await vi.waitFor(() => {
      expect(more).toContain('"transition":"enqueue"');
    });
    expect(statusesOf(more)).toEqual([]);
    client.destroy();
  });

  test("in the body of a request is answered in its place", async () => {
    const server = await startHttpServer();
    const broken = call(
      "POST",
      "/v1/jobs",
      undefined,
      "Content-Type: application/json",
      "Transfer-Encoding: chunked",
    );
    const text = await exchange(server.url, `${waitingClaim(300)}${broken}ZZ\r\n`);
    expect(statusesOf(text)).toEqual([200, 400]);
    expect(text).toMatch(/"code":"bad_request"/);
  });

  test("whose client has gone ends a claim that waits before it", async () => {
    const server = await startHttpServer();
    const client = await connectTo(server.url);
    const closed = untilClosed(client);
    client.write(`${waitingClaim(30_000)}${job("q").slice(0, -5)}`);
    await untilWaiting(server);
    client.end();
    expect(statusesOf(await closed)).toEqual([]);
    await vi.waitFor(async () => {
      expect((await server.get("/metrics")).text).toContain("konveier_claim_waiters 0");
    });
  });

  test.each([
    ["nonsense", "\0\0\r\n\r\n", 400],
    ["too large headers", `GET / HTTP/1.1\r\nX: ${"x".repeat(20_000)}\r\n\r\n`, 400],
    [
      "a broken body",
      `${call("POST", "/v1/jobs", undefined, "Content-Type: application/json", "Transfer-Encoding: chunked")}ZZ\r\n`,
      400,
    ],
    ["CONNECT", "CONNECT other:443 HTTP/1.1\r\nHost: x\r\n\r\n", 405],
  ])("is answered with a request id and a line in the log: %s", async (_what, bytes, status) => {
    const server = await startHttpServer();
    const text = await exchange(server.url, bytes);
    expect(statusesOf(text)).toEqual([status]);
    const [head = "", body = ""] = text.split("\r\n\r\n");
    const { requestId } = JSON.parse(body) as { requestId: string };
    expect(head.toLowerCase()).toContain(`konveier-request-id: ${requestId}`);
    expect(server.logged(`"requestId":"${requestId}"`)).toContainEqual(
      expect.objectContaining({ level: 30, status, msg: "request" }),
    );
  });

  test("CONNECT repeats a harmless request id, and comes behind the answers before it", async () => {
    const server = await startHttpServer();
    const tunnel = "CONNECT other:443 HTTP/1.1\r\nHost: x\r\nX-Request-Id: mine\r\n\r\n";
    const text = await exchange(server.url, waitingClaim(200) + tunnel);
    expect(statusesOf(text)).toEqual([200, 405]);
    expect(text).toMatch(/konveier-request-id: mine\r\n/i);
    expect(text).toMatch(/\r\nAllow: \r\n/);
    expect(server.server.app.server.listening).toBe(true);
  });
});

test("the first bytes of another request, and no more of it, do not cut off a claim that waits", async () => {
  const server = await startHttpServer();
  const connection = server.nextConnection();
  const client = await connectTo(server.url);
  const answer = untilClosed(client);
  const served = await connection;
  client.write(waitingClaim(30_000));
  await untilWaiting(server);
  client.write("GET /v1/jo");
  const late = Object.assign(new Error("late"), { code: "ERR_HTTP_REQUEST_TIMEOUT" });
  server.server.app.server.emit("clientError", late, served);
  await server.post("/v1/jobs", { name: "a", queue: "claimed" });
  expect(statusesOf(await answer)).toEqual([200]);
});
