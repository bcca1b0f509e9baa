import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { TRANSITIONS, type JobState, type TransitionName } from "../../src/core/states.js";
import { openSqliteStore } from "../../src/store/sqlite/open.js";
import { createContext } from "../../src/engine/context.js";
import { enqueueMany } from "../../src/engine/enqueue.js";
import type { Store } from "../../src/store/store.js";
import { StreamClient, type Frame } from "../support/event-stream.js";
import { seededRandom } from "../support/seeded-random.js";
import { startServer, TOKEN, type ServerProcess } from "../support/server-process.js";
import { tempDirectory } from "../support/temp-directory.js";
import { allJobs } from "../support/recount.js";

const JOBS = 1_000;
const DROPS = 20;
const QUEUE = "work";

/** Follows the events of a server across any number of cuts, always from the last id that it has. */
class Follower {
  readonly events: Frame[] = [];
  #client: StreamClient | null = null;
  #lastId: number | null = null;

  async connect(server: ServerProcess): Promise<void> {
    const client = await StreamClient.open(`${server.url}/v1/events`, { token: TOKEN, lastId: this.#lastId });
    await client.until(() => client.frames.length > 0);
    this.#client = client;
  }

  /** Cuts the connection, wherever it is. What had come until then counts. */
  cut(): void {
    const client = this.#client!;
    client.drop();
    client.response.removeAllListeners("data");
    this.#take(client);
    this.#client = null;
  }

  async until(id: number): Promise<void> {
    await this.#client!.until(() => (this.#client!.lastId ?? 0) >= id);
    this.cut();
  }

  #take(client: StreamClient): void {
    this.events.push(...client.events);
    this.#lastId = client.lastId;
  }
}

/** Does something with jobs, in this process, which is not the one that serves the stream. */
async function work(store: Store, random: () => number): Promise<void> {
  const request = { workerId: "w", queues: [QUEUE], names: null, max: 20, leaseMs: 60_000 };
  const failure = { outcome: "failed", error: { type: "Error", message: "x", stack: null } } as const;
  const jobs = await store.claims.claim(request);
  await Promise.all(
    jobs.map(({ id, token, attempt }) => {
      const luck = random();
      if (luck < 0.1) return store.jobs.cancel(id);
      if (luck < 0.2) return store.claims.settle([{ verb: "release", id, token }]);
      if (luck < 0.4 && attempt < 3) {
        return store.claims.settle([{ verb: "retry", id, token, delayMs: luck < 0.3 ? 0 : 1, failure }]);
      }
      if (luck < 0.5) return store.claims.settle([{ verb: "bury", id, token, failure }]);
      return store.claims.settle([{ verb: "complete", id, token, result: "1", resultProblem: null }]);
    }),
  );
  await store.claims.promote(100);
}

test("API-20 a client that is cut off 20 times, also by a killed server, misses and repeats nothing", async () => {
  const directory = tempDirectory();
  const file = join(directory, "konveier.db");
  const start = () =>
    startServer({
      cwd: directory,
      env: { DATABASE_URL: `sqlite:${file}` },
    });
  let server = await start();
  const store = openSqliteStore(file);
  onTestFinished(() => store.close());
  const random = seededRandom(11);
  const follower = new Follower();
  await follower.connect(server);

  const context = createContext(store);
  for (let made = 0; made < JOBS; made += 50) {
    const requests = Array.from({ length: 50 }, () => ({ name: "work", queue: QUEUE }));
    await enqueueMany(context, requests);
    await work(store, random);
    const drop = made / 50;
    if (drop < DROPS) {
      follower.cut();
      if (drop === 7) {
        server.kill("SIGKILL");
        await server.exited;
      }
      if (drop === 13) await server.stop();
      await work(store, random);
      if (drop === 7 || drop === 13) server = await start();
      await follower.connect(server);
    }
  }
  let unfinished = 1;
  while (unfinished > 0) {
    await work(store, random);
    const queue = await store.queues.get(QUEUE);
    unfinished = queue!.counts.pending + queue!.counts.scheduled + queue!.counts.running;
  }
  await follower.until(await store.events.latest());

  const { events } = follower;
  expect(events.map(({ event }) => event).filter((event) => event !== "job")).toEqual([]);
  const ids = events.map(({ id }) => id!);
  expect(ids).toEqual(ids.map((_, index) => ids[0]! + index));
  const states = new Map<string, JobState | null>();
  for (const { data } of events) {
    const change = data as { id: string; transition: string; from: JobState | null; to: JobState | null };
    expect(change.from).toBe(states.get(change.id) ?? null);
    if (change.transition !== "enqueue") {
      const known: { from: readonly JobState[]; to: readonly JobState[] } =
        TRANSITIONS[change.transition as TransitionName];
      expect(known.from).toContain(change.from);
      expect(known.to).toContain(change.to);
    }
    states.set(change.id, change.to);
  }
  const jobs = await allJobs(store, { queue: QUEUE });
  expect(jobs).toHaveLength(JOBS);
  expect(new Map(jobs.map(({ id, state }) => [id, state]))).toEqual(states);
  expect(new Set(states.values())).toEqual(new Set(["completed", "dead", "cancelled"]));
}, 120_000);
