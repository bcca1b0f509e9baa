import { closeSync, existsSync, lstatSync, mkdirSync, openSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import Database from "better-sqlite3";
import { KonveierError } from "../../core/errors.js";
import { isBusy, translateError } from "./errors.js";
import { refuseNetworkFilesystem } from "./filesystem.js";

export type Connection = Database.Database;

/**
 * When a commit counts as done. `full`: after `fsync`, so that it survives a power cut. `normal`: it
 * survives the death of the process, but a power cut may take the last moments before it.
 */
export type Synchronous = "full" | "normal";

/**
 * Short, because it blocks the event loop: longer waits are made with timers. Reads need it only in the
 * rare moments when another process recovers or truncates the log.
 */
const BUSY_TIMEOUT_MS = 5;
/** At the start there is nothing else to do yet, and processes that start together wait for one another. */
const OPEN_TIMEOUT_MS = 30_000;
/** Bound of the wait between two tries where SQLite does not wait by itself. */
const OPEN_RETRY_MS = 20;
/** The log is shortened to this after a checkpoint, so that one burst does not keep the disk. */
const JOURNAL_SIZE_LIMIT = 64 * 1024 * 1024;
const CACHE_KIB = 64 * 1024;

/**
 * Opens the database file, making it and its directory when they are missing.
 *
 * @throws KonveierError `store_…` that names the file and says what to do
 */
export function openConnection(file: string, synchronous: Synchronous): Connection {
  if (file === "" || file.startsWith(":memory:")) return openMemory();
  const path = resolve(file);
  let db: Connection | undefined;
  try {
    createPrivately(path);
    refuseNetworkFilesystem(dirname(path));
    db = new Database(path, { timeout: OPEN_TIMEOUT_MS });
    configure(db, synchronous);
    return db;
  } catch (error) {
    db?.close();
    throw translateError(error, path);
  }
}

/** Lives as long as the process and is seen by this connection alone: for trying things out. */
function openMemory(): Connection {
  const db = new Database(":memory:");
  db.pragma("trusted_schema = OFF");
  return db;
}

function configure(db: Connection, synchronous: Synchronous): void {
  const mode = enterWal(db);
  if (mode !== "wal") {
    throw new KonveierError(
      "store_unsupported",
      `${db.name}: the file system does not support a write-ahead log (SQLite answered "${String(mode)}"). Put the database on a local disk.`,
    );
  }
  db.pragma(`synchronous = ${synchronous}`);
  db.pragma(`journal_size_limit = ${JOURNAL_SIZE_LIMIT}`);
  db.pragma(`cache_size = -${CACHE_KIB}`);
  db.pragma("temp_store = MEMORY");
  db.pragma("trusted_schema = OFF");
  db.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);
}

/**
 * Of several processes that find a new file at once, one makes its log. SQLite refuses some of the others at once instead
 * of letting them wait, where two that waited might wait for each other.
 */
function enterWal(db: Connection): unknown {
  const until = performance.now() + OPEN_TIMEOUT_MS;
  for (;;) {
    try {
      return db.pragma("journal_mode = WAL", { simple: true });
    } catch (error) {
      if (!isBusy(error) || performance.now() > until) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1 + Math.random() * OPEN_RETRY_MS);
    }
  }
}

/**
 * Payloads may be secrets, so only the owner may read the file, whatever the umask says; SQLite gives
 * the log the same rights. Only a file that does not exist is opened here: closing a descriptor of a
 * database that is in use would drop this process's locks on it.
 */
function createPrivately(path: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    closeSync(openSync(path, "wx", 0o600));
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "EEXIST" && !isLeadingNowhere(path)) return;
    if (code === "EEXIST") {
      throw new KonveierError(
        "store_unsupported",
        `${path} is a symbolic link to nothing. A database is never made where a link points: remove it, or make its target.`,
      );
    }
    const readOnly = code === "EACCES" || code === "EPERM" || code === "EROFS";
    const full = code === "ENOSPC";
    throw new KonveierError(
      readOnly ? "store_read_only" : full ? "store_full" : "store_io",
      `${path} cannot be created: ${(error as Error).message}. Check that the directory exists and may be written.`,
      { cause: error },
    );
  }
}

function isLeadingNowhere(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink() && !existsSync(path);
  } catch {
    // There is nothing: what is wrong with the path is told by whoever opens it.
    return false;
  }
}

/**
 * Notices that the database file or its log was removed or replaced while in use. SQLite would go on
 * writing into the removed file, and every commit would be lost with it.
 */
export class FileGuard {
  readonly #inode: number | null;
  readonly #log: string;
  readonly #logInode: number | null;

  constructor(private readonly db: Connection) {
    this.#inode = db.memory ? null : inodeOf(db.name);
    this.#log = `${db.name}-wal`;
    // SQLite keeps the same log for as long as any process has the database open.
    this.#logInode = db.memory ? null : inodeOf(this.#log);
  }

  /** @throws KonveierError `store_missing` */
  verify(): void {
    if (this.#inode === null) return;
    if (inodeOf(this.db.name) === this.#inode && inodeOf(this.#log) === this.#logInode) return;
    throw new KonveierError(
      "store_missing",
      `${this.db.name} or its log was removed or replaced while in use; what was written since is not safe. Stop every process that uses it, put the file back or restore a backup, and start again.`,
    );
  }
}

/** Looked up by name and never opened: see `createPrivately`. */
function inodeOf(path: string): number | null {
  return statSync(path, { throwIfNoEntry: false })?.ino ?? null;
}
