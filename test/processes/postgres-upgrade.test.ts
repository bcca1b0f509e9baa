import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { newestVersion } from "../../src/store/postgres/migrate.js";
import { PostgresDatabase } from "../support/postgres-database.js";
import { checkBooks } from "../support/recount.js";
import { eventually, spawnServer, startServer, type ServerProcess } from "../support/server-process.js";
import { tempDirectory } from "../support/temp-directory.js";
import { TRANSLATED } from "../support/translated.js";
import { Sink } from "../support/webhook-sink.js";

const OLD = newestVersion();
const NEW = OLD + 1;
const CONCURRENCY = 20;
/** Requests that are under way at once. */
const CLIENTS = 4;
/** Jobs that are accepted before, and after, whatever a test waits for. */
const SOME = 150;

/** Konveier as the next version will be: this one, and a migration more. */
function nextVersion(migration: string): URL {
  const current = process.env[TRANSLATED] ?? "";
  // Beside it, so that packages are found from there.
  const next = mkdtempSync(`${current}-next-`);
  onTestFinished(() => {
    rmSync(next, { recursive: true, force: true });
  });
  cpSync(current, next, { recursive: true, verbatimSymlinks: true });
  const name = `${String(NEW).padStart(4, "0")}_next.sql`;
  writeFileSync(join(next, "src", "store", "postgres", "migrations", name), migration);
  return pathToFileURL(join(next, "src", "cli", "main.js"));
}

interface Scene {
  readonly database: PostgresDatabase;
  readonly sink: Sink;
  readonly settings: (main?: URL) => Parameters<typeof startServer>[0];
  readonly load: Load;
}

async function setScene(): Promise<Scene> {
  const database = new PostgresDatabase();
  const sink = await Sink.start();
  return {
    database,
    sink,
    load: new Load(sink.url),
    settings: (main) => ({
      cwd: tempDirectory(),
      env: {
        DATABASE_URL: database.url,
        KONVEIER_SCHEMA: database.schema,
        KONVEIER_LEASE_MS: "5000",
        KONVEIER_CONCURRENCY: String(CONCURRENCY),
        KONVEIER_WEBHOOK_ALLOW_CIDRS: "127.0.0.0/8",
        KONVEIER_LOG_LEVEL: "warn",
      },
      ...(main !== undefined && { main }),
    }),
  };
}

/** Clients that enqueue one job after another, at one server after the other. */
class Load {
  /** Where the jobs go that were accepted. */
  readonly accepted: string[] = [];
  /** What the refused ones were told. */
  readonly refused: unknown[] = [];
  readonly servers: ServerProcess[] = [];
  readonly #clients: Promise<void>[] = [];
  readonly #waiting: { readonly count: number; readonly done: () => void }[] = [];
  #sent = 0;
  #stopped = false;

  constructor(private readonly url: string) {}

  start(): void {
    for (let client = 0; client < CLIENTS; client += 1) {
      const running = this.#run();
      // Its failure is that of who stops it. A test that has failed before does not, and ends its servers under it.
      running.catch(() => undefined);
      this.#clients.push(running);
    }
  }

  /** Resolves when so many jobs more were accepted than now. */
  more(jobs: number): Promise<void> {
    return new Promise((done) => {
      this.#waiting.push({ count: this.accepted.length + jobs, done });
    });
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#clients);
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      const n = this.#sent++;
      await this.enqueue(this.servers[n % this.servers.length]!, `/job/${String(n)}`);
    }
  }

  async enqueue(server: ServerProcess, path: string): Promise<void> {
    const job = { name: "webhook.call", payload: { url: this.url + path } };
    const { status, body } = await server.post<unknown>("/v1/jobs", job);
    if (status !== 201) {
      this.refused.push(body);
      return;
    }
    this.accepted.push(path);
    for (const { count, done } of this.#waiting) if (this.accepted.length >= count) done();
  }
}

interface JobRow {
  readonly id: number;
  readonly state: string;
  readonly attempt: number;
  readonly worker_id: string;
  readonly path: string;
}

/** Resolves with all jobs in the order of their ids when every one of them has ended. */
async function ended({ rows }: PostgresDatabase): Promise<JobRow[]> {
  return eventually(
    () =>
      rows<JobRow>(
        `SELECT id, state, attempt, worker_id, payload::json->>'url' AS path
         FROM jobs JOIN job_specs ON job_id = id ORDER BY id`,
      ),
    (jobs) => jobs.every(({ state }) => ["completed", "dead", "cancelled"].includes(state)),
  );
}

function readiness(server: ServerProcess): Promise<number> {
  return server.get("/readyz").then(({ status }) => status);
}

test("PGS-09 servers of two versions side by side, with a migration under load: every job ends once", async () => {
  const { database, sink, settings, load } = await setScene();
  // The sleep stands for a table that is larger than that of a test.
  const next = nextVersion(
    `-- Oldest version that may go on: ${String(OLD)}
     ALTER TABLE jobs ADD COLUMN note text;
     CREATE INDEX jobs_note ON jobs (note) WHERE note IS NOT NULL;
     SELECT pg_sleep(1);`,
  );
  const old = await startServer(settings());
  load.servers.push(old);
  load.start();
  await load.more(SOME);
  const [newer, another] = await Promise.all([startServer(settings(next)), startServer(settings(next))]);
  const [last] = await database.rows<{ id: number }>("SELECT max(id) AS id FROM jobs");
  load.servers.push(newer, another);
  await load.more(SOME);
  // One that is started again, or the first one after a step back.
  const restarted = await startServer(settings());
  load.servers.push(restarted);
  await load.more(SOME);
  await load.stop();

  const jobs = await ended(database);
  expect(load.refused).toEqual([]);
  expect(jobs.map(({ path }) => path).sort()).toEqual(load.accepted.map((path) => sink.url + path).sort());
  expect(jobs.filter(({ state, attempt }) => state !== "completed" || attempt !== 1)).toEqual([]);
  expect([...sink.deliveries.values()].filter((times) => times !== 1)).toEqual([]);
  // All of them have worked since the migration.
  const workers = new Set(jobs.filter(({ id }) => id > last!.id).map((job) => job.worker_id));
  expect(workers.size).toBe(4);
  expect(await database.rows("SELECT version, oldest_compatible FROM schema_version")).toEqual([
    { version: NEW, oldest_compatible: OLD },
  ]);
  for (const server of load.servers) {
    expect(await readiness(server)).toBe(200);
    expect(server.log).toEqual([]);
    expect(await server.stop()).toMatchObject({ code: 0 });
  }
  await checkBooks(await database.open());
});

test("PGS-09 a server that a migration has left behind writes nothing more, and the new one does all jobs", async () => {
  const { database, sink, settings, load } = await setScene();
  const next = nextVersion("ALTER TABLE jobs ADD COLUMN note text NOT NULL DEFAULT ''");
  const old = await startServer(settings());
  load.servers.push(old);
  sink.hold();
  const first = Array.from({ length: CONCURRENCY }, (_, index) => `/held/${String(index)}`);
  await Promise.all(first.map((path) => load.enqueue(old, path)));
  await sink.until((held) => held.length === CONCURRENCY);
  load.start();
  await load.more(SOME);

  const newer = await startServer(settings(next));
  await eventually(
    () => Promise.resolve(load.refused.length),
    (refused) => refused > 0,
  );
  load.servers.splice(0, 1, newer);
  const told = `schema version ${String(NEW)}, this program knows up to ${String(OLD)}. Update Konveier`;
  const refusal = {
    status: 503,
    body: { code: "store_too_new", title: "The database belongs to a newer version" },
  };
  expect(await old.post("/v1/claim", { workerId: "w", queues: ["default"], max: 1 })).toMatchObject(refusal);
  expect(await old.get("/v1/jobs")).toMatchObject(refusal);
  await eventually(
    () => readiness(old),
    (status) => status === 503,
  );
  expect(await old.logged("store.unavailable")).toMatchObject({
    err: { message: expect.stringContaining(told) as string },
  });
  // Its handlers end. What they have to say cannot be written any more, so their jobs are done again.
  sink.release();
  await load.more(SOME);
  await load.stop();
  const jobs = await ended(database);
  expect(await old.stop()).toMatchObject({ code: 0 });

  for (const body of load.refused) expect(body).toMatchObject({ code: "store_too_new" });
  expect(jobs.map(({ path }) => path).sort()).toEqual(load.accepted.map((path) => sink.url + path).sort());
  expect(jobs.filter(({ state }) => state !== "completed")).toEqual([]);
  const lost = await database.rows<{ job_id: number; outcome: string }>(
    "SELECT job_id, outcome FROM attempts WHERE outcome <> 'completed' ORDER BY job_id",
  );
  expect(lost).toEqual(jobs.slice(0, CONCURRENCY).map(({ id }) => ({ job_id: id, outcome: "lost" })));
  const twice = [...sink.deliveries].filter(([, times]) => times !== 1).map(([path]) => path);
  expect(twice.sort()).toEqual(first.toSorted());

  // No way back.
  const again = spawnServer(settings());
  expect(await again.exited).toMatchObject({ code: 1 });
  expect(again.stderr).toContain(told);
  expect(await newer.stop()).toMatchObject({ code: 0 });
  // In truth this program knows its way about in there.
  await database.rows("UPDATE schema_version SET oldest_compatible = $1", [OLD]);
  await checkBooks(await database.open());
});
