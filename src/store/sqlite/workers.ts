import type { WorkerRecord, WorkerStore } from "../workers.js";
import type { SqliteContext } from "./context.js";

interface WorkerRow {
  readonly id: string;
  readonly host: string;
  readonly pid: number;
  readonly queues: string;
  readonly names: string | null;
  readonly concurrency: number;
  readonly running: number;
  readonly state: WorkerRecord["state"];
  readonly started_at: number;
  readonly seen_at: number;
}

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
        id: rowIdOf(worker.id, worker.claimant),
        queues: JSON.stringify(worker.queues),
        names: worker.names === null ? null : JSON.stringify(worker.names),
        now: this.context.clock.now(),
      }),
    );
  }

  async gone(id: string): Promise<void> {
    await this.context.write(() => this.#remove.run(rowIdOf(id, null)));
  }

  list(withinMs: number): Promise<readonly WorkerRecord[]> {
    return this.context.read(() =>
      this.#list.all(this.context.clock.now() - withinMs).map((row) => ({
        ...ownerOf(row.id),
        host: row.host,
        pid: row.pid,
        queues: JSON.parse(row.queues) as string[],
        names: row.names === null ? null : (JSON.parse(row.names) as string[]),
        concurrency: row.concurrency,
        running: row.running,
        state: row.state,
        startedAt: row.started_at,
        seenAt: row.seen_at,
      })),
    );
  }
}

/** Ids are printable, so the line break ends them. It sorts before all that they may hold. */
function rowIdOf(id: string, claimant: string | null): string {
  return claimant === null ? id : `${id}\n${claimant}`;
}

function ownerOf(rowId: string): Pick<WorkerRecord, "id" | "claimant"> {
  const [id = "", claimant = null] = rowId.split("\n");
  return { id, claimant };
}
