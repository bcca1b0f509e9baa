import { fileURLToPath } from "node:url";
import type { Clock } from "./core/clock.js";
import { KonveierError } from "./core/errors.js";
import { backupSqliteFile, type BackupReport } from "./store/sqlite/backup.js";
import { openSqliteStore, type SqliteStore } from "./store/sqlite/open.js";

export { BackupTargetError } from "./store/sqlite/backup.js";

export interface StoreOptions {
  /**
   * SQLite only. `full` (the default): what was accepted survives a power cut. `normal`: it survives the
   * death of the process, but a power cut may take the last moments before it. Faster.
   */
  readonly synchronous?: "full" | "normal";
  readonly clock?: Clock;
}

/**
 * Opens the store that a URL names: `sqlite:./jobs.db`, `sqlite:/var/lib/jobs.db`, `sqlite::memory:` or
 * `file:///var/lib/jobs.db`.
 *
 * @throws KonveierError `store_…` that says what to do
 */
export function openStore(url: string, options: StoreOptions = {}): SqliteStore {
  return openSqliteStore(sqliteFile(url), options);
}

/**
 * Copies the database that a URL names to a new file while servers use it.
 *
 * @throws BackupTargetError when the target cannot be meant
 * @throws KonveierError `store_…` that says what to do
 */
export function backupStore(url: string, target: string): BackupReport {
  const file = sqliteFile(url);
  if (file.startsWith(":memory:")) {
    throw new KonveierError("store_unsupported", "A database in memory has no file to back up.");
  }
  return backupSqliteFile(file, target);
}

/**
 * The database file that a URL names, or `:memory:`.
 *
 * @throws KonveierError `store_unsupported`
 */
export function sqliteFile(url: string): string {
  if (url.startsWith("sqlite:")) return sqlitePath(url);
  if (url.startsWith("file:")) return fileUrlPath(url);
  // The URL may hold a password, so only its scheme is repeated.
  const scheme = /^[a-z][a-z0-9+.-]*:/i.exec(url)?.[0];
  throw new KonveierError(
    "store_unsupported",
    /^postgres(ql)?:$/i.test(scheme ?? "")
      ? "PostgreSQL is not supported yet. Use sqlite:./path/to/file.db."
      : `The database URL has ${scheme === undefined ? "no scheme" : `the scheme ${scheme}, which is not known`}. Use sqlite:./path/to/file.db.`,
  );
}

/** A `file:` URL is always absolute: `file:a.db` would quietly mean `/a.db`. */
function fileUrlPath(url: string): string {
  if (/^file:\/\/\/[^?#]+$/.test(url) && !/%2f|%5c/i.test(url)) return fileURLToPath(url);
  throw new KonveierError(
    "store_unsupported",
    "A file: URL is file:/// and the whole path, and nothing else. Use sqlite:./path/to/file.db for a relative one.",
  );
}

/** `sqlite:./a.db`, `sqlite:/a.db` and `sqlite:///a.db` are all plain paths. */
function sqlitePath(url: string): string {
  const path = url.slice("sqlite:".length).replace(/^\/\/(?=\/)/, "");
  if (path.startsWith("//")) {
    throw new KonveierError(
      "store_unsupported",
      "After sqlite:// the path must be a whole one: sqlite:///path/to/file.db. Use sqlite:./path/to/file.db for a relative one.",
    );
  }
  if (path === "" || path.endsWith("/") || (path.startsWith(":memory:") && path !== ":memory:")) {
    throw new KonveierError(
      "store_unsupported",
      "The database URL names no file. Use sqlite:./path/to/file.db.",
    );
  }
  if (path.includes("?")) {
    throw new KonveierError(
      "store_unsupported",
      "The database URL takes no options after a question mark. Use sqlite:./path/to/file.db.",
    );
  }
  return path;
}
