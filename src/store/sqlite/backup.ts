import { randomBytes } from "node:crypto";
import { closeSync, fsyncSync, linkSync, lstatSync, openSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import Database from "better-sqlite3";
import { KonveierError } from "../../core/errors.js";
import type { Connection } from "./connection.js";
import { translateError } from "./errors.js";
import { verifyOurs } from "./migrate.js";

export interface BackupReport {
  readonly file: string;
  readonly bytes: number;
  readonly schemaVersion: number;
  /** Jobs in it, by the kept counters. */
  readonly jobs: number;
}

/** Waiting for another process that recovers the log, at the most. */
const BUSY_TIMEOUT_MS = 30_000;

/**
 * Copies the database in `source` to `target`, a file that must not exist, while other processes read and write. The
 * copy is as of one moment after the call. It has the target's name only when it is complete, checked and on disk.
 *
 * @throws BackupTargetError when `target` cannot be meant
 * @throws KonveierError `store_…`, and then nothing has the target's name
 */
export function backupSqliteFile(source: string, target: string): BackupReport {
  const from = resolve(source);
  const to = resolve(target);
  refuseTarget(from, to);
  const draft = `${to}.partial-${process.pid}-${randomBytes(4).toString("hex")}`;
  try {
    copy(from, draft);
    const { schemaVersion, jobs } = verify(draft);
    syncFile(draft);
    publish(draft, to);
    return { file: to, bytes: statSync(to).size, schemaVersion, jobs };
  } catch (error) {
    rmSync(draft, { force: true });
    throw readable(error, to);
  }
}

/** The target of a backup is taken, or is no place for a file. */
export class BackupTargetError extends Error {
  override readonly name = "BackupTargetError";
}

function refuseTarget(from: string, to: string): void {
  if ([from, `${from}-wal`, `${from}-shm`].includes(to)) {
    throw new BackupTargetError(`${to} belongs to the database itself. Choose another file.`);
  }
  // Also a symbolic link that leads nowhere: a backup must not be written to where somebody else points.
  const there = lstatSync(to, { throwIfNoEntry: false });
  if (there?.isDirectory() === true) {
    throw new BackupTargetError(`${to} is a directory. Name a file in it, such as konveier-backup.db.`);
  }
  if (there !== undefined) {
    throw new BackupTargetError(`${to} exists, and a backup never replaces a file. Choose another name.`);
  }
  if (statSync(dirname(to), { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new BackupTargetError(`${dirname(to)} is no directory. Make it first.`);
  }
}

function copy(from: string, draft: string): void {
  const db = openToRead(from);
  try {
    verifyOurs(db);
    // Made empty and private first: SQLite takes an empty file, and payloads may be secrets.
    closeSync(openSync(draft, "wx", 0o600));
    db.prepare("VACUUM INTO ?").run(draft);
  } catch (error) {
    throw translateError(error, from);
  } finally {
    db.close();
  }
}

function openToRead(file: string): Connection {
  try {
    return new Database(file, { readonly: true, fileMustExist: true, timeout: BUSY_TIMEOUT_MS });
  } catch (error) {
    throw translateError(error, file);
  }
}

function verify(draft: string): Pick<BackupReport, "schemaVersion" | "jobs"> {
  const db = openToRead(draft);
  try {
    const found: unknown = db.pragma("quick_check(1)", { simple: true });
    if (found !== "ok") throw new KonveierError("store_corrupt", `The copy is damaged: ${String(found)}`);
    const schemaVersion = verifyOurs(db);
    const jobs = db.prepare<[], number>("SELECT coalesce(sum(n), 0) FROM counts").pluck().get() ?? 0;
    return { schemaVersion, jobs };
  } finally {
    db.close();
  }
}

/** Gives the draft its name, and never the name of another file. */
function publish(draft: string, to: string): void {
  try {
    linkSync(draft, to);
    rmSync(draft);
  } catch (error) {
    if (!isWithoutLinks(error)) throw error;
    // FAT and some others know no links. Between this look and the renaming somebody may still come.
    if (lstatSync(to, { throwIfNoEntry: false }) !== undefined) throw taken(to);
    renameSync(draft, to);
  }
  syncFile(dirname(to));
}

function isWithoutLinks(error: unknown): boolean {
  return ["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"].includes((error as NodeJS.ErrnoException).code ?? "");
}

function taken(to: string): BackupTargetError {
  return new BackupTargetError(`${to} was made by another program meanwhile. Choose another name.`);
}

function syncFile(path: string): void {
  // Windows cannot open directories.
  if (process.platform === "win32" && statSync(path).isDirectory()) return;
  const descriptor = openSync(path, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function readable(error: unknown, to: string): unknown {
  const { code, message } = error as NodeJS.ErrnoException;
  switch (code) {
    case "EEXIST":
      return taken(to);
    case "EACCES":
    case "EPERM":
    case "EROFS":
      return new KonveierError("store_read_only", `${to} cannot be written: ${message}`, { cause: error });
    case "ENOSPC":
      return new KonveierError("store_full", `${to} cannot be written: ${message}`, { cause: error });
    default:
      return error;
  }
}
