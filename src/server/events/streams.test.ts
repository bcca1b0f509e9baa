import Fastify from "fastify";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { StreamClient } from "../../../test/support/event-stream.js";
import { FakeClock } from "../../../test/support/fake-clock.js";
import { eventually } from "../../../test/support/server-process.js";
import { tempDirectory } from "../../../test/support/temp-directory.js";
import { isStoreError, KonveierError } from "../../core/errors.js";
import { createContext } from "../../engine/context.js";
import { enqueue, enqueueMany } from "../../engine/enqueue.js";
import { openSqliteStore } from "../../store/sqlite/open.js";
import { eventFilter } from "./filter.js";
import { Streams } from "../streams/streams.js";
import { EventFeed } from "./event-feed.js";

/** Streams on a server that has nothing else. Time stands still: `deliver` lets it pass. */
async function setUp() {
  const store = openSqliteStore(join(tempDirectory(), "konveier.db"));
  const clock = new FakeClock();
  const context = createContext(store, { clock, random: () => 0.5 });
  const streams = new Streams(context);
  const revoked = new Set<string>();
  const app = Fastify();
  app.setErrorHandler((error, _request, reply) => {
    void reply.code(503).send({ code: error instanceof KonveierError ? error.code : String(error) });
  });
  app.get<{ Querystring: { owner?: string; hidden?: string; after?: string } }>("/", (request, reply) => {
    const { owner = null, hidden = null, after } = request.query;
    const maySee = hidden === null ? null : (queue: string) => queue !== hidden;
    const start = after === undefined ? "now" : { after: Number(after) };
    const isGood = () => Promise.resolve(owner === null || !revoked.has(owner));
    const filter = eventFilter({}, maySee);
    return streams.open(
      request,
      reply,
      { owner, isGood },
      (stream) => new EventFeed(context, stream, filter, start),
    );
  });
  const url = await app.listen({ host: "127.0.0.1", port: 0 });
  onTestFinished(async () => {
    streams.drain();
    app.server.closeAllConnections();
    await app.close();
    await store.close();
  });
  return {
    app,
    clock,
    context,
    streams,
    revoked,
    open: (query = "") => StreamClient.open(url + query),
    /** What was written reaches the streams. */
    deliver: () => clock.advance(5),
  };
}

const LONG = "n".repeat(128);

describe("streams of events", () => {
  test("at most 20 streams of one owner; one that ends makes room", async () => {
    const { open, streams } = await setUp();
    const clients = await Promise.all(Array.from({ length: 20 }, () => open("?owner=a")));
    expect((await open("?owner=a")).status).toBe(503);
    expect((await open("?owner=b")).status).toBe(200);
    expect((await open()).status).toBe(200);
    clients[0]!.drop();
    await eventually(
      () => Promise.resolve(streams.count),
      (count) => count === 21,
    );
    expect((await open("?owner=a")).status).toBe(200);
  });

  test("streams whose token is no longer good are ended within five seconds, wherever it was revoked", async () => {
    const { open, streams, revoked, clock } = await setUp();
    const [a, b] = await Promise.all([open("?owner=a"), open("?owner=b")]);
    await clock.advance(5_000);
    expect(streams.count).toBe(2);
    revoked.add("a");
    await clock.advance(5_000);
    await a.untilClosed();
    expect(a.events).toMatchObject([{ event: "bye", data: { reason: "auth" } }]);
    expect(b.closed).toBe(false);
  });

  test("streams of an owner are ended with the reason, and no others", async () => {
    const { open, streams } = await setUp();
    const [a, b] = await Promise.all([open("?owner=a"), open("?owner=b")]);
    streams.closeStreams((owner) => owner === "a", "auth");
    await a.untilClosed();
    expect(a.events).toMatchObject([{ event: "bye", data: { reason: "auth" } }]);
    expect(b.closed).toBe(false);
    expect(streams.count).toBe(1);
  });

  test("a client is told nothing of queues that it may not see", async () => {
    const { open, context, deliver } = await setUp();
    const client = await open("?hidden=secret");
    await client.until(() => client.frames.length > 0);
    await context.store.queues.pause("secret", null);
    await enqueueMany(context, [
      { name: "a", queue: "secret" },
      { name: "b", queue: "open" },
    ]);
    await deliver();
    await client.until(() => client.events.length > 0);
    expect(client.events.map(({ data }) => data!["queue"])).toEqual(["open"]);
  });

  test("a heartbeat comes every 15 s, and tells how far a client is that gets nothing", async () => {
    const { open, context, deliver, clock } = await setUp();
    const client = await open("?hidden=default");
    await client.until(() => client.frames.length === 1);
    await clock.advance(15_000);
    await client.until(() => client.frames.length === 2);
    expect(client.frames[1]).toMatchObject({ id: null, event: null, data: null });
    await enqueue(context, { name: "work" });
    await deliver();
    await clock.advance(15_000);
    await client.until(() => client.frames.length === 3);
    expect(client.lastId).toBe(await context.store.events.latest());
    expect(client.events).toEqual([]);
  });

  test("500 clients that come and vanish leave nothing behind: no stream, no reader, no timer", async () => {
    const { open, streams, clock, context } = await setUp();
    for (let round = 0; round < 5; round += 1) {
      const opening = Array.from({ length: 100 }, async (_, index) => {
        const client = await open();
        if (index % 2 === 0) await client.until(() => client.frames.length > 0);
        client.drop();
      });
      await Promise.all(opening);
    }
    await eventually(
      () => Promise.resolve(streams.count),
      (count) => count === 0,
    );
    await clock.advance(0);
    expect(clock.pendingTimers).toBe(0);
    // Whoever comes next begins anew.
    const client = await open();
    await enqueue(context, { name: "work" });
    await clock.advance(5);
    await client.until(() => client.events.length === 1);
  });

  test("API-21 a client that does not read is cut; memory stays bounded, others get everything", async () => {
    const { open, streams, clock, context, deliver, app } = await setUp();
    const ends: { writableLength: number }[] = [];
    app.server.on("request", (_, response) => ends.push(response));
    const deaf = await open();
    await deaf.until(() => deaf.frames.length > 0);
    const start = deaf.lastId!;
    deaf.response.socket.pause();
    const other = await open();
    let most = 0;
    const total = 40_000;
    for (let made = 0; made < total; made += 1_000) {
      const jobs = Array.from({ length: 1_000 }, () => ({ name: LONG, queue: LONG }));
      await enqueueMany(context, jobs);
      await deliver();
      most = Math.max(most, ...ends.map(({ writableLength }) => writableLength));
    }
    await other.until(() => other.events.length === total);
    expect(other.events.map(({ id }) => id)).toEqual(other.events.map((_, n) => start + n + 1));
    expect(most).toBeGreaterThan(100 * 1024);
    expect(most).toBeLessThan(256 * 1024);

    expect(streams.count).toBe(2);
    await clock.advance(60_000);
    expect(streams.count).toBe(1);
    await clock.advance(1_000);
    deaf.response.socket.resume();
    await deaf.untilClosed();

    // It comes back to where it was, and this time it reads.
    const again = await open(`?after=${deaf.lastId!}`);
    await again.until(() => again.lastId === start + total);
    expect(again.events).toHaveLength(start + total - deaf.lastId!);
  });

  test("joins those who are live exactly where it has caught up, neither before nor after", async () => {
    const { open, context, deliver } = await setUp();
    const live = await open();
    await live.until(() => live.frames.length > 0);
    const start = live.lastId!;
    const jobs = (count: number) => Array.from({ length: count }, () => ({ name: "work" }));
    await enqueueMany(context, jobs(201));
    await deliver();
    // One page and one event behind, and nothing comes any more.
    const behind = await open(`?after=${start}`);
    await behind.until(() => behind.lastId === start + 201);
    // It has read events already that the live ones are told only now.
    await enqueueMany(context, jobs(3));
    const ahead = await open(`?after=${start + 200}`);
    await ahead.until(() => ahead.lastId === start + 204);
    await deliver();
    await enqueueMany(context, jobs(1));
    await deliver();
    for (const [client, from] of [
      [live, 0],
      [behind, 0],
      [ahead, 200],
    ] as const) {
      await client.until(() => client.lastId === start + 205);
      const expected = Array.from({ length: 205 - from }, (_, index) => start + from + index + 1);
      expect(client.events.map(({ id }) => id)).toEqual(expected);
    }
  });

  test("a burst does not cut a client that reads", async () => {
    const { open, context, deliver, streams } = await setUp();
    const client = await open();
    const jobs = Array.from({ length: 1_000 }, () => ({ name: LONG, queue: LONG }));
    await Promise.all(Array.from({ length: 5 }, () => enqueueMany(context, jobs)));
    await deliver();
    await client.until(() => client.events.length === 5_000);
    expect(client.events.every(({ event }) => event === "job")).toBe(true);
    expect(streams.count).toBe(1);
  });

  test("a gap is told to live streams, and they go on", async () => {
    const { open, context, clock, deliver } = await setUp();
    const client = await open();
    await client.until(() => client.frames.length > 0);
    // The recording ends without this process noticing: as when it was suspended for long.
    await enqueue(context, { name: "work" });
    await context.store.events.prune(-1, 0, 100);
    await deliver();
    await client.until(() => client.events.length === 1);
    expect(client.events[0]).toMatchObject({ event: "reset", data: { reason: "history_gap" } });
    await enqueue(context, { name: "work" });
    await clock.advance(5);
    await client.until(() => client.events.length === 2);
    expect(client.events[1]).toMatchObject({ event: "job" });
  });

  test("a store that fails ends no live stream, and nothing is lost", async () => {
    const { open, context, clock } = await setUp();
    const client = await open();
    await client.until(() => client.frames.length > 0);
    const { events } = context.store;
    const after = events.after.bind(events);
    const failing = () => Promise.reject(new KonveierError("store_io", "no"));
    Object.assign(events, { after: failing });
    const told: unknown[] = [];
    context.events.on("store.unavailable", ({ error }) => told.push(isStoreError(error)));
    await enqueue(context, { name: "work" });
    await clock.advance(5);
    expect(told).toEqual([true]);
    Object.assign(events, { after });
    await clock.advance(1_000);
    await client.until(() => client.events.length === 1);
  });
});
