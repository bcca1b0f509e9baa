import { Check } from "typebox/value";
import { describe, expect, test } from "vitest";
import { EventPageView, EventView } from "../../src/api/event.js";
import type { JobView } from "../../src/api/job.js";
import { issueToken } from "../support/tokens.js";
import { StreamClient } from "../support/event-stream.js";
import { startHttpServer, type HttpServer } from "../support/http-server.js";
import { eventually } from "../support/server-process.js";

async function enqueue(server: HttpServer, job: object = {}): Promise<string> {
  const answer = await server.post("/v1/jobs", { name: "work", ...job });
  return (answer.json as JobView).id;
}

function open(server: HttpServer, query = "", lastId?: number | string): Promise<StreamClient> {
  return StreamClient.open(`${server.url}/v1/events${query}`, lastId === undefined ? {} : { lastId });
}

/** What happened to jobs, in short. */
function changes(client: StreamClient): string[] {
  return client.events.map(({ data }) => `${String(data?.["id"])} ${String(data?.["transition"])}`);
}

function connections(server: HttpServer): Promise<number> {
  return new Promise((resolve) => {
    server.server.app.server.getConnections((_, count) => {
      resolve(count);
    });
  });
}

describe("GET /v1/events", () => {
  test("says where it begins, then what happens, with ids that grow by one", async () => {
    const server = await startHttpServer();
    await enqueue(server);
    const client = await open(server);
    expect(client.status).toBe(200);
    expect(client.response.headers).toMatchObject({
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-cache, no-transform",
      "x-accel-buffering": "no",
      "x-content-type-options": "nosniff",
    });
    expect(client.response.headers["konveier-request-id"]).toBeTruthy();
    await client.until(() => client.frames.length > 0);
    const [hello] = client.frames;
    expect(hello!.retry).toBeGreaterThanOrEqual(1_500);
    expect(hello!.retry).toBeLessThanOrEqual(4_000);
    expect(hello!.id).toBe(await server.store.events.latest());

    const id = await enqueue(server);
    await server.post(`/v1/jobs/${id}/cancel`);
    await server.post("/v1/queues/default/pause", { reason: "x" });
    const schedule = { everyMs: 60_000, job: { name: "work" } };
    await server.send("PUT", "/v1/schedules/often", { json: schedule });
    await client.until(() => client.events.length === 4);
    for (const { data, id: seq } of client.events) {
      expect(Check(EventView, data), JSON.stringify(data)).toBe(true);
      expect(data!["seq"]).toBe(seq);
    }
    expect(client.events.map(({ event }) => event)).toEqual(["job", "job", "queue", "schedule"]);
    expect(client.events.map(({ id: seq }) => seq! - hello!.id!)).toEqual([1, 2, 3, 4]);
    expect(client.events[1]!.data).toMatchObject({ id, from: "pending", to: "cancelled", queue: "default" });
  });

  test("events of other processes come too", async () => {
    const server = await startHttpServer();
    const other = await startHttpServer({ database: server.database });
    const client = await open(server);
    const id = await enqueue(other);
    await client.until(() => client.events.length === 1);
    expect(changes(client)).toEqual([`${id} enqueue`]);
  });

  test("filters narrow, and take lists in both forms", async () => {
    const server = await startHttpServer();
    const [all, jobs, queues, twoQueues, ended] = await Promise.all([
      open(server),
      open(server, "?topics=job&job=2"),
      open(server, "?topics=queue,schedule"),
      open(server, "?queue=a&queue=b"),
      open(server, "?state=cancelled,completed"),
    ]);
    for (const queue of ["a", "b", "c"]) {
      const id = await enqueue(server, { queue });
      await server.post(`/v1/jobs/${id}/cancel`);
      await server.post(`/v1/queues/${queue}/pause`);
    }
    const last = { type: "queue", name: "c" };
    await all.until(() => all.events.length === 9);
    expect(all.events.at(-1)!.data).toMatchObject(last);
    await queues.until(() => queues.events.length === 3);
    await ended.until(() => ended.events.length === 3);
    await twoQueues.until(() => twoQueues.events.length === 6);
    expect(changes(jobs)).toEqual(["2 enqueue", "2 cancel"]);
    expect(changes(ended)).toEqual(["1 cancel", "2 cancel", "3 cancel"]);
    for (const query of ["?topics=jobs", "?topics=", "?queue=*", "?state=x", "?topic=job"]) {
      expect((await server.get(`/v1/events${query}`)).status, query).toBe(422);
    }
    const many = Array.from({ length: 51 }, (_, index) => index).join(",");
    expect((await server.get(`/v1/events?job=${many}`)).status).toBe(422);
  });

  test("API-20 goes on after the last id, across pages, while more comes, without gap or duplicate", async () => {
    const server = await startHttpServer();
    const first = await open(server);
    await first.until(() => first.frames.length > 0);
    const start = first.lastId!;
    first.drop();
    const batch = { jobs: Array.from({ length: 450 }, () => ({ name: "work" })) };
    await server.post("/v1/jobs/batch", batch);
    const clients = await Promise.all([
      open(server, "", start),
      open(server, `?after=${start}`),
      // The header is the later word.
      open(server, "?after=1", start + 100),
      open(server, "", start + 450),
    ]);
    for (let n = 0; n < 30; n += 1) await Promise.all([enqueue(server), enqueue(server)]);
    const total = 450 + 60;
    for (const [index, from] of [0, 0, 100, 450].entries()) {
      const client = clients[index]!;
      await client.until(() => client.events.length >= total - from);
      expect(client.frames[0]!.id).toBe(start + from);
      const expected = Array.from({ length: total - from }, (_, n) => start + from + n + 1);
      expect(client.events.map(({ id }) => id)).toEqual(expected);
    }
  });

  test("an id that is too old, of another database, or none at all: a reset comes first, then what happens", async () => {
    const server = await startHttpServer();
    const before = await open(server);
    await before.until(() => before.frames.length > 0);
    const start = before.lastId!;
    await enqueue(server);
    await enqueue(server);
    // A stream begins where the server's own reader is, and that one must not meet the gap as well.
    await before.until(() => before.events.length === 2);
    await server.store.events.prune(600_000, 1, 100);
    const latest = await server.store.events.latest();
    const reasons = { [String(start)]: "history_gap", "999999": "unknown_id", "x-1": "unknown_id" };
    for (const [lastId, reason] of Object.entries(reasons)) {
      const client = await open(server, "", lastId);
      await client.until(() => client.events.length === 1);
      expect(client.events[0]).toMatchObject({ event: "reset", id: latest, data: { reason, id: latest } });
    }
    const client = await open(server, "", "999999");
    await client.until(() => client.events.length === 1);
    const id = await enqueue(server);
    await client.until(() => client.events.length === 2);
    expect(client.events[1]!.data).toMatchObject({ id, transition: "enqueue" });
  });

  test("JSON instead of a stream: pages from an id on", async () => {
    const server = await startHttpServer();
    const page = async (query: string) =>
      (await server.get(`/v1/events${query}`, { headers: { accept: "application/json" } })).as(EventPageView);
    const begin = await page("");
    expect(begin).toEqual({
      items: [],
      lastId: await server.store.events.latest(),
      more: false,
      reset: null,
    });
    await enqueue(server, { queue: "a" });
    await enqueue(server, { queue: "b" });
    await enqueue(server, { queue: "a" });
    const first = await page(`?after=${begin.lastId}&limit=2`);
    expect(first).toMatchObject({ lastId: begin.lastId + 2, more: true, reset: null });
    expect(first.items).toHaveLength(2);
    const rest = await page(`?after=${first.lastId}&limit=2`);
    expect(rest).toMatchObject({ lastId: begin.lastId + 3, more: false });
    const filtered = await page(`?after=${begin.lastId}&queue=b`);
    expect(filtered.items.map((event) => event.type === "job" && event.queue)).toEqual(["b"]);
    expect(filtered.lastId).toBe(begin.lastId + 3);
    expect(await page("?after=99999")).toMatchObject({ items: [], reset: "unknown_id", lastId: rest.lastId });
    expect(await page("?after=-1")).toMatchObject({ reset: "unknown_id" });
    expect(await page("?after=0")).toMatchObject({ reset: "history_gap" });
  });

  test("HEAD has the headers and ends; without a token there is nothing", async () => {
    const server = await startHttpServer();
    const head = await server.send("HEAD", "/v1/events");
    expect(head.status).toBe(200);
    expect(head.headers.get("content-type")).toContain("text/event-stream");
    expect((await server.get("/v1/events", { token: null })).status).toBe(401);
  });

  test("no timeout of the server cuts a silent stream", async () => {
    const server = await startHttpServer();
    const connection = server.nextConnection();
    const client = await open(server);
    await client.until(() => client.frames.length > 0);
    expect((await connection).timeout ?? 0).toBe(0);
  });

  test("a stop ends 200 open streams at once, says so, and takes no new ones", async () => {
    const server = await startHttpServer();
    const tokens = await Promise.all(Array.from({ length: 10 }, () => issueToken(server, ["read-only"])));
    const clients = await Promise.all(
      tokens.flatMap(({ token }) =>
        Array.from({ length: 20 }, () => StreamClient.open(`${server.url}/v1/events`, { token })),
      ),
    );
    const refused = await server.get("/v1/events");
    expect(refused.status).toBe(503);
    expect(refused.body).toMatchObject({ code: "too_many_streams", retryable: true });
    expect(refused.headers.get("retry-after")).toBeTruthy();
    const WARN = 40;
    expect(server.logged('"status":503')).toMatchObject([{ msg: "request", level: WARN }]);
    server.server.drain();
    await Promise.all(clients.map((client) => client.untilClosed()));
    for (const client of clients) {
      expect(client.events.at(-1)).toMatchObject({ event: "bye", data: { reason: "draining" } });
    }
    expect((await server.get("/v1/events")).body["code"]).toBe("draining");
    expect(await connections(server)).toBeLessThan(20);
    await server.server.close();
    expect(server.logged("failed")).toEqual([]);
  });

  test("a stop does not wait for a client that does not read", async () => {
    const server = await startHttpServer();
    const client = await open(server);
    client.response.pause();
    client.response.socket.pause();
    const jobs = Array.from({ length: 1_000 }, () => ({ name: "n".repeat(128), queue: "q".repeat(128) }));
    for (let n = 0; n < 20; n += 1) await server.post("/v1/jobs/batch", { jobs });
    await server.server.close();
    await eventually(
      () => connections(server),
      (n) => n === 0,
    );
  });
});
