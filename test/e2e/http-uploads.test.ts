import { request as send } from "node:http";
import { connect } from "node:net";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { FakeClock } from "../support/fake-clock.js";
import { API_TOKEN, startHttpServer } from "../support/http-server.js";
import { connectTo, happened, statusOf, untilClosed } from "../support/raw-http.js";

const MIB = 1024 * 1024;

function head(method: string, path: string, ...headers: readonly string[]): string {
  const all = [
    `${method} ${path} HTTP/1.1`,
    "Host: x",
    "Content-Type: application/json",
    ...(headers.some((header) => header.startsWith("Authorization"))
      ? []
      : [`Authorization: Bearer ${API_TOKEN}`]),
    ...headers,
  ];
  return `${all.join("\r\n")}\r\n\r\n`;
}

function waitingClaim(waitMs: number): string {
  const body = JSON.stringify({ workerId: "w", queues: ["none"], waitMs });
  return head("POST", "/v1/claim", `Content-Length: ${body.length}`) + body;
}

describe("an answer that is there before the whole request", () => {
  const large = `Content-Length: ${4 * MIB}`;

  test.each([
    [413, head("POST", "/v1/jobs", large)],
    [413, head("POST", "/v1/jobs", large, "Connection: close")],
    [401, head("POST", "/v1/jobs", large, "Authorization: Bearer wrong")],
    [404, head("POST", "/v1/nothing", large)],
    [405, head("PUT", "/v1/jobs", large)],
    [415, head("POST", "/v1/jobs", large, "Content-Encoding: gzip")],
  ])("is read by a client that sends everything first: %i", async (status, bytes) => {
    const server = await startHttpServer();
    const client = await connectTo(server.url);
    client.pause();
    client.write(bytes);
    await new Promise((sent) => client.write(Buffer.alloc(4 * MIB, " "), sent));
    const answer = untilClosed(client);
    client.resume();
    expect(statusOf(await answer)).toBe(status);
    await vi.waitFor(() => {
      expect(server.logged('"msg":"request"')).toMatchObject([{ status }]);
    });
    expect(server.log.join("")).not.toContain("clientGone");
  });

  test("is read also when the size was not known", async () => {
    const server = await startHttpServer();
    const headers = { authorization: `Bearer ${API_TOKEN}`, "content-type": "application/json" };
    const status = await new Promise((resolve, reject) => {
      const request = send(`${server.url}/v1/jobs`, { method: "POST", headers }, ({ statusCode }) => {
        resolve(statusCode);
      });
      request.on("error", reject);
      for (let sent = 0; sent < 4 * MIB; sent += MIB) request.write(Buffer.alloc(MIB, " "));
      request.end();
    });
    expect(status).toBe(413);
  });

  test("lets nothing be done that comes behind the rest", async () => {
    const server = await startHttpServer();
    const client = await connectTo(server.url);
    const closed = untilClosed(client);
    client.write(head("POST", "/v1/jobs", "Content-Length: 3", "Content-Encoding: gzip"));
    await happened(client, "data");
    client.write(`xxx${head("POST", "/v1/queues/q/pause")}`);
    await closed;
    expect(await server.store.queues.get("q")).toBeNull();
  });

  test("is not waited behind for ever", async () => {
    const clock = new FakeClock();
    const server = await startHttpServer({ clock });
    const connection = server.nextConnection();
    const { hostname, port } = new URL(server.url);
    const client = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    onTestFinished(() => void client.destroy());
    const served = await connection;
    const answered = happened(client, "end");
    client.resume().write(head("POST", "/v1/nothing", large));
    await answered;
    expect(served.destroyed).toBe(false);
    await clock.advance(60_000);
    expect(served.destroyed).toBe(true);
  });
});

describe("the time of a request", () => {
  const body = JSON.stringify({ name: "a", queue: "q", payload: "x".repeat(200_000) });
  const post = head("POST", "/v1/jobs", `Content-Length: ${body.length}`, "Connection: close") + body;

  async function untilWaiting(url: string): Promise<void> {
    await vi.waitFor(async () => {
      const metrics = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${API_TOKEN}` } });
      expect(await metrics.text()).toContain("konveier_claim_waiters 1");
    });
  }

  test("begins when its turn comes: what waits behind claims is not late", async () => {
    const clock = new FakeClock();
    const server = await startHttpServer({ clock });
    const client = await connectTo(server.url);
    const answer = untilClosed(client);
    client.write(waitingClaim(40_000) + waitingClaim(40_000) + post.slice(0, -10));
    for (let claims = 0; claims < 2; claims += 1) {
      await untilWaiting(server.url);
      await clock.advance(40_000);
    }
    client.write(post.slice(-10));
    expect([...(await answer).matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual([
      "200",
      "200",
      "201",
    ]);
  });

  test("ends a minute later", async () => {
    const clock = new FakeClock();
    const server = await startHttpServer({ clock });
    const client = await connectTo(server.url);
    const answer = untilClosed(client);
    const timers = clock.pendingTimers;
    client.write(post.slice(0, -10));
    await vi.waitFor(() => {
      expect(clock.pendingTimers).toBe(timers + 1);
    });
    await clock.advance(60_000);
    expect(await answer).toMatch(/HTTP\/1\.1 408 [^]*request_timeout/);
  });
});
