import { toWorker, workerKey, type WorkerRow } from "../worker-rows.js";
import type { WorkerRecord, WorkerStore } from "../workers.js";
import type { SqliteContext } from "./context.js";

export class SqliteWorkers implements WorkerStore {
  readonly #upsert;
  readonly #remove;
  readonly #list;

  constructor(private readonly context: SqliteContext) {
    const { db } = context;
    this.#upsert = db.prepare(
      `INSERT INTO workers (id, host, pid, queues, names, concurrency, running, state, started_at, seen_at)
       VALUES (@id, @host, @pid, @queues, @names, @concurrency, @running, @state, @now, @now)
       ON CONFLICT DO UPDATE SET queues = excluded.queues, names = excluded.names,
         concurrency = excluded.concurrency, running = excluded.running, state = excluded.state,
         seen_at = excluded.seen_at`,
    );
    this.#remove = db.prepare<[string]>("DELETE FROM workers WHERE id = ?");
    this.#list = db.prepare<[number], WorkerRow>("SELECT * FROM workers WHERE seen_at > ? ORDER BY id");
  }

  async seen(worker: Omit<WorkerRecord, "startedAt" | "seenAt">): Promise<void> {
    await this.context.write(() =>
      this.#upsert.run({
        ...worker,
        id: workerKey(worker.id, worker.claimant),
        queues: JSON.stringify(worker.queues),
        names: worker.names === null ? null : JSON.stringify(worker.names),
        now: this.context.clock.now(),
      }),
    );
  }

  async gone(id: string): Promise<void> {
    await this.context.write(() => this.#remove.run(workerKey(id, null)));
  }

  list(withinMs: number): Promise<readonly WorkerRecord[]> {
    return this.context.read(() => this.#list.all(this.context.clock.now() - withinMs).map(toWorker));
  }
}
