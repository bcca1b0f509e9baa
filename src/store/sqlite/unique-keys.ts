import { scopedKey } from "../../core/unique.js";
import { hasKey, keyUntil, type UniqueKeyRow } from "../admission.js";
import type { NewJob } from "../jobs.js";
import type { JobRow } from "../rows.js";
import type { SqliteContext } from "./context.js";

/** Who has a unique key. Every method runs inside a write transaction. */
export class UniqueKeys {
  readonly #find;
  readonly #job;
  readonly #give;

  constructor(private readonly context: SqliteContext) {
    const { db } = context;
    this.#find = db.prepare<[string], UniqueKeyRow>("SELECT * FROM unique_keys WHERE key = ?");
    this.#job = db.prepare<[number], JobRow>("SELECT * FROM jobs WHERE id = ?");
    this.#give = db.prepare<[string, number, string, number | null]>(
      `INSERT INTO unique_keys (key, job_id, states, expires_at) VALUES (?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET job_id = excluded.job_id, states = excluded.states, expires_at = excluded.expires_at`,
    );
  }

  holder(key: string, now: number): JobRow | undefined {
    const row = this.#find.get(key);
    const job = row && this.#job.get(row.job_id);
    return row && job && hasKey(row, job, now) ? job : undefined;
  }

  give(job: NewJob, id: number, now: number): void {
    if (job.unique === null) return;
    this.#give.run(scopedKey(job.unique, job), id, job.unique.states.join(","), keyUntil(job.unique, now));
    this.context.step("enqueue:unique");
  }
}
