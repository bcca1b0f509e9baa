import { once } from "node:events";
import type { Socket } from "node:net";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { AuditPageView } from "../../src/api/audit.js";
import { API_TOKEN, startHttpServer, type HttpServer } from "../support/http-server.js";
import { connectTo, happened, untilClosed } from "../support/raw-http.js";
import { issueToken } from "../support/tokens.js";

/** A call as the network carries it. */
function call(method: string, path: string, token = API_TOKEN, body = ""): string {
  const type = body === "" ? "" : "Content-Type: application/json\r\n";
  return `${method} ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n${type}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

/** Holds every call of a method until it is let go on. */
function hold<Name extends string>(object: Record<Name, unknown>, name: Name) {
  const original = (object[name] as (...args: unknown[]) => unknown).bind(object);
  let letGo = (): void => undefined;
  const gate = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  let calls = 0;
  Object.assign(object, {
    [name]: async (...args: unknown[]) => {
      calls += 1;
      await gate;
      return original(...args);
    },
  });
  return {
    reached: (times: number) =>
      vi.waitFor(() => {
        expect(calls).toBe(times);
      }),
    letGo,
  };
}

/** Sends the bytes, and hangs up when that is right. Resolves when the server knows. */
async function sendAndLeave(server: HttpServer, bytes: string, when: () => Promise<unknown>): Promise<void> {
  const connection = server.nextConnection();
  const client = await connectTo(server.url);
  const served = await connection;
  const closed = once(served, "close");
  client.write(bytes);
  await when();
  client.destroy();
  await closed;
}

async function auditOf(server: HttpServer) {
  return (await server.get("/v1/audit")).as(AuditPageView).items.map(({ action, target, status }) => ({
    action,
    target,
    status,
  }));
}

function linesOf(server: HttpServer, path: string) {
  return server.logged('"msg":"request"').filter((line) => line["path"] === path);
}

async function counted(server: HttpServer, route: string): Promise<string[]> {
  const { text } = await server.get("/metrics");
  return text
    .split("\n")
    .filter((line) => line.startsWith("konveier_http_requests_total") && line.includes(`"${route}"`));
}

describe("a call whose client goes away", () => {
  test.each(["before its audit entry", "during its change"])(
    "%s has its status in the audit log, the access log and the metrics",
    async (moment) => {
      const server = await startHttpServer();
      await server.post("/v1/queues/q/resume");
      const { audit, queues } = server.store;
      const held =
        moment === "during its change"
          ? hold(queues as unknown as Record<"edit", unknown>, "edit")
          : hold(audit as unknown as Record<"begin", unknown>, "begin");
      await sendAndLeave(server, call("POST", "/v1/queues/q/pause"), () => held.reached(1));
      expect(linesOf(server, "/v1/queues/q/pause")).toEqual([]);
      held.letGo();
      await vi.waitFor(async () => {
        expect((await auditOf(server))[0]).toEqual({ action: "pauseQueue", target: "q", status: 200 });
      });
      expect(linesOf(server, "/v1/queues/q/pause")).toMatchObject([{ status: 200, clientGone: true }]);
      expect(await counted(server, "/v1/queues/:name/pause")).toEqual([
        expect.stringMatching(/method="POST".*code="200".* 1$/),
      ]);
    },
  );

  test("keeps the status of a refusal", async () => {
    const server = await startHttpServer();
    const { token } = await issueToken(server, ["operator"]);
    const finding = hold(server.store.tokens as unknown as Record<"find", unknown>, "find");
    await sendAndLeave(server, call("POST", "/v1/tokens", token, '{"name":"a","scopes":["admin"]}'), () =>
      finding.reached(1),
    );
    finding.letGo();
    await vi.waitFor(async () => {
      expect((await auditOf(server))[0]).toEqual({ action: "createToken", target: null, status: 403 });
    });
    expect(linesOf(server, "/v1/tokens")).toMatchObject([{ status: 201 }, { status: 403, clientGone: true }]);
  });

  test("ends with the one in work of those that it sent ahead: the others are not begun", async () => {
    const server = await startHttpServer();
    const pausing = hold(server.store.queues as unknown as Record<"edit", unknown>, "edit");
    const paths = Array.from({ length: 30 }, (_, index) => `/v1/queues/q${index}/pause`);
    await sendAndLeave(server, paths.map((path) => call("POST", path)).join(""), () => pausing.reached(1));
    pausing.letGo();
    await vi.waitFor(() => {
      expect(linesOf(server, "/v1/queues/q0/pause")).toMatchObject([{ status: 200, clientGone: true }]);
    });
    expect(await auditOf(server)).toEqual([{ action: "pauseQueue", target: "q0", status: 200 }]);
    expect(await server.store.queues.get("q1")).toBeNull();
  });

  test("ends an event stream and a waiting claim", async () => {
    const server = await startHttpServer();
    const connection = server.nextConnection();
    const client = await connectTo(server.url);
    const served = await connection;
    client.write(call("GET", "/v1/events"));
    await happened(client, "data");
    const closed = once(served, "close");
    client.destroy();
    await closed;
    await vi.waitFor(() => {
      expect(linesOf(server, "/v1/events")).toMatchObject([{ status: 200, clientGone: true }]);
    });
    const waiting = '{"workerId":"w","queues":["q"],"waitMs":30000}';
    await sendAndLeave(server, call("POST", "/v1/claim", API_TOKEN, waiting), () =>
      vi.waitFor(async () => {
        expect((await server.get("/metrics")).text).toContain("konveier_claim_waiters 1");
      }),
    );
    await vi.waitFor(() => {
      expect(linesOf(server, "/v1/claim")).toMatchObject([{ status: 200, clientGone: true }]);
    });
  });

  test("ends an event stream that has not begun", async () => {
    const server = await startHttpServer();
    const wanting = hold(server.store.events as unknown as Record<"want", unknown>, "want");
    await sendAndLeave(server, call("GET", "/v1/events"), () => wanting.reached(1));
    wanting.letGo();
    await vi.waitFor(() => {
      expect(linesOf(server, "/v1/events")).toMatchObject([{ status: 200, clientGone: true }]);
    });
    expect(await counted(server, "/v1/events")).toEqual([expect.stringMatching(/code="200".* 1$/)]);
  });

  test("is no defect of the server when its body is missing", async () => {
    const server = await startHttpServer();
    const half = call("POST", "/v1/jobs", API_TOKEN, `{"name":"a","payload":"${"x".repeat(1_000)}"}`);
    await sendAndLeave(server, half.slice(0, -500), () => once(server.server.app.server, "request"));
    await vi.waitFor(() => {
      expect(linesOf(server, "/v1/jobs")).toMatchObject([{ status: 400, clientGone: true }]);
    });
    expect(server.logged('"level":"error"')).toEqual([]);
  });
});

describe("an answer that cannot be written", () => {
  /** Sends the bytes on a connection whose writes fail at once, as they do when the system knows of a reset first. */
  async function sendUnanswerable(server: HttpServer, bytes: string): Promise<void> {
    const connection = server.nextConnection();
    const client = await connectTo(server.url);
    const served = await connection;
    const reset = Object.assign(new Error("write EPIPE"), { code: "EPIPE" });
    Object.assign(served, {
      _write(_chunk: unknown, _encoding: unknown, written: (error: Error) => void) {
        written(reset);
      },
      _writev(_chunks: unknown, written: (error: Error) => void) {
        written(reset);
      },
    });
    const closed = happened(served, "close");
    client.write(bytes);
    await closed;
  }

  test.each([0, 30_000])("gives back the jobs of a claim that would wait %i ms", async (waitMs) => {
    const server = await startHttpServer();
    await server.post("/v1/jobs", { name: "a", queue: "q", maxAttempts: 1 });
    const body = JSON.stringify({ workerId: "w", queues: ["q"], waitMs });
    await sendUnanswerable(server, call("POST", "/v1/claim", API_TOKEN, body));
    await vi.waitFor(async () => {
      expect(await server.store.jobs.get("1")).toMatchObject({ state: "pending", attempt: 0 });
    });
    expect(linesOf(server, "/v1/claim")).toMatchObject([{ status: 200, clientGone: true }]);
  });

  test("is not logged as one that its client got, and the next call is not begun", async () => {
    const server = await startHttpServer();
    const pauses = call("POST", "/v1/queues/q/pause") + call("POST", "/v1/queues/next/pause");
    await sendUnanswerable(server, pauses);
    await vi.waitFor(() => {
      expect(linesOf(server, "/v1/queues/q/pause")).toMatchObject([{ status: 200, clientGone: true }]);
    });
    expect(await server.store.queues.get("next")).toBeNull();
  });
});

test.each([
  ["a call with a wrong token", call("POST", "/v1/jobs", "wrong", '{"name":"a"}')],
  ["an audited change", call("POST", "/v1/queues/q/pause")],
  ["a sign-in", call("POST", "/v1/session", API_TOKEN, `{"token":"${API_TOKEN}"}`)],
  ["a claim", call("POST", "/v1/claim", API_TOKEN, '{"workerId":"w","queues":["q"]}')],
  ["an open address", call("GET", "/openapi.json")],
])("A connection that was reset before it was read is no defect of the server: %s", async (_what, bytes) => {
  const server = await startHttpServer();
  server.server.app.server.prependOnceListener("connection", (socket: Socket) => {
    Object.defineProperty(socket, "remoteAddress", { value: undefined });
  });
  const client = await connectTo(server.url);
  const closed = untilClosed(client);
  client.write(bytes);
  expect(await closed).toBe("");
  expect(server.logged('"requestId"')).toEqual([]);
  expect((await server.get("/metrics")).text).not.toMatch(/^konveier_http_requests_total\{/m);
});

test.each([
  ["claims", call("POST", "/v1/claim", API_TOKEN, '{"workerId":"w","queues":["q"],"waitMs":30000}')],
  ["event streams", call("GET", "/v1/events")],
  ["waits for a job", call("GET", "/v1/jobs/1/wait")],
])("60 %s on one connection leak no listeners", async (_what, bytes) => {
  const server = await startHttpServer();
  await server.post("/v1/jobs", { name: "a" });
  const warnings: Error[] = [];
  const note = (warning: Error): void => void warnings.push(warning);
  process.on("warning", note);
  onTestFinished(() => void process.off("warning", note));
  let begun = 0;
  await sendAndLeave(
    server,
    bytes.repeat(60),
    () =>
      new Promise<void>((resolve) => {
        server.server.app.server.on("request", () => {
          begun += 1;
          if (begun === 60) setImmediate(resolve);
        });
      }),
  );
  await vi.waitFor(() => {
    expect(server.logged('"msg":"request"').filter(({ clientGone }) => clientGone === true)).toHaveLength(1);
  });
  expect(warnings).toEqual([]);
});

test("A call is counted once, and its client is not said to be gone when it is not", async () => {
  const server = await startHttpServer();
  for (let times = 0; times < 3; times += 1) await server.post("/v1/queues/q/pause");
  await server.post("/v1/jobs/7/cancel");
  await vi.waitFor(() => {
    expect(linesOf(server, "/v1/queues/q/pause")).toHaveLength(3);
  });
  for (const line of linesOf(server, "/v1/queues/q/pause")) expect(line).not.toHaveProperty("clientGone");
  expect(await counted(server, "/v1/queues/:name/pause")).toEqual([expect.stringMatching(/ 3$/)]);
  expect((await auditOf(server)).map(({ status }) => status)).toEqual([404, 200, 200, 200]);
});
