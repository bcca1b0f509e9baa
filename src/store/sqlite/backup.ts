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

/** What SQLite adds to a database's name for the files beside it, and looks for when it opens one. */
const COMPANIONS = ["-wal", "-shm", "-journal"];

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
  if (to === from || COMPANIONS.some((suffix) => to === from + suffix)) {
    throw new BackupTargetError(`${to} belongs to the database itself. Choose another file.`);
  }
  const suffix = COMPANIONS.find((each) => to.endsWith(each));
  if (suffix !== undefined) {
    throw new BackupTargetError(
      `${to} would be taken for a part of the database ${to.slice(0, -suffix.length)}. Choose another name.`,
    );
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
  refuseCompanions(to);
}

/** Whoever opened the backup would read such a file into it, and see another database's jobs or none at all. */
function refuseCompanions(to: string): void {
  const left = COMPANIONS.map((suffix) => to + suffix).find((path) => isThere(path));
  if (left === undefined) return;
  throw new BackupTargetError(
    `${left} is there, and would be taken for a part of the backup. Move it away, or choose another name.`,
  );
}

/** Also a symbolic link that leads nowhere. */
function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
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
  // Again: copying takes its time, and somebody may have worked with a database of that name.
  refuseCompanions(to);
  try {
    linkSync(draft, to);
    rmSync(draft);
  } catch (error) {
    if (!isWithoutLinks(error)) throw error;
    // FAT and some others know no links. Between this look and the renaming somebody may still come.
    if (isThere(to)) throw taken(to);
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
