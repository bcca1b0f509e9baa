import { fileURLToPath } from "node:url";
import type { Clock } from "./core/clock.js";
import { KonveierError } from "./core/errors.js";
import { openSqliteStore, type SqliteStore } from "./store/sqlite/open.js";

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
 * a `file:` URL.
 *
 * @throws KonveierError `store_…` that says what to do
 */
export function openStore(url: string, options: StoreOptions = {}): SqliteStore {
  return openSqliteStore(sqliteFile(url), options);
}

/**
 * The database file that a URL names, or `:memory:`.
 *
 * @throws KonveierError `store_unsupported`
 */
export function sqliteFile(url: string): string {
  if (url.startsWith("sqlite:")) return sqlitePath(url);
  if (url.startsWith("file:")) return fileURLToPath(url);
  // The URL may hold a password, so only its scheme is repeated.
  const scheme = /^[a-z][a-z0-9+.-]*:/i.exec(url)?.[0] ?? "no scheme";
  throw new KonveierError(
    "store_unsupported",
    `The database URL has ${scheme}, which is not known. Use sqlite:./path/to/file.db.`,
  );
}

/** `sqlite:./a.db`, `sqlite:/a.db` and `sqlite:///a.db` are all plain paths. */
function sqlitePath(url: string): string {
  const path = url.slice("sqlite:".length).replace(/^\/\/(?=\/)/, "");
  if (path === "") {
    throw new KonveierError(
      "store_unsupported",
      "The database URL names no file. Use sqlite:./path/to/file.db.",
    );
  }
  return path;
}
