import Fastify from "fastify";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { StreamClient } from "../../../test/support/event-stream.js";
import { FakeClock } from "../../../test/support/fake-clock.js";
import { eventually } from "../../../test/support/server-process.js";
import { tempDirectory } from "../../../test/support/temp-directory.js";
import { KonveierError } from "../../core/errors.js";
import { createContext } from "../../engine/context.js";
import { enqueue, enqueueMany } from "../../engine/enqueue.js";
import { openSqliteStore } from "../../store/sqlite/open.js";
import type { LiveReading } from "../../store/live.js";
import { Streams } from "../streams/streams.js";
import { LiveFeed } from "./live-feed.js";
import { LiveFrames } from "./live-frames.js";

/** Live streams on a server that has nothing else. Time stands still; every reading is counted. */
async function setUp() {
  const store = openSqliteStore(join(tempDirectory(), "konveier.db"));
  const clock = new FakeClock();
  const context = createContext(store, { clock, random: () => 0.5 });
  const streams = new Streams(context);
  const counted = { readings: 0, versions: 0, takesMs: 0 };
  const read = store.live.read.bind(store.live);
  const version = store.live.version.bind(store.live);
  Object.assign(store.live, {
    read: (): Promise<LiveReading> => {
      counted.readings += 1;
      clock.block(counted.takesMs);
      return read();
    },
    version: () => {
      counted.versions += 1;
      return version();
    },
  });
  const frames = new LiveFrames(store);
  const app = Fastify();
  app.get<{ Querystring: { queues?: string } }>("/", (request, reply) => {
    const globs = request.query.queues?.split(",") ?? null;
    const subscriber = { owner: null, isGood: () => Promise.resolve(true) };
    const feedOf = (stream: ConstructorParameters<typeof LiveFeed>[2]) =>
      new LiveFeed(context.live, frames, stream, globs);
    return streams.open(request, reply, subscriber, feedOf);
  });
  const url = await app.listen({ host: "127.0.0.1", port: 0 });
  onTestFinished(async () => {
    streams.drain();
    app.server.closeAllConnections();
    await app.close();
    await store.close();
  });
  const open = async (query = "") => {
    const client = await StreamClient.open(url + query);
    await client.until(() => client.events.length > 0);
    return client;
  };
  return { app, clock, context, store, streams, counted, open };
}

const LONG = "q".repeat(120);

describe("live streams", () => {
  test("ten streams cost one reading at the begin, and one for each change", async () => {
    const { open, context, clock, counted } = await setUp();
    const clients = await Promise.all(Array.from({ length: 10 }, () => open()));
    expect(counted.readings).toBe(1);
    await enqueue(context, { name: "work" });
    await clock.advance(1_000);
    for (const client of clients) await client.until(() => client.events.length === 2);
    expect(counted.readings).toBe(2);
    expect(clients[0]!.events[1]).toMatchObject({
      event: "change",
      data: { queues: [{ name: "default", counts: { pending: 1 } }], gone: [], topics: ["jobs"] },
    });
  });

  test("nothing is read while nothing changes, and heartbeats come every 15 s", async () => {
    const { open, clock, counted } = await setUp();
    const client = await open();
    await clock.advance(600_000);
    expect(counted.readings).toBe(1);
    // The net under wake-ups, and no more.
    expect(counted.versions).toBeLessThan(15);
    await client.until(() => client.frames.length === 2 + 40);
    expect(client.events).toHaveLength(1);
  });

  test("a write that changes nothing is no reason to read, and a readiness check none for a frame", async () => {
    const { open, context, clock, counted, store } = await setUp();
    const client = await open();
    await clock.advance(1_000);
    await store.workers.gone("nobody");
    await clock.advance(2_000);
    expect(counted.readings).toBe(1);
    await store.checkWrite();
    await clock.advance(2_000);
    expect(counted.readings).toBe(2);
    await enqueue(context, { name: "work" });
    await clock.advance(1_000);
    await client.until(() => client.events.length === 2);
    expect(client.events[1]).toMatchObject({ data: { topics: ["jobs"] } });
  });

  test("at most one frame a second comes, the first of them soon, and the last one tells how it is", async () => {
    const { open, context, clock, counted } = await setUp();
    const client = await open();
    await clock.advance(5_000);
    for (let n = 0; n < 30; n += 1) {
      await enqueue(context, { name: "work" });
      await clock.advance(100);
    }
    expect(counted.readings).toBe(1 + 4);
    await client.until(() => client.events.length === 1 + 4);
    const pending = client.events.slice(1).map(({ data }) => {
      const [queue] = data!["queues"] as { counts: { pending: number } }[];
      return queue!.counts.pending;
    });
    expect(pending[0]).toBe(1);
    expect(pending.at(-1)).toBe(30);
  });

  test("a reading that takes long is followed by a pause of twenty times as long", async () => {
    const { open, context, clock, counted } = await setUp();
    counted.takesMs = 500;
    await open();
    const readingsIn = async (ms: number) => {
      const before = counted.readings;
      await enqueue(context, { name: "work" });
      await clock.advance(ms);
      return counted.readings - before;
    };
    expect(await readingsIn(9_000)).toBe(0);
    expect(await readingsIn(1_000)).toBe(1);
    expect(await readingsIn(9_400)).toBe(0);
  });

  test("nothing is left when the last stream ends: no timer, no reading; the next one begins anew", async () => {
    const { open, context, clock, counted, streams } = await setUp();
    const clients = await Promise.all([open(), open()]);
    for (const client of clients) client.drop();
    await eventually(
      () => Promise.resolve(streams.count),
      (count) => count === 0,
    );
    await clock.advance(0);
    expect(clock.pendingTimers).toBe(0);
    await enqueue(context, { name: "work" });
    await clock.advance(60_000);
    expect(counted.readings).toBe(1);
    const client = await open();
    expect(client.events[0]!.data!["queues"]).toMatchObject([{ counts: { pending: 1 } }]);
    await enqueue(context, { name: "work" });
    await clock.advance(1_000);
    await client.until(() => client.events.length === 2);
  });

  test("a client is told nothing of queues that it may not see, only that something was written", async () => {
    const { open, context, clock } = await setUp();
    await enqueueMany(context, [
      { name: "a", queue: "secret" },
      { name: "a", queue: "open.1" },
    ]);
    const client = await open("?queues=open.*");
    expect(client.events[0]!.data!["queues"]).toMatchObject([{ name: "open.1" }]);
    await enqueue(context, { name: "a", queue: "secret" });
    await clock.advance(1_000);
    await enqueue(context, { name: "a", queue: "open.2" });
    await clock.advance(1_000);
    await client.until(() => client.events.length === 3);
    expect(client.events.slice(1).map(({ data }) => data)).toMatchObject([
      { queues: [], gone: [], topics: ["other"] },
      { queues: [{ name: "open.2" }], gone: [], topics: ["other"] },
    ]);
  });

  test("who does not read misses frames and gets a snapshot; who is silent for long is cut", async () => {
    const { open, context, clock, app, streams } = await setUp();
    const jobs = Array.from({ length: 1_000 }, (_, n) => ({ name: "work", queue: `${LONG}${n}` }));
    const ends: { writableLength: number }[] = [];
    app.server.on("request", (_, response) => ends.push(response));
    const slow = await open();
    await enqueueMany(context, jobs);
    await clock.advance(1_000);
    await slow.until(() => slow.events.length === 2);
    const oneSnapshot = JSON.stringify(slow.events[1]!.data).length;
    slow.response.socket.pause();
    const other = await open();
    let most = 0;
    // More than the system's buffers hold, and then some.
    for (let round = 0, full = 0; full < 4; round += 1) {
      await enqueueMany(context, jobs);
      await clock.advance(1_000);
      await other.until(() => other.events.length === round + 2);
      most = Math.max(most, ends[0]!.writableLength);
      if (most > 128 * 1024) full += 1;
    }
    expect(most).toBeLessThan(256 * 1024 + oneSnapshot);
    await clock.advance(60_000);
    expect(streams.count).toBe(1);
    const told = slow.events.length;
    slow.response.socket.resume();
    await slow.untilClosed();
    expect(slow.events.length - told).toBeLessThan(other.events.length);
    expect(slow.events.filter(({ event }) => event === "snapshot")).toHaveLength(1);
  });

  test("who reads again in time gets a snapshot, and goes on from there", async () => {
    const { open, context, clock, app } = await setUp();
    const jobs = Array.from({ length: 1_000 }, (_, n) => ({ name: "work", queue: `${LONG}${n}` }));
    const ends: { writableLength: number }[] = [];
    app.server.on("request", (_, response) => ends.push(response));
    const slow = await open();
    slow.response.socket.pause();
    let rounds = 0;
    for (let skipped = 0; skipped < 2; rounds += 1) {
      await enqueueMany(context, jobs);
      if (ends[0]!.writableLength > 128 * 1024) skipped += 1;
      // Less than a heartbeat each, so that its silence is not noticed: only frames are to be missed here.
      await clock.advance(1_000);
      if (rounds > 200) throw new Error("the system takes everything");
    }
    slow.response.socket.resume();
    await slow.until(() => slow.events.filter(({ event }) => event === "snapshot").length === 2);
    const [queue] = slow.events.at(-1)!.data!["queues"] as { counts: { pending: number } }[];
    expect(queue!.counts.pending).toBe(rounds);
    await enqueue(context, { name: "work" });
    await clock.advance(1_000);
    await slow.until(() => slow.events.at(-1)!.event === "change");
    expect(slow.events.at(-1)!.data!["queues"]).toMatchObject([{ name: "default" }]);
  });

  test("a store that fails ends no stream, and what changed meanwhile is told afterwards", async () => {
    const { open, context, clock, store } = await setUp();
    const client = await open();
    const version = store.live.version.bind(store.live);
    const told: unknown[] = [];
    context.events.on("store.unavailable", ({ error }) => told.push(error));
    Object.assign(store.live, { version: () => Promise.reject(new KonveierError("store_io", "no")) });
    await enqueue(context, { name: "work" });
    await clock.advance(3_000);
    expect(told).toHaveLength(1);
    Object.assign(store.live, { version });
    await clock.advance(1_000);
    await client.until(() => client.events.length === 2);
  });
});
