import type { LiveReading, LiveStore } from "../live.js";
import type { SqliteContext } from "./context.js";
import type { SqliteQueues } from "./queues.js";

/** A mark is a row of numbers; none of them adds up instants as floats, which would lose the last digits. */
type MarkRow = (number | null)[];

const SCHEDULES = `SELECT count(*), sum(last_seq), sum(next_at), sum(waiting_slot), sum(skipped), count(problem)
  FROM schedules`;
const WORKERS = "SELECT count(*), sum(seen_at), sum(started_at) FROM workers";
const OPERATIONS = `SELECT (SELECT max(id) FROM operations), count(*), sum(changed)
  FROM operations WHERE state = 'running'`;
const TOKENS = "SELECT count(*), sum(revoked_at), sum(expires_at), sum(last_used_at) FROM tokens";
const SESSIONS = "SELECT count(*), sum(created_at), sum(seen_at) FROM sessions";

export class SqliteLive implements LiveStore {
  readonly #dataVersion;
  readonly #ownChanges;
  readonly #sequences;
  readonly #wanted;
  readonly #marks;
  readonly #reading;

  constructor(
    private readonly context: SqliteContext,
    private readonly queues: SqliteQueues,
  ) {
    const { db } = context;
    this.#dataVersion = db.prepare<[], number>("PRAGMA data_version").pluck();
    // `data_version` tells of other connections only, and this of the own one only.
    this.#ownChanges = db.prepare<[], number>("SELECT total_changes()").pluck();
    this.#sequences = db.prepare<[], [string, number]>("SELECT name, value FROM sequences").raw();
    this.#wanted = db.prepare<[], number>("SELECT wanted_until FROM journal").pluck();
    const mark = (sql: string) => db.prepare<[], MarkRow>(sql).raw();
    this.#marks = {
      schedules: mark(SCHEDULES),
      workers: mark(WORKERS),
      operations: mark(OPERATIONS),
      tokens: mark(TOKENS),
      sessions: mark(SESSIONS),
    };
    // One snapshot: marks and queues of different moments would hide what happened between them.
    this.#reading = db.transaction(() => this.#read());
  }

  version(): Promise<string> {
    return this.context.read(() => this.#version());
  }

  read(): Promise<LiveReading> {
    return this.context.read(() => this.#reading());
  }

  #version(): string {
    return `${this.#dataVersion.get() ?? -1}/${this.#ownChanges.get() ?? 0}`;
  }

  #read(): LiveReading {
    const numbers = Object.fromEntries(this.#sequences.all());
    const { schedules, workers, operations, tokens, sessions } = this.#marks;
    const queues = this.queues.all();
    // Of the same snapshot: the first read statement has begun it.
    const version = this.#version();
    return {
      version,
      queues,
      marks: {
        // Enqueues, claims, and the rest; whatever else happens to a job changes the counts of its queue.
        jobs: textOf([numbers["job"], numbers["token"], numbers["job_note"]]),
        schedules: textOf([numbers["schedule_version"], ...(schedules.get() ?? [])]),
        workers: textOf(workers.get()),
        operations: textOf(operations.get()),
        tokens: textOf([...(tokens.get() ?? []), ...(sessions.get() ?? [])]),
      },
      rest: version,
      housekeeping: textOf([numbers["write_check"], numbers["event"], this.#wanted.get()]),
    };
  }
}

function textOf(numbers: readonly (number | null | undefined)[] = []): string {
  return numbers.map((number) => number ?? "").join(".");
}
