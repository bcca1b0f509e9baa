import { randomBytes } from "node:crypto";
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { openPostgresStore, type PostgresStore } from "../../src/store/postgres/open.js";
import { postgresUrl } from "../support/postgres-factory.js";
import { allJobs, checkBooks } from "../support/recount.js";
import { eventually, startServer, type ServerProcess } from "../support/server-process.js";
import { tempDirectory } from "../support/temp-directory.js";
import { Sink } from "../support/webhook-sink.js";

/** The whole form is for the night; the short one has the same steps. */
const JOBS = process.env["KONVEIER_LONG_TESTS"] === "1" ? 20_000 : 2_000;
const LEASE_MS = 2_000;
const HELD = 3;

interface Scene {
  readonly sink: Sink;
  readonly store: PostgresStore;
  readonly start: () => Promise<Server>;
}

interface Server {
  readonly process: ServerProcess;
  readonly workerId: string;
}

async function setScene(): Promise<Scene> {
  const schema = `test_${randomBytes(6).toString("hex")}`;
  const sink = await Sink.start();
  const store = await openPostgresStore(postgresUrl(), { schema });
  onTestFinished(async () => {
    await store.close();
    const client = new pg.Client(postgresUrl());
    await client.connect();
    await client.query(`DROP SCHEMA ${schema} CASCADE`);
    await client.end();
  });
  return {
    sink,
    store,
    async start() {
      const known = new Set((await store.workers.list(60_000)).map(({ id }) => id));
      const server = await startServer({
        cwd: tempDirectory(),
        env: {
          DATABASE_URL: postgresUrl(),
          KONVEIER_SCHEMA: schema,
          KONVEIER_LEASE_MS: String(LEASE_MS),
          KONVEIER_WEBHOOK_ALLOW_CIDRS: "127.0.0.0/8",
          KONVEIER_LOG_LEVEL: "warn",
        },
      });
      const workers = await eventually(
        () => store.workers.list(60_000),
        (all) => all.some(({ id }) => !known.has(id)),
      );
      return { process: server, workerId: workers.find(({ id }) => !known.has(id))?.id ?? "" };
    },
  };
}

test(`three servers on one database, one killed, one stopped, one frozen: ${String(JOBS)} jobs end once`, async () => {
  const { sink, store, start } = await setScene();
  const [killed, stopped, frozen] = [await start(), await start(), await start()];
  const job = { name: "webhook.call", payload: { url: `${sink.url}/tick` } };
  await frozen.process.request("PUT", "/v1/schedules/tick", { everyMs: 1_000, job });
  await enqueue(stopped.process, sink.url);

  await delivered(sink, 0.2);
  await holdJobsOf(sink, store, killed);
  killed.process.kill("SIGKILL");
  sink.release();

  await delivered(sink, 0.4);
  const stale = await claimOverHttp(frozen.process);
  const inItsHands = await holdJobsOf(sink, store, frozen);
  frozen.process.kill("SIGSTOP");
  sink.release();
  sink.hold((path) => stale.some(({ payload }) => payload.url.endsWith(path)));

  await delivered(sink, 0.6);
  const successor = await start();
  expect(await stopped.process.stop()).toMatchObject({ code: 0 });

  await runningAgain(store, stale, successor);
  frozen.process.kill("SIGCONT");
  // Its own worker may find out by its own clock that its leases are over; a client that knows of nothing is refused,
  // although somebody else is running the job this very moment.
  for (const { id, leaseToken } of stale) {
    const refused = await frozen.process.post(`/v1/jobs/${id}/complete`, { leaseToken });
    expect(refused).toMatchObject({ status: 409, body: { code: "lease_lost" } });
  }
  expect(await rejections(frozen.process)).toBeGreaterThanOrEqual(stale.length);
  sink.release();
  await completed(store);
  await successor.process.request("POST", "/v1/schedules/tick/pause", {});
  await completed(store);

  await checkBooks(store);
  await checkJobs(sink, store, inItsHands);
  await checkSlots(store);
});

async function enqueue(server: ServerProcess, url: string): Promise<void> {
  const jobs = Array.from({ length: JOBS }, (_, index) => ({
    name: "webhook.call",
    payload: { url: `${url}/job/${String(index)}` },
    backoff: { type: "fixed", delayMs: 0 },
  }));
  for (let from = 0; from < JOBS; from += 1_000) {
    const { status } = await server.post("/v1/jobs/batch", { jobs: jobs.slice(from, from + 1_000) });
    expect(status).toBe(201);
  }
}

interface StaleJob {
  readonly id: string;
  readonly leaseToken: string;
  readonly payload: { readonly url: string };
}

/** Resolves when the worker of this server runs all of these jobs. */
async function runningAgain(
  store: PostgresStore,
  jobs: readonly StaleJob[],
  { workerId }: Server,
): Promise<void> {
  await eventually(
    () => Promise.all(jobs.map(({ id }) => store.jobs.get(id))),
    (rows) => rows.every((row) => row?.state === "running" && row.workerId === workerId),
  );
}

/** Jobs that a worker claims from this server, and never speaks of until its lease is long over. */
async function claimOverHttp(server: ServerProcess): Promise<readonly StaleJob[]> {
  const { body } = await server.post<{ jobs: StaleJob[] }>("/v1/claim", {
    workerId: "stale",
    queues: ["default"],
    max: HELD,
    leaseMs: LEASE_MS,
  });
  expect(body.jobs).toHaveLength(HELD);
  return body.jobs;
}

function delivered(sink: Sink, share: number): Promise<void> {
  return sink.until(() => sink.deliveries.size >= share * JOBS);
}

/** Resolves when at least so many jobs are in the hands of this server, and stay there. @returns how many */
async function holdJobsOf(sink: Sink, store: PostgresStore, { workerId }: Server): Promise<number> {
  sink.hold();
  let running = 0;
  await sink.until(async (held) => {
    if (held.length < HELD) return false;
    const { items } = await store.jobs.list({ state: "running" }, 500, null);
    const payloads = await Promise.all(
      items.filter((job) => job.workerId === workerId).map(({ id }) => store.jobs.payload(id)),
    );
    running = payloads.filter((payload) => held.some((path) => payload?.includes(`${path}"`))).length;
    return running >= HELD;
  });
  return running;
}

async function completed(store: PostgresStore): Promise<void> {
  await eventually(
    () => store.queues.list(),
    (queues) =>
      queues.every(({ counts }) => counts.pending + counts.running + counts.scheduled + counts.blocked === 0),
    120_000,
  );
}

/** Writes of lost claims that the store refused to this server's worker. */
async function rejections(server: ServerProcess): Promise<number> {
  const response = await fetch(`${server.url}/metrics`, {
    headers: { authorization: "Bearer token-of-the-tests" },
  });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`/metrics: ${String(response.status)} ${text}`);
  const lines = text.matchAll(/^konveier_fencing_rejections_total\{[^}]*\} (\d+)$/gm);
  return [...lines].reduce((sum, [, count]) => sum + Number(count), 0);
}

/** Every job has completed once, by its last claim; whatever was delivered more often was lost in between. */
async function checkJobs(sink: Sink, store: PostgresStore, inItsHands: number): Promise<void> {
  const jobs = await allJobs(store);
  expect(jobs.filter(({ state }) => state !== "completed")).toEqual([]);
  expect(sink.deliveries.size).toBe(JOBS + 1);
  let lost = 0;
  for (const { id, token } of jobs.filter(({ attempt }) => attempt > 1)) {
    const attempts = await store.jobs.attempts(id);
    const last = attempts.at(-1);
    expect(last).toMatchObject({ outcome: "completed", token });
    for (const attempt of attempts.slice(0, -1)) expect(attempt.token).toBeLessThan(token ?? 0);
    lost += attempts.filter(({ outcome }) => outcome === "lost").length;
  }
  expect(lost).toBeGreaterThanOrEqual(inItsHands + 2 * HELD);
}

/** Every slot of the schedule made one job, and none was left out while somebody was there. */
async function checkSlots(store: PostgresStore): Promise<void> {
  const runs = await store.schedules.runs("tick", 1_000, null);
  const slots = runs.filter(({ outcome }) => outcome === "enqueued").map(({ slot }) => slot);
  expect(new Set(slots).size).toBe(slots.length);
  expect(slots.length).toBeGreaterThan(2);
  const [newest = 0] = slots;
  expect(slots).toEqual(slots.map((_, index) => newest - 1_000 * index));
  const ids = new Set(runs.map(({ jobId }) => jobId));
  expect(ids.size).toBe(runs.length);
}
