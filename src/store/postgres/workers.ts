import type { Instant } from "../../core/job.js";
import { toWorker, workerKey, type WorkerRow } from "../worker-rows.js";
import type { WorkerRecord, WorkerStore } from "../workers.js";
import type { PostgresContext } from "./context.js";
import { Statement } from "./statement.js";

export class PostgresWorkers implements WorkerStore {
  readonly #upsert;
  readonly #remove;
  readonly #list;

  constructor(private readonly context: PostgresContext) {
    const { s } = context;
    this.#upsert = new Statement<
      [
        id: string,
        host: string,
        pid: number,
        queues: string,
        names: string | null,
        concurrency: number,
        running: number,
        state: WorkerRecord["state"],
        now: Instant,
      ],
      never
    >(
      `INSERT INTO ${s}.workers (id, host, pid, queues, names, concurrency, running, state, started_at, seen_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9)
       ON CONFLICT (id) DO UPDATE SET queues = excluded.queues, names = excluded.names,
         concurrency = excluded.concurrency, running = excluded.running, state = excluded.state,
         seen_at = excluded.seen_at`,
    );
    this.#remove = new Statement<[id: string], never>(`DELETE FROM ${s}.workers WHERE id = $1`);
    this.#list = new Statement<[seenAfter: Instant], WorkerRow>(
      `SELECT * FROM ${s}.workers WHERE seen_at > $1 ORDER BY id`,
    );
  }

  async seen(worker: Omit<WorkerRecord, "startedAt" | "seenAt">): Promise<void> {
    await this.context.write((tx) =>
      this.#upsert.run(
        tx,
        workerKey(worker.id, worker.claimant),
        worker.host,
        worker.pid,
        JSON.stringify(worker.queues),
        worker.names === null ? null : JSON.stringify(worker.names),
        worker.concurrency,
        worker.running,
        worker.state,
        tx.now,
      ),
    );
  }

  async gone(id: string): Promise<void> {
    await this.context.write((tx) => this.#remove.run(tx, workerKey(id, null)));
  }

  list(withinMs: number): Promise<readonly WorkerRecord[]> {
    return this.context.read(async (db) =>
      (await this.#list.all(db, this.context.clock.now() - withinMs)).map(toWorker),
    );
  }
}
