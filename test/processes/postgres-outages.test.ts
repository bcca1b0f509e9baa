import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { PostgresDatabase } from "../support/postgres-database.js";
import { PostgresProxy } from "../support/postgres-proxy.js";
import { checkBooks } from "../support/recount.js";
import { startServer } from "../support/server-process.js";
import { tempDirectory } from "../support/temp-directory.js";
import { allCompleted, goingOn, Producer, recovered, unready } from "../support/webhook-load.js";
import { Sink } from "../support/webhook-sink.js";

test("the network and the database fail in every way, and no job is lost, stuck or confirmed in vain", async () => {
  const database = new PostgresDatabase();
  const store = await database.open();
  const proxy = await PostgresProxy.start(database.url);
  const sink = await Sink.start();
  const server = await startServer({
    cwd: tempDirectory(),
    env: {
      DATABASE_URL: proxy.url,
      KONVEIER_SCHEMA: database.schema,
      KONVEIER_LEASE_MS: "5000",
      KONVEIER_WEBHOOK_ALLOW_CIDRS: "127.0.0.0/8",
      KONVEIER_LOG_LEVEL: "warn",
    },
  });
  const producer = new Producer(server, sink);
  await goingOn(producer);

  const failures: Readonly<Record<string, () => Promise<void>>> = {
    "every connection is terminated": async () => {
      await terminate(database, proxy);
    },
    "the database refuses connections": async () => {
      proxy.network = "refuse";
      await unready(server);
      proxy.network = "well";
    },
    "packets vanish": async () => {
      proxy.network = "hang";
      await unready(server);
      proxy.network = "well";
    },
    "every packet takes its time": async () => {
      proxy.network = "slow";
      await goingOn(producer);
      proxy.network = "well";
    },
    "a commit is done and its answer lost": () => proxy.cutAt("COMMIT", "after"),
    "a commit is lost": () => proxy.cutAt("COMMIT", "before"),
    "connections are terminated again and again": async () => {
      for (let round = 0; round < 10; round += 1) {
        await terminate(database, proxy);
        await delay(50);
      }
    },
  };
  for (const [what, fail] of Object.entries(failures)) {
    await fail();
    await recovered(what, producer, server);
  }

  await producer.stop();
  await allCompleted(store, producer.accepted);
  expect([...producer.accepted].filter((key) => !sink.deliveries.has(`/${key}`))).toEqual([]);
  await checkBooks(store);
  expect(server.stderr).not.toContain("internal.error");
});

/** Ends the connections that came through the proxy, and no others: the server is shared with other tests. */
async function terminate(database: PostgresDatabase, proxy: PostgresProxy): Promise<void> {
  const ports = [...proxy.ports("konveier"), ...proxy.ports("konveier listener")];
  await database.rows("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE client_port = ANY($1)", [
    ports,
  ]);
}
