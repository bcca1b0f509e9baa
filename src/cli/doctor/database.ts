import { existsSync } from "node:fs";
import { isStoreError } from "../../core/errors.js";
import { refuseNetworkFilesystem } from "../../store/sqlite/filesystem.js";
import { inspectSqliteFile, type SqliteInspection } from "../../store/sqlite/inspect.js";
import { fault, ok, warning, type Finding } from "./finding.js";

const MIB = 1024 * 1024;
/** Checkpoints keep the log far below this, unless a reader never ends. */
const LARGE_LOG_MIB = 256;
const CLOCK_TOLERANCE_MS = 60_000;

/** @param magicOf the magic number of a directory's file system, for tests */
export function checkFilesystem(directory: string, magicOf?: (path: string) => number): Finding {
  try {
    refuseNetworkFilesystem(directory, magicOf);
    return ok("filesystem", `${directory} is on no known network file system`);
  } catch (error) {
    return fault("filesystem", (error as Error).message, "Set DATABASE_URL to a file on a local disk.");
  }
}

/** Schema, pages, log and clock, as far as the database can be read. */
export function checkDatabase(file: string, now: number): readonly Finding[] {
  if (!existsSync(file)) return [ok("database", `${file} is not there yet; the first start makes it`)];
  let inspection: SqliteInspection;
  try {
    inspection = inspectSqliteFile(file);
  } catch (error) {
    if (!isStoreError(error)) throw error;
    return [fault("database", error.message, "See `When something is wrong` in docs/operating.md.")];
  }
  return [
    checkSchema(file, inspection),
    checkContent(file, inspection),
    checkLog(inspection),
    checkClock(inspection, now),
  ];
}

function checkSchema(file: string, { schemaVersion, newestVersion }: SqliteInspection): Finding {
  const found = `${file} has schema version ${schemaVersion}`;
  if (schemaVersion === newestVersion) return ok("database", found);
  const advice = `Stop older servers and back it up; the next start brings it to version ${newestVersion}.`;
  return warning("database", found, advice);
}

function checkContent(file: string, { damage }: SqliteInspection): Finding {
  const check = "integrity";
  if (damage === null) return ok(check, `the pages and indexes of ${file} fit together`);
  return fault(check, `${file} is damaged: ${damage}`, "Stop, keep the file, and restore the latest backup.");
}

function checkLog({ journalMode, walBytes }: SqliteInspection): Finding {
  const check = "wal";
  // A restored backup has none until its first start.
  if (journalMode !== "wal") return ok(check, "the write-ahead log is begun at the next start");
  const size = Math.floor(walBytes / MIB);
  const found = `the write-ahead log has ${size} MiB`;
  if (size < LARGE_LOG_MIB) return ok(check, found);
  return warning(
    check,
    found,
    "Find the program that reads the database without an end, such as an open `sqlite3`.",
  );
}

function checkClock({ newestJobAt }: SqliteInspection, now: number): Finding {
  const check = "clock";
  const ahead = (newestJobAt ?? now) - now;
  if (ahead <= CLOCK_TOLERANCE_MS) return ok(check, `the clock says ${new Date(now).toISOString()}`);
  const found = `the newest job was made ${Math.round(ahead / 1_000)} s in the future: the clock was put back`;
  return fault(check, found, "Set the clock, and keep it right with NTP: what is due is decided by it.");
}
