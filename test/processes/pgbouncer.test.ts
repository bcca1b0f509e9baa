import pg from "pg";
import { describe, expect, onTestFinished, test } from "vitest";
import { defineJob } from "../../src/core/define-job.js";
import { createContext } from "../../src/engine/context.js";
import { enqueue } from "../../src/engine/enqueue.js";
import { Konveier, type KonveierOptions } from "../../src/konveier.js";
import type { PostgresStore } from "../../src/store/postgres/open.js";
import type { StoreChange } from "../../src/store/store.js";
import { claimRequest } from "../contract/harness.js";
import { runCli } from "../support/cli.js";
import { PGBOUNCER, PgBouncer } from "../support/pgbouncer.js";
import { PostgresDatabase } from "../support/postgres-database.js";
import { allJobs, checkBooks } from "../support/recount.js";
import { eventually, startServer } from "../support/server-process.js";
import { tempDirectory } from "../support/temp-directory.js";

const STORES = 4;
const JOBS = 200;
/** Fewer than one process would have for itself: whoever waits for a second one while it holds one waits for ever. */
const ONE_CONNECTION = 1;
const FEW_CONNECTIONS = 3;

interface Behind {
  readonly bouncer: PgBouncer;
  readonly database: PostgresDatabase;
}

async function behind(poolSize: number): Promise<Behind> {
  const database = new PostgresDatabase();
  return { database, bouncer: await PgBouncer.start(poolSize) };
}

/** Stores that listen past PgBouncer, as they should. */
function openStores({ bouncer, database }: Behind): Promise<PostgresStore[]> {
  const open = () => database.open({ listenUrl: database.url }, bouncer.url);
  return Promise.all(Array.from({ length: STORES }, open));
}

async function openKonveier({ bouncer, database }: Behind, options: KonveierOptions = {}): Promise<Konveier> {
  const konveier = await Konveier.open(bouncer.url, { schema: database.schema, ...options });
  onTestFinished(() => konveier.close());
  return konveier;
}

/** What a store is told, in its order. */
function changesOf(store: PostgresStore): StoreChange[] {
  const changes: StoreChange[] = [];
  store.onChange((change) => {
    changes.push(change);
  });
  return changes;
}

const isAnything = ({ queues }: StoreChange) => queues === null;
const names = (queue: string) => (change: StoreChange) => change.queues?.has(queue) === true;

describe.skipIf(PGBOUNCER === null)("behind PgBouncer in transaction mode", () => {
  test("stores that open together make one schema, and leave nothing set on the connection they share", async () => {
    const shared = await behind(ONE_CONNECTION);
    const client = new pg.Client(shared.bouncer.url);
    await client.connect();
    onTestFinished(() => client.end());
    const settings = async () => {
      const { rows } = await client.query(
        `SELECT pg_backend_pid() AS pid, current_setting('search_path') AS search_path,
           current_setting('lock_timeout') AS lock_timeout,
           current_setting('idle_in_transaction_session_timeout') AS idle_timeout,
           (SELECT count(*) FROM pg_locks WHERE pid = pg_backend_pid() AND locktype = 'advisory') AS locks,
           (SELECT count(*) FROM pg_prepared_statements) AS prepared`,
      );
      return rows as unknown[];
    };
    const before = await settings();
    const [store] = await openStores(shared);
    expect((await store?.about())?.kind).toBe("postgres");
    const context = createContext(store!);
    await enqueue(context, { name: "work" });
    await store!.claims.claimAs({ ...claimRequest(), claimId: "named" });
    expect(await settings()).toEqual(before);
  });

  test("stores that share one connection give every job to one of them, and every key to one job", async () => {
    const shared = await behind(ONE_CONNECTION);
    const stores = await openStores(shared);
    const keys = Array.from({ length: JOBS }, (_, index) => `key-${String(index)}`);
    const accepted = await Promise.all(
      stores.flatMap((store) => {
        const context = createContext(store);
        return keys.map((idempotencyKey) => enqueue(context, { name: "work", idempotencyKey }));
      }),
    );
    expect(new Set(accepted.map(({ id }) => id)).size).toBe(JOBS);
    expect(accepted.filter(({ deduplicated }) => !deduplicated)).toHaveLength(JOBS);

    const claimed = await Promise.all(stores.map(drain));
    const ids = claimed.flat();
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toHaveLength(JOBS);
    const jobs = await allJobs(stores[0]!);
    expect(jobs.filter(({ state, attempt }) => state !== "completed" || attempt !== 1)).toEqual([]);
    await checkBooks(stores[0]!);
  });

  test("slots of a schedule make one job each, whichever process is first", async () => {
    const shared = await behind(FEW_CONNECTIONS);
    const job = defineJob("tick", { handler: () => undefined });
    const schedules = { tick: { everyMs: 1_000, job } };
    const processes = await Promise.all(
      Array.from({ length: STORES }, () =>
        openKonveier(shared, { schedules, listenUrl: shared.database.url }),
      ),
    );
    await Promise.all(processes.map((konveier) => konveier.worker({ jobs: [job] }).start()));
    const store = await shared.database.open();
    const runs = await eventually(
      () => store.schedules.runs("tick", 100, null),
      (all) => all.length >= 4,
    );
    const slots = runs.map(({ slot }) => slot);
    expect(slots).toEqual(slots.map((_, index) => slots[0]! - 1_000 * index));
    expect(new Set(runs.map(({ jobId }) => jobId)).size).toBe(runs.length);
  });

  test("a store that listens at the database is told which queues have changed", async () => {
    const [listener, writer] = await openStores(await behind(FEW_CONNECTIONS));
    const changes = changesOf(listener!);
    const context = createContext(writer!);
    await eventually(
      async () => {
        await enqueue(context, { name: "work", queue: "told" });
        return changes.some(names("told"));
      },
      (told) => told,
    );
  });

  test("a store that listens through it knows that it hears nothing, and looks every second", async () => {
    // With one connection, whoever asks PostgreSQL meets the one that listens, and is told that all is well.
    const { bouncer, database } = await behind(ONE_CONNECTION);
    const store = await database.open({}, bouncer.url);
    const changes = changesOf(store);
    await database.until(() => Promise.resolve(changes.filter(isAnything).length >= 4), 8_000);
  });

  test("a worker that cannot listen finds the jobs of others all the same", async () => {
    const shared = await behind(ONE_CONNECTION);
    const [here, there] = [await openKonveier(shared), await openKonveier(shared)];
    const job = defineJob("work", { handler: () => "done" });
    await here.worker({ jobs: [job], pollMs: 60_000 }).start();
    // The first one may be found because the worker has just begun.
    for (let n = 0; n < 3; n += 1) {
      const { id } = await there.enqueue(job, {});
      await eventually(
        () => there.jobs.get(id),
        (found) => found?.state === "completed",
        10_000,
      );
    }
  });

  test("jobs are enqueued and completed in transactions that lead through it", async () => {
    const shared = await behind(FEW_CONNECTIONS);
    const konveier = await openKonveier(shared, { listenUrl: shared.database.url });
    const pool = new pg.Pool({ connectionString: shared.bouncer.url });
    onTestFinished(() => pool.end());
    const transaction = async <T>(
      end: "COMMIT" | "ROLLBACK",
      work: (client: pg.PoolClient) => Promise<T>,
    ) => {
      const client = await pool.connect();
      try {
        await client.query("BEGIN");
        const answer = await work(client);
        await client.query(end);
        return answer;
      } finally {
        client.release();
      }
    };
    const job = defineJob("work", {
      handler: ({ within }) => transaction("COMMIT", (client) => within(client).complete("done")),
    });
    await expect(konveier.within(pool).enqueue(job, {})).rejects.toMatchObject({
      code: "transaction_unusable",
    });
    const undone = await transaction("ROLLBACK", (client) => konveier.within(client).enqueue(job, {}));
    const done = await transaction("COMMIT", (client) => konveier.within(client).enqueue(job, {}));
    await konveier.worker({ jobs: [job], pollMs: 60_000 }).start();
    await konveier.jobs.waitFor(done.id);
    expect(await konveier.jobs.result(done.id)).toBe("done");
    expect(await konveier.jobs.get(undone.id)).toBeNull();
  });

  // In the long form only: in one of seven runs on a loaded machine a connection of the test's own was cut, and it is not
  // known yet by whom.
  const long = test.runIf(process.env["KONVEIER_LONG_TESTS"] === "1");
  long("whatever becomes of its connections, no job is lost, made twice or confirmed in vain", async () => {
    const shared = await behind(FEW_CONNECTIONS);
    const { bouncer, database } = shared;
    const [producer, consumer] = [await openKonveier(shared), await openKonveier(shared)];
    const handled = new Set<string>();
    const job = defineJob<string>("work", {
      handler: ({ payload }) => void handled.add(payload),
      backoff: { type: "fixed", delayMs: 0 },
    });
    await consumer.worker({ jobs: [job], pollMs: 1_000, leaseMs: 3_000 }).start();

    const accepted = new Map<string, string>();
    const stop = new AbortController();
    const producing = (async () => {
      for (let index = 0; !stop.signal.aborted; index += 1) {
        const key = `key-${String(index)}`;
        // Whoever is told of an outage asks again under the same key.
        const answer = await eventually(
          () => producer.enqueue(job, key, { idempotencyKey: key }).catch(refusedForNow),
          (enqueued) => enqueued !== null,
        );
        if (answer !== null) accepted.set(key, answer.id);
      }
    })();
    const goesOn = () => {
      const before = new Set(accepted.keys());
      return eventually(
        () => Promise.resolve([...accepted.keys()].some((key) => !before.has(key) && handled.has(key))),
        (is) => is,
      );
    };
    await goesOn();
    const failures: readonly (() => Promise<unknown>)[] = [
      () => bouncer.command("RECONNECT"),
      () => terminateAll(bouncer, database),
      async () => {
        for (let round = 0; round < 10; round += 1) await terminateAll(bouncer, database);
      },
      async () => {
        await bouncer.command("KILL postgres");
        await bouncer.command("RESUME postgres");
      },
      () => bouncer.crash(),
    ];
    for (const fail of failures) {
      await fail();
      await goesOn();
    }
    stop.abort();
    await producing;

    const store = await database.open();
    await eventually(
      () => store.queues.get("default"),
      (queue) => queue?.counts.completed === accepted.size,
    );
    expect([...accepted.keys()].filter((key) => !handled.has(key))).toEqual([]);
    expect(new Set(accepted.values()).size).toBe(accepted.size);
    expect(await allJobs(store)).toHaveLength(accepted.size);
    await checkBooks(store);
  });

  test.each<[string, (url: URL) => void, string]>([
    ["a wrong password", (url) => (url.password = "wrong"), "store_unsupported: Check the user"],
    ["an unknown user", (url) => (url.username = "stranger"), "store_unsupported: Check the user"],
    ["an unknown database", (url) => (url.pathname = "/nowhere"), "store_missing: Make the database"],
    [
      "settings that it does not pass on",
      ({ searchParams }) => {
        searchParams.set("options", "-c work_mem=8MB");
      },
      "store_unsupported: Take it out of the database URL",
    ],
  ])("%s is told at the opening as the database would", async (_, change, said) => {
    const { bouncer, database } = await behind(FEW_CONNECTIONS);
    const url = new URL(bouncer.url);
    change(url);
    const [code = "", advice = ""] = said.split(": ");
    const opening = database.open({}, url.href);
    await expect(opening).rejects.toMatchObject({ code, message: expect.stringContaining(advice) as string });
  });

  test("servers and the command line work through it", async () => {
    const { bouncer, database } = await behind(FEW_CONNECTIONS);
    const env = {
      DATABASE_URL: bouncer.url,
      KONVEIER_LISTEN_URL: database.url,
      KONVEIER_SCHEMA: database.schema,
    };
    const start = () => startServer({ cwd: tempDirectory(), env });
    const [first, second] = await Promise.all([start(), start()]);
    const claim = { workerId: "w", queues: ["default"], max: 1, leaseMs: 30_000, waitMs: 30_000 };
    const waiting = second.post<{ jobs: { id: string; leaseToken: string }[] }>("/v1/claim", claim);
    const { body } = await first.post<{ id: string }>("/v1/jobs", { name: "work", payload: {} });
    const [claimed] = (await waiting).body.jobs;
    expect(claimed?.id).toBe(body.id);
    await first.post(`/v1/jobs/${body.id}/complete`, { leaseToken: claimed?.leaseToken });
    const { body: ended } = await second.get<{ state: string }>(`/v1/jobs/${body.id}`);
    expect(ended.state).toBe("completed");
    const doctor = await runCli(null, ["doctor"], { env });
    expect(doctor.stdout).toMatch(/PostgreSQL \d+/);
    for (const server of [first, second]) {
      expect(await server.stop()).toMatchObject({ code: 0 });
      expect(server.stderr).not.toContain("internal.error");
    }
  });
});

describe.skipIf(PGBOUNCER === null)("behind PgBouncer in session mode", () => {
  test("a store listens through it", async () => {
    const database = new PostgresDatabase();
    const bouncer = await PgBouncer.start(20, "session");
    const listener = await database.open({}, bouncer.url);
    const changes = changesOf(listener);
    const context = createContext(await database.open());
    await eventually(
      async () => {
        await enqueue(context, { name: "work", queue: "told" });
        return changes.some(names("told"));
      },
      (told) => told,
    );
  });
});

/** Claims and completes until there is nothing left. @returns the jobs that it was given */
async function drain(store: PostgresStore): Promise<string[]> {
  const ids: string[] = [];
  for (;;) {
    const jobs = await store.claims.claim({ ...claimRequest({ max: 7 }), leaseMs: 60_000 });
    if (jobs.length > 0) {
      ids.push(...jobs.map(({ id }) => id));
      await store.claims.settle(
        jobs.map(({ id, token }) => ({ verb: "complete", id, token, result: null, resultProblem: null })),
      );
    } else if ((await store.queues.get("default"))?.counts.pending === 0) return ids;
  }
}

function refusedForNow(error: unknown): null {
  expect(error).toMatchObject({ code: expect.stringMatching(/^store_(io|busy)$/) as string });
  return null;
}

/** Ends the connections of this PgBouncer to the server, and no others: the server is shared with other tests. */
async function terminateAll(bouncer: PgBouncer, database: PostgresDatabase): Promise<void> {
  const servers = await bouncer.command("SHOW SERVERS");
  const ports = servers.map((server) => server["local_port"]);
  await database.rows("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE client_port = ANY($1)", [
    ports,
  ]);
}
