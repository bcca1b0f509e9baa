import type { ErrorKind } from "../../core/error-fingerprint.js";
import type { DeadJobs } from "../lane.js";
import { kindOfStoredError } from "../stored-error-kind.js";
import type { Connection } from "./connection.js";
import type { StepHook } from "./steps.js";

/**
 * Keeps the groups of dead jobs. The ledger, which is told of every state change, is the only one who calls it,
 * inside the transaction of the change.
 */
export class DeadGroups implements DeadJobs {
  readonly #error;
  readonly #find;
  readonly #insert;
  readonly #insertJob;
  readonly #add;
  readonly #removeJob;
  readonly #subtract;
  readonly #removeEmpty;

  constructor(
    db: Connection,
    private readonly step: StepHook,
  ) {
    this.#error = db
      .prepare<[number], string>(
        "SELECT error FROM attempts WHERE job_id = ? AND error IS NOT NULL ORDER BY token DESC LIMIT 1",
      )
      .pluck();
    this.#find = db
      .prepare<[string, string, string], number>(
        "SELECT id FROM dead_groups WHERE fingerprint = ? AND queue = ? AND name = ?",
      )
      .pluck();
    this.#insert = db.prepare(
      `INSERT INTO dead_groups (fingerprint, queue, name, type, message, n, last_at)
       VALUES (?, ?, ?, ?, ?, 0, 0)`,
    );
    // A file that was edited by hand may hold the row already. It is counted where it is then.
    this.#insertJob = db
      .prepare<[number, number], number>(
        `INSERT INTO dead_jobs (job_id, group_id, died_at)
         SELECT id, ?, coalesce(finished_at, created_at) FROM jobs WHERE id = ?
         ON CONFLICT DO NOTHING RETURNING died_at`,
      )
      .pluck();
    this.#add = db.prepare<[number, number]>(
      "UPDATE dead_groups SET n = n + 1, last_at = max(last_at, ?) WHERE id = ?",
    );
    this.#removeJob = db
      .prepare<[number], number>("DELETE FROM dead_jobs WHERE job_id = ? RETURNING group_id")
      .pluck();
    this.#subtract = db.prepare<[number]>(
      `UPDATE dead_groups SET n = n - 1, last_at = coalesce((
         SELECT died_at FROM dead_jobs WHERE group_id = dead_groups.id ORDER BY died_at DESC LIMIT 1
       ), last_at) WHERE id = ?`,
    );
    this.#removeEmpty = db.prepare<[number]>("DELETE FROM dead_groups WHERE id = ? AND n = 0");
  }

  /** The job is dead now. Its last attempt is recorded already. */
  joined(id: number, queue: string, name: string): void {
    const kind = kindOfStoredError(this.#error.get(id) ?? null);
    const group = this.#find.get(kind.fingerprint, queue, name) ?? this.#make(kind, queue, name);
    const diedAt = this.#insertJob.get(group, id);
    this.step("dead:job");
    if (diedAt === undefined) this.#removeEmpty.run(group);
    else this.#add.run(diedAt, group);
    this.step("dead:group");
  }

  /** The job is not dead any more, or is gone. */
  left(id: number): void {
    const group = this.#removeJob.get(id);
    if (group === undefined) return;
    this.step("dead:job");
    this.#subtract.run(group);
    this.#removeEmpty.run(group);
    this.step("dead:group");
  }

  #make({ fingerprint, type, message }: ErrorKind, queue: string, name: string): number {
    return Number(this.#insert.run(fingerprint, queue, name, type, message).lastInsertRowid);
  }
}
