import { isFinished, type JobState } from "../../core/states.js";
import type { JobRow } from "../rows.js";
import type { SqliteContext } from "./context.js";

interface Awaited {
  readonly id: number;
  readonly state: JobState;
}

/** Lets a running job wait for others of its flow. Runs inside a write transaction. */
export class WaitForJobs {
  readonly #find;
  readonly #depend;
  readonly #waits;
  readonly #behind;
  readonly #count;

  constructor(private readonly context: SqliteContext) {
    const { db } = context;
    this.#find = db.prepare<[number, string], Awaited>(
      `SELECT id, state FROM flow_jobs CROSS JOIN jobs ON jobs.id = job_id
       WHERE flow_jobs.flow_id = ? AND ref IN (SELECT value FROM json_each(?)) ORDER BY id`,
    );
    // The handler sees how each has ended, so it runs whatever that is.
    this.#depend = db.prepare<[number, number]>(
      `INSERT INTO dependencies (on_id, job_id, on_failure) VALUES (?, ?, 'run')
       ON CONFLICT DO UPDATE SET on_failure = 'run', resolved = 0`,
    );
    this.#waits = db.prepare<[number, number]>("UPDATE jobs SET waiting = ? WHERE id = ?");
    // Everything that these wait for, directly and indirectly.
    this.#behind = db
      .prepare<[string, number], number>(
        `WITH RECURSIVE behind (id) AS (
           SELECT value FROM json_each(?)
           UNION SELECT on_id FROM behind JOIN dependencies ON job_id = behind.id WHERE resolved = 0
         ) SELECT 1 FROM behind WHERE id = ? LIMIT 1`,
      )
      .pluck();
    this.#count = db
      .prepare<[number], number>("SELECT count(*) FROM dependencies WHERE job_id = ? AND resolved = 0")
      .pluck();
  }

  /** @returns how many it waits for, those among them that have ended already and will say so at the commit */
  begin(row: JobRow, refs: readonly string[]): number | "cycle" {
    if (row.flow_id === null) return 0;
    const awaited = this.#find.all(row.flow_id, JSON.stringify(refs));
    const unfinished = awaited.filter(({ state }) => !isFinished(state)).map(({ id }) => id);
    if (this.#behind.get(JSON.stringify(unfinished), row.id) !== undefined) return "cycle";
    for (const { id, state } of awaited) {
      this.#depend.run(id, row.id);
      this.context.flows.book.tellAgain(id, state);
    }
    const waiting = this.#count.get(row.id) ?? 0;
    this.#waits.run(waiting, row.id);
    return waiting;
  }
}
