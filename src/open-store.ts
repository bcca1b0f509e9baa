import type { Clock } from "./core/clock.js";
import { KonveierError } from "./core/errors.js";
import { databaseAddress } from "./database-address.js";
import type { BackupReport } from "./store/sqlite/backup.js";
import type { Store } from "./store/store.js";

export interface StoreOptions {
  /**
   * SQLite only. `full` (the default): what was accepted survives a power cut. `normal`: it survives the
   * death of the process, but a power cut may take the last moments before it. Faster.
   */
  readonly synchronous?: "full" | "normal" | undefined;
  /** PostgreSQL only: the schema that everything is in. Default `konveier`. */
  readonly schema?: string | undefined;
  /**
   * PostgreSQL only: where to listen for notifications. Default: the URL of the database, which is right unless that
   * leads through a PgBouncer in transaction mode.
   */
  readonly listenUrl?: string | undefined;
  readonly clock?: Clock | undefined;
}

/**
 * Opens the store that a URL names, see `databaseAddress`. Only the driver that it needs is loaded.
 *
 * @throws KonveierError `store_…` that says what to do
 */
export async function openStore(url: string, options: StoreOptions = {}): Promise<Store> {
  const address = databaseAddress(url);
  if (address.kind === "sqlite") {
    const { openSqliteStore } = await import("./store/sqlite/open.js");
    return openSqliteStore(address.file, options);
  }
  const { openPostgresStore } = await import("./store/postgres/open.js");
  return openPostgresStore(address.url, options);
}

/**
 * Copies the database that a URL names to a new file while servers use it.
 *
 * @throws BackupTargetError when the target cannot be meant
 * @throws KonveierError `store_…` that says what to do
 */
export async function backupStore(url: string, target: string): Promise<BackupReport> {
  const address = databaseAddress(url);
  if (address.kind === "postgres") {
    throw new KonveierError(
      "store_unsupported",
      "PostgreSQL has its own tools for backups: pg_dump --schema=konveier, or those of your provider.",
    );
  }
  if (address.file === ":memory:") {
    throw new KonveierError("store_unsupported", "A database in memory has no file to back up.");
  }
  const { backupSqliteFile } = await import("./store/sqlite/backup.js");
  return backupSqliteFile(address.file, target);
}
