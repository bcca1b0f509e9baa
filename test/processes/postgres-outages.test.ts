import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import type { PostgresStore } from "../../src/store/postgres/open.js";
import { PostgresDatabase } from "../support/postgres-database.js";
import { PostgresProxy } from "../support/postgres-proxy.js";
import { checkBooks } from "../support/recount.js";
import { eventually, startServer, type ServerProcess } from "../support/server-process.js";
import { tempDirectory } from "../support/temp-directory.js";

/** Enqueues without an end, each job under a key, until it is told that the job is accepted. */
class Producer {
  readonly accepted = new Set<string>();
  #stopped = false;
  readonly #ended: Promise<void>;

  constructor(
    private readonly server: ServerProcess,
    private readonly sinkUrl: string,
  ) {
    this.#ended = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#ended;
  }

  async #run(): Promise<void> {
    for (let index = 0; !this.#stopped; index += 1) {
      const key = `key-${String(index)}`;
      const job = {
        name: "webhook.call",
        payload: { url: `${this.sinkUrl}/${key}` },
        backoff: { type: "fixed", delayMs: 0 },
        idempotencyKey: key,
      };
      let status = 0;
      do {
        if (status !== 0) await delay(20);
        ({ status } = await this.server.post("/v1/jobs", job));
        expect([200, 201, 503]).toContain(status);
      } while (status === 503);
      this.accepted.add(key);
    }
  }
}

async function startSink(): Promise<{ url: string; delivered: Set<string> }> {
  const delivered = new Set<string>();
  const server = createServer((request, response) => {
    delivered.add((request.url ?? "").slice(1));
    request.resume();
    response.end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`, delivered };
}

test("the network and the database fail in every way, and no job is lost, stuck or confirmed in vain", async () => {
  const database = new PostgresDatabase();
  const store = await database.open();
  const proxy = await PostgresProxy.start(database.url);
  const sink = await startSink();
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
  const producer = new Producer(server, sink.url);
  const goesOn = () => goingOn(producer, sink.delivered);
  await goesOn();

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
    const healed = performance.now();
    await goesOn();
    await ready(server);
    if (process.env["KONVEIER_SHOW_TIMES"] === "1") {
      console.log(`${what}: went on after ${String(Math.round(performance.now() - healed))} ms`);
    }
  }

  await producer.stop();
  await allCompleted(store, producer.accepted);
  expect([...producer.accepted].filter((key) => !sink.delivered.has(key))).toEqual([]);
  await checkBooks(store);
  expect(server.stderr).not.toContain("internal.error");
});

/** Resolves when a job that was accepted from now on has been delivered. */
async function goingOn({ accepted }: Producer, delivered: ReadonlySet<string>): Promise<void> {
  const before = new Set(accepted);
  await eventually(
    () => Promise.resolve([...accepted].some((key) => !before.has(key) && delivered.has(key))),
    (is) => is,
  );
}

/** Ends the connections that came through the proxy, and no others: the server is shared with other tests. */
async function terminate(database: PostgresDatabase, proxy: PostgresProxy): Promise<void> {
  const ports = [...proxy.ports("konveier"), ...proxy.ports("konveier listener")];
  await database.rows("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE client_port = ANY($1)", [
    ports,
  ]);
}

function ready(server: ServerProcess): Promise<unknown> {
  return eventually(
    () => statusOf(server),
    (status) => status === 200,
  );
}

function unready(server: ServerProcess): Promise<unknown> {
  return eventually(
    () => statusOf(server),
    (status) => status === 503,
  );
}

async function statusOf(server: ServerProcess): Promise<number> {
  return (await fetch(`${server.url}/readyz`)).status;
}

async function allCompleted(store: PostgresStore, accepted: ReadonlySet<string>): Promise<void> {
  await eventually(
    () => store.queues.list(),
    ([queue]) => (queue?.counts.completed ?? 0) >= accepted.size && isStill(queue?.counts),
  );
}

function isStill(counts: Readonly<Record<string, number>> | undefined): boolean {
  return counts?.["pending"] === 0 && counts["running"] === 0 && counts["scheduled"] === 0;
}
