import { existsSync, statSync } from "node:fs";
import Database from "better-sqlite3";
import type { Connection } from "./connection.js";
import { translateError } from "./errors.js";
import { newestVersion, verifyOurs } from "./migrate.js";

export interface SqliteInspection {
  readonly schemaVersion: number;
  /** What this program would migrate it to. */
  readonly newestVersion: number;
  readonly journalMode: string;
  readonly walBytes: number;
  /** When the newest job was made, by the clock of the process that made it. */
  readonly newestJobAt: number | null;
  /** What is wrong with its pages and indexes; `null` when nothing was found. */
  readonly damage: string | null;
}

/**
 * Looks at a database file as a whole without changing it, which takes as long as reading it does.
 *
 * @throws KonveierError `store_…` when it cannot be read, is damaged, or is not this program's
 */
export function inspectSqliteFile(file: string): SqliteInspection {
  try {
    const db = new Database(file, { readonly: true, fileMustExist: true });
    try {
      return {
        schemaVersion: verifyOurs(db),
        newestVersion: newestVersion(),
        journalMode: String(db.pragma("journal_mode", { simple: true })),
        walBytes: existsSync(`${file}-wal`) ? statSync(`${file}-wal`).size : 0,
        newestJobAt:
          db.prepare<[], number>("SELECT created_at FROM jobs ORDER BY id DESC LIMIT 1").pluck().get() ??
          null,
        damage: cutIn(db, file) ?? damageIn(db),
      };
    } finally {
      db.close();
    }
  } catch (error) {
    throw translateError(error, file);
  }
}

/** SQLite itself says nothing of a file that ends in the middle of its last page. */
function cutIn(db: Connection, file: string): string | null {
  const pageSize = Number(db.pragma("page_size", { simple: true }));
  const rest = statSync(file).size % pageSize;
  return rest === 0 ? null : `it ends after ${rest} bytes of a page of ${pageSize}`;
}

/** The full check: the quick one does not compare indexes with their tables. */
function damageIn(db: Connection): string | null {
  const found: unknown = db.pragma("integrity_check(1)", { simple: true });
  return found === "ok" ? null : String(found);
}
