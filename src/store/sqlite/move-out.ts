import { createHash } from "node:crypto";
import Database from "better-sqlite3";
import { KonveierError } from "../../core/errors.js";
import type { MovedRow, MovedSequences, MovedTable, MovedValue } from "../moved-tables.js";
import type { Connection } from "./connection.js";
import { translateError } from "./errors.js";
import { newestVersion, verifyOurs } from "./migrate.js";

/** Waiting for a server that is about to stop. */
const BUSY_TIMEOUT_MS = 10_000;

/**
 * Reads a whole database file while nobody may write into it: it holds the write lock until it is closed. What a server
 * accepted meanwhile would be left behind.
 */
export class SqliteMoveOut {
  private constructor(private readonly db: Connection) {}

  /** @throws KonveierError `store_busy` when somebody writes, other `store_…` when it cannot be read or is not ours */
  static open(file: string): SqliteMoveOut {
    try {
      const db = new Database(file, { fileMustExist: true, timeout: BUSY_TIMEOUT_MS });
      try {
        const version = verifyOurs(db);
        if (version !== newestVersion()) {
          throw new KonveierError(
            "store_unsupported",
            `${file} has schema version ${version}. Start this version of the server on it once, so that it is brought to version ${newestVersion()}.`,
          );
        }
        db.exec("BEGIN IMMEDIATE");
        return new SqliteMoveOut(db);
      } catch (error) {
        db.close();
        throw error;
      }
    } catch (error) {
      throw translateError(error, file);
    }
  }

  /** The same for the same database in the same state: what was moved before a crash can be gone on with. */
  identity(): string {
    const sequences = this.db.prepare("SELECT name, value FROM sequences ORDER BY name").all();
    const [secret] = this.db.prepare<[], Buffer>("SELECT value FROM secrets ORDER BY name").pluck().all();
    const hash = createHash("sha256").update(secret ?? "");
    return hash.update(JSON.stringify(sequences)).digest("hex");
  }

  sequences(): MovedSequences {
    const rows = this.db.prepare<[], [string, number]>("SELECT name, value FROM sequences").raw().all();
    const { job = 0, token = 0, schedule_version = 0, flow = 0, event = 0 } = Object.fromEntries(rows);
    return { job, token, schedule_version, flow, event };
  }

  count({ name }: MovedTable): number {
    return this.db.prepare<[], number>(`SELECT count(*) FROM ${name}`).pluck().get() ?? 0;
  }

  /** Up to `limit` rows behind the one with this key, in the order of keys. */
  rows(table: MovedTable, after: readonly MovedValue[] | null, limit: number): MovedRow[] {
    const columns = Object.keys(table.columns);
    const key = table.key.join(", ");
    const behind = after === null ? "" : `WHERE (${key}) > (${after.map(() => "?").join(", ")})`;
    const rows = this.db
      .prepare<unknown[], (number | string | Buffer | null)[]>(
        `SELECT ${columns.join(", ")} FROM ${table.name} ${behind} ORDER BY ${key} LIMIT ?`,
      )
      .raw()
      .all(...(after ?? []), limit);
    const kinds = Object.values(table.columns);
    return rows.map((row) =>
      row.map((value, index) => (kinds[index] === "yes or no" && value !== null ? value === 1 : value)),
    );
  }

  close(): void {
    if (this.db.inTransaction) this.db.exec("ROLLBACK");
    this.db.close();
  }
}
