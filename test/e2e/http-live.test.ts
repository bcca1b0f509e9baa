import { Check } from "typebox/value";
import { describe, expect, test } from "vitest";
import { LiveChangeView, LiveSnapshotView } from "../../src/api/live.js";
import { version } from "../../src/server/version.js";
import { startProgram } from "../support/child-program.js";
import { StreamClient, type Frame } from "../support/event-stream.js";
import { FakeClock } from "../support/fake-clock.js";
import { startHttpServer, type HttpServer } from "../support/http-server.js";
import { ON_POSTGRES } from "../support/test-database.js";
import { eventually } from "../support/server-process.js";
import { issueToken } from "../support/tokens.js";
import type { EnqueuerInput } from "../processes/programs/enqueuer.js";
import { tempDirectory } from "../support/temp-directory.js";

interface Queue {
  readonly name: string;
  readonly counts: Readonly<Record<string, number>>;
}

async function open(server: HttpServer, token?: string): Promise<StreamClient> {
  const client = await StreamClient.open(`${server.url}/v1/live`, token === undefined ? {} : { token });
  await client.until(() => client.events.length > 0);
  return client;
}

function queuesIn(frame: Frame | undefined): readonly Queue[] {
  return frame!.data!["queues"] as readonly Queue[];
}

describe("GET /v1/live", () => {
  test("begins with a snapshot, then tells what differs", async () => {
    const server = await startHttpServer();
    await server.post("/v1/queues/paused/pause");
    const client = await open(server);
    expect(client.status).toBe(200);
    expect(client.response.headers).toMatchObject({
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-cache, no-transform",
      "x-accel-buffering": "no",
    });
    const [hello, snapshot] = client.frames;
    expect(hello!.retry).toBeGreaterThanOrEqual(1_500);
    expect(hello!.retry).toBeLessThanOrEqual(4_000);
    expect(snapshot!.event).toBe("snapshot");
    expect(Check(LiveSnapshotView, snapshot!.data)).toBe(true);
    expect(snapshot!.data!["version"]).toBe(version());
    expect(queuesIn(snapshot)).toMatchObject([{ name: "paused" }]);
    expect(snapshot!.data!["queues"]).toMatchObject([{ pausedAt: expect.any(String) as string }]);

    await server.post("/v1/jobs", { name: "work" });
    await client.until(() => client.events.length > 1);
    const change = client.events[1]!;
    expect(change.event).toBe("change");
    expect(Check(LiveChangeView, change.data), JSON.stringify(change.data)).toBe(true);
    expect(change.data).toMatchObject({
      queues: [{ name: "default", counts: { pending: 1 } }],
      gone: [],
      topics: ["jobs"],
    });
    expect(client.frames.every(({ id }) => id === null)).toBe(true);
  });

  test("never turns the journal on", async () => {
    const server = await startHttpServer();
    const client = await open(server);
    await server.post("/v1/jobs", { name: "work" });
    await client.until(() => client.events.length > 1);
    expect(await server.store.events.latest()).toBe(0);
  });

  // The other process knows files only.
  test.skipIf(ON_POSTGRES)("changes by another process come too", async () => {
    const server = await startHttpServer();
    const client = await open(server);
    const input: EnqueuerInput = {
      file: server.file,
      synchronous: "normal",
      accepted: `${tempDirectory()}/accepted`,
      name: "work",
      from: 0,
      to: 5,
    };
    const program = startProgram(new URL("../processes/programs/enqueuer.ts", import.meta.url), input);
    await program.exited;
    await client.until(() => queuesIn(client.events.at(-1))[0]?.counts["pending"] === 5);
    expect(client.events.at(-1)!.data!["topics"]).toContain("jobs");
  });

  test("progress and log lines of a running job give a frame each, although no count changes", async () => {
    const server = await startHttpServer();
    await server.post("/v1/jobs", { name: "work" });
    const claim = await server.post("/v1/claim", { workerId: "w", queues: ["default"] });
    const [job] = claim.body["jobs"] as { id: string; leaseToken: string }[];
    const { id, leaseToken } = job!;
    const client = await open(server);
    const jobsTold = () =>
      client.events.filter(({ data }) => (data!["topics"] as string[] | undefined)?.includes("jobs"));
    await server.post(`/v1/jobs/${id}/progress`, { leaseToken, percent: 10 });
    await client.until(() => jobsTold().length === 1);
    await server.post(`/v1/jobs/${id}/logs`, { leaseToken, lines: [{ level: "info", message: "x" }] });
    await client.until(() => jobsTold().length === 2);
    expect(jobsTold().map(queuesIn)).toEqual([[], []]);
  });

  test("a token that is limited to some queues sees these, and no word about others", async () => {
    const server = await startHttpServer();
    await server.post("/v1/jobs/batch", {
      jobs: [
        { name: "a", queue: "secret" },
        { name: "a", queue: "open.1" },
      ],
    });
    const { token } = await issueToken(server, ["read-only"], { queues: ["open.*"] });
    const client = await open(server, token);
    const all = await open(server);
    expect(queuesIn(client.events[0]).map(({ name }) => name)).toEqual(["open.1"]);
    await server.post("/v1/jobs", { name: "a", queue: "secret" });
    await all.until(() => all.events.some((frame) => queuesIn(frame)[0]?.counts["pending"] === 2));
    await server.post("/v1/jobs", { name: "a", queue: "open.2" });
    await client.until(() => client.events.some((frame) => queuesIn(frame)[0]?.name === "open.2"));
    expect(JSON.stringify(client.frames)).not.toContain("secret");
    for (const { event, data } of client.events) {
      if (event === "change") expect(data!["topics"]).toEqual(["other"]);
    }
    const page = await server.get("/v1/live", { token, headers: { accept: "application/json" } });
    expect(page.as(LiveSnapshotView).queues.map(({ name }) => name)).toEqual(["open.1", "open.2"]);
  });

  test("a snapshot as JSON, for clients without streams; HEAD; nothing without a token or with parameters", async () => {
    const server = await startHttpServer();
    await server.post("/v1/jobs", { name: "work" });
    const headers = { accept: "application/json" };
    expect((await server.get("/v1/live", { headers })).as(LiveSnapshotView).queues).toHaveLength(1);
    const client = await open(server);
    await server.post("/v1/jobs", { name: "work", queue: "b" });
    await client.until(() => client.events.length === 2);
    expect((await server.get("/v1/live", { headers })).as(LiveSnapshotView).queues).toHaveLength(2);
    const head = await server.send("HEAD", "/v1/live");
    expect([head.status, head.headers.get("content-type")]).toEqual([
      200,
      "text/event-stream; charset=utf-8",
    ]);
    expect((await server.get("/v1/live", { token: null })).status).toBe(401);
    expect((await server.get("/v1/live?queue=a")).status).toBe(422);
  });

  test("a revoked token ends its stream at once, an expired one and a closed session soon", async () => {
    const clock = new FakeClock();
    const server = await startHttpServer({ clock });
    const revoked = await issueToken(server, ["read-only"]);
    const client = await open(server, revoked.token);
    const login = await server.send("POST", "/v1/session", {
      token: null,
      json: { token: (await issueToken(server, ["read-only"])).token },
    });
    const cookie = login.headers.get("set-cookie")!.split(";")[0]!;
    const session = await StreamClient.open(`${server.url}/v1/live`, { cookie });
    await session.until(() => session.events.length > 0);
    await server.send("DELETE", `/v1/tokens/${revoked.id}`);
    await client.untilClosed();
    expect(client.events.at(-1)).toMatchObject({ event: "bye", data: { reason: "auth" } });
    await server.send("DELETE", "/v1/session", {
      token: null,
      headers: { cookie, "sec-fetch-site": "same-origin" },
    });
    await clock.advance(5_000);
    await session.untilClosed();
    expect(session.events.at(-1)).toMatchObject({ event: "bye", data: { reason: "auth" } });
  });

  test("shares its cap with the streams of events, and ends with the server, leaving nothing open", async () => {
    const server = await startHttpServer();
    const { token } = await issueToken(server, ["read-only"]);
    const events = await Promise.all(
      Array.from({ length: 10 }, () => StreamClient.open(`${server.url}/v1/events`, { token })),
    );
    const lives = await Promise.all(Array.from({ length: 10 }, () => open(server, token)));
    const refused = await server.get("/v1/live", { token });
    expect(refused.status).toBe(503);
    expect(refused.body).toMatchObject({ code: "too_many_streams", retryable: true });
    server.server.drain();
    await Promise.all([...events, ...lives].map((client) => client.untilClosed()));
    for (const client of lives) {
      expect(client.events.at(-1)).toMatchObject({ event: "bye", data: { reason: "draining" } });
    }
    expect((await server.get("/v1/live")).body["code"]).toBe("draining");
    await server.server.close();
    await eventually(
      () =>
        new Promise<number>((resolve) => {
          server.server.app.server.getConnections((_, count) => {
            resolve(count);
          });
        }),
      (count) => count === 0,
    );
    expect(server.logged("failed")).toEqual([]);
  });
});
