import Database from "better-sqlite3";
import { KonveierError, type ErrorCode } from "../../core/errors.js";

interface Meaning {
  readonly code: ErrorCode;
  readonly advice: string;
}

/** SQLite's result codes by prefix, the most particular first. */
const MEANINGS: readonly (readonly [prefix: string, meaning: Meaning])[] = [
  [
    "SQLITE_READONLY_DBMOVED",
    {
      code: "store_missing",
      advice: "The file was moved or removed while in use. Stop, put it back, start again.",
    },
  ],
  [
    "SQLITE_READONLY",
    { code: "store_read_only", advice: "Make the file and its directory writable for this user." },
  ],
  [
    "SQLITE_PERM",
    { code: "store_read_only", advice: "Make the file and its directory writable for this user." },
  ],
  [
    "SQLITE_BUSY",
    { code: "store_busy", advice: "Another process has held the write lock too long. Try again." },
  ],
  [
    "SQLITE_LOCKED",
    { code: "store_busy", advice: "Another connection has held the lock too long. Try again." },
  ],
  [
    "SQLITE_FULL",
    { code: "store_full", advice: "Free disk space: a running server then goes on by itself." },
  ],
  [
    "SQLITE_CORRUPT",
    { code: "store_corrupt", advice: "Stop, keep the file, and restore the latest backup." },
  ],
  [
    "SQLITE_NOTADB",
    { code: "store_corrupt", advice: "It is no SQLite database. Check the path or restore a backup." },
  ],
  ["SQLITE_CANTOPEN", { code: "store_io", advice: "Check that the directory exists and may be written." }],
  ["SQLITE_IOERR", { code: "store_io", advice: "Check the disk and the system log." }],
];

/** Gives an SQLite error its meaning for the user; every other error stays as it is. */
export function translateError(error: unknown, file: string): unknown {
  if (!(error instanceof Database.SqliteError)) return error;
  const known = MEANINGS.find(([prefix]) => error.code.startsWith(prefix))?.[1];
  if (known === undefined) return error;
  return new KonveierError(known.code, `${file}: ${error.message} (${error.code}). ${known.advice}`, {
    cause: error,
  });
}

export function isBusy(error: unknown): boolean {
  return error instanceof Database.SqliteError && error.code.startsWith("SQLITE_BUSY");
}
