import { describe, expect, test } from "vitest";
import { PostgresDatabase } from "../../../test/support/postgres-database.js";
import { PostgresProxy } from "../../../test/support/postgres-proxy.js";
import { createContext } from "../../engine/context.js";
import { enqueue } from "../../engine/enqueue.js";
import type { StoreChange } from "../store.js";
import { channelOf } from "./notifications.js";

const LISTENER = "konveier listener";
/** Longer than it may take until somebody hears again who has heard nothing. */
const LONGEST_MS = 15_000;

/** A store that listens through a proxy, another one that writes, and what the first one hears. */
async function setUp() {
  const database = new PostgresDatabase();
  const proxy = await PostgresProxy.start(database.url);
  const writer = await database.open();
  const store = await database.open({ listenUrl: proxy.url });
  const heard: StoreChange[] = [];
  store.onChange((change) => {
    heard.push(change);
  });
  const context = createContext(writer);
  const write = async (queue: string) => {
    await enqueue(context, { name: "work", queue });
  };
  const named = (queue: string) => heard.some(({ queues }) => queues?.has(queue) === true);
  // Its first words are that anything may have happened.
  await database.until(() => Promise.resolve(heard.some(({ queues }) => queues === null)));
  await write("first");
  await database.until(() => Promise.resolve(named("first")));
  return {
    database,
    proxy,
    writer,
    heard,
    write,
    named,
    /** Hears that anything may have happened, which it has not heard since. */
    anythingAfter: (since: number) =>
      database.until(
        () => Promise.resolve(heard.slice(since).some(({ queues }) => queues === null)),
        LONGEST_MS,
      ),
    hearsNamed: (queue: string) => database.until(() => Promise.resolve(named(queue)), LONGEST_MS),
  };
}

describe("a listener", () => {
  test("whose connection is terminated hears again, and what happened meanwhile is told", async () => {
    const { database, proxy, heard, write, named, anythingAfter, hearsNamed } = await setUp();
    const ended = await database.rows(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE client_port = ANY($1)",
      [proxy.ports(LISTENER)],
    );
    expect(ended).toHaveLength(1);
    await database.until(() => Promise.resolve(proxy.connections === 0));
    const since = heard.length;
    await write("meanwhile");
    await anythingAfter(since);
    expect(named("meanwhile")).toBe(false);
    await write("again");
    await hearsNamed("again");
  });

  test("that was told to unlisten hears again, and what happened meanwhile is told", async () => {
    const { proxy, heard, write, named, anythingAfter, hearsNamed } = await setUp();
    expect(proxy.inject(LISTENER, "UNLISTEN *")).toBe(1);
    const since = heard.length;
    await write("meanwhile");
    await anythingAfter(since);
    expect(named("meanwhile")).toBe(false);
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    await write("again");
    await hearsNamed("again");
  });

  test("whose network is a black hole hears again, and what happened meanwhile is told", async () => {
    const { proxy, heard, write, named, anythingAfter, hearsNamed } = await setUp();
    proxy.network = "hang";
    await write("meanwhile");
    // It knows by now that it hears nothing.
    await anythingAfter(heard.length);
    const since = heard.length;
    proxy.network = "well";
    await anythingAfter(since);
    expect(named("meanwhile")).toBe(false);
    await write("again");
    await hearsNamed("again");
  });

  test("is told of commits whose process died before it could say so", async () => {
    const { database, heard, anythingAfter } = await setUp();
    const since = heard.length;
    await database.rows(
      `INSERT INTO deltas (at, queue, name, counts, events, durations, notes)
       VALUES (1, 'untold', 'a', '{"pending": 0}', '{}', '[]', 1)`,
    );
    await anythingAfter(since);
  });

  test("is told that a queue was resumed before it listened", async () => {
    const { database, writer } = await setUp();
    await writer.queues.pause("q", null);
    const late = await database.open();
    const heard: StoreChange[] = [];
    late.onChange((change) => {
      heard.push(change);
    });
    await writer.queues.resume("q");
    await database.until(() => Promise.resolve(heard.length > 0));
  });

  test.each([
    "garbage",
    "",
    "null",
    "[]",
    "1",
    '{"from": 1}',
    '{"from": "x", "q": 1}',
    '{"from": "x", "q": [1]}',
  ])("that is told %j takes it for anything", async (payload) => {
    const { database, heard, anythingAfter } = await setUp();
    const since = heard.length;
    await database.rows("SELECT pg_notify($1, $2)", [channelOf(database.s), payload]);
    await anythingAfter(since);
  });

  test("hears of more queues than a notification can name", async () => {
    const { writer, heard, anythingAfter } = await setUp();
    const since = heard.length;
    const context = createContext(writer);
    await Promise.all(
      Array.from({ length: 200 }, (_, index) =>
        enqueue(context, { name: "work", queue: `a-queue-with-a-rather-long-name-${String(index)}` }),
      ),
    );
    await anythingAfter(since);
  });
});
