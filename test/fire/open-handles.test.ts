import { describe, expect, onTestFinished, test } from "vitest";
import { StreamClient } from "../support/event-stream.js";
import { FakeClock } from "../support/fake-clock.js";
import { startHttpServer } from "../support/http-server.js";
import { connectTo, untilClosed } from "../support/raw-http.js";
import { eventually } from "../support/server-process.js";
import { ADMIN_TOKEN, WatchedServer } from "./watched-server.js";

const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, "content-type": "application/json" };

function call(server: WatchedServer, method: string, path: string, json?: unknown): Promise<Response> {
  const body = json === undefined ? {} : { body: JSON.stringify(json) };
  return fetch(server.url + path, { method, headers, ...body });
}

describe("a server that closes", () => {
  test("leaves no timer and no socket behind, whatever its clients are doing, and its process ends", async () => {
    const server = await WatchedServer.start();
    const jobs = Array.from({ length: 200 }, () => ({ name: "a", queue: "b", delayMs: 3_600_000 }));
    await call(server, "POST", "/v1/jobs/batch", { jobs });
    await call(server, "PUT", "/v1/schedules/s", { everyMs: 3_600_000, job: { name: "a" } });
    const streams = await Promise.all(
      Array.from({ length: 10 }, () => StreamClient.open(`${server.url}/v1/events`)),
    );
    const preview = await call(server, "POST", "/v1/jobs/bulk/preview", { action: "cancel", q: "queue:b" });
    const { previewToken } = (await preview.json()) as { previewToken: string };
    expect((await call(server, "POST", "/v1/jobs/bulk", { previewToken, perSecond: 1 })).status).toBe(202);
    const waits = Array.from({ length: 10 }, () => call(server, "GET", "/v1/jobs/200/wait?timeoutMs=60000"));
    const claims = Array.from({ length: 10 }, (_, index) =>
      call(server, "POST", "/v1/claim", { workerId: `w${index}`, queues: ["c"], waitMs: 60_000 }),
    );
    await eventually(
      async () => (await call(server, "GET", "/metrics")).text(),
      (text) => text.includes("\nkonveier_claim_waiters 10\n"),
    );
    const silent = await Promise.all(Array.from({ length: 10 }, () => connectTo(server.url)));
    const half = await connectTo(server.url);
    half.write("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
    const over = Promise.all(silent.map((socket) => untilClosed(socket)));

    const { resources, errors } = await server.stop();
    expect(resources.filter((what) => /timeout|immediate|tcp|tls|fs|worker/i.test(what))).toEqual([]);
    expect(errors).toEqual([]);
    expect(await server.exited).toEqual({ code: 0, signal: null });
    await over;
    for (const stream of streams) await stream.untilClosed();
    for (const { status } of await Promise.all(claims)) expect(status).toBe(200);
    // One that had not arrived by then was refused like any other after it.
    const statuses = (await Promise.allSettled(waits)).map(
      (wait) => wait.status === "fulfilled" && wait.value.status,
    );
    expect(statuses).toContain(200);
  }, 120_000);

  test("does not wait for connections on which nothing was ever sent", async () => {
    // This clock never comes to the end of the grace, after which everything is cut off.
    const server = await startHttpServer({ clock: new FakeClock() });
    const accepted = server.nextConnection();
    const socket = await connectTo(server.url);
    onTestFinished(() => {
      socket.destroy();
    });
    await accepted;
    const closed = untilClosed(socket);
    await server.server.close();
    expect(await closed).toBe("");
  });
});
