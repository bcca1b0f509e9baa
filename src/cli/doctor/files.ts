import { accessSync, constants, existsSync, lstatSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { fault, ok, type Finding } from "./finding.js";

const OTHERS = 0o077;
const WORLD_WRITABLE = 0o002;
/** Only owners may remove files there, as in /tmp. */
const STICKY = 0o1000;

/** @param directory of the database file */
export function checkDirectory(directory: string): Finding {
  const check = "directory";
  const there = statSync(directory, { throwIfNoEntry: false });
  if (there === undefined) {
    const parent = nearestDirectory(directory);
    if (isWritable(parent)) return ok(check, `${directory} is not there yet; the first start makes it`);
    return fault(
      check,
      `${directory} is not there, and ${parent} may not be written`,
      "Make it for the server's user.",
    );
  }
  if (!there.isDirectory())
    return fault(check, `${directory} is no directory`, "Choose another DATABASE_URL.");
  if (!isWritable(directory)) {
    const advice = "Give it to the user of the server: SQLite makes files beside the database.";
    return fault(check, `${directory} may not be written by this user`, advice);
  }
  // Windows has no such bits and reports all of them.
  const open = process.platform !== "win32" && (there.mode & WORLD_WRITABLE) !== 0;
  if (open && (there.mode & STICKY) === 0) {
    return fault(
      check,
      `every user may write ${directory} and replace the database`,
      `Run \`chmod 700 ${directory}\`.`,
    );
  }
  return ok(check, `${directory} may be written`);
}

/** Database, log and shared memory hold payloads and a signing secret: for their owner alone. */
export function checkPermissions(file: string): Finding {
  const check = "permissions";
  const files = ["", "-wal", "-shm"].map((suffix) => file + suffix).filter((path) => existsSync(path));
  if (files.length === 0) return ok(check, "there is no database yet; the first start makes it");
  const open = files.filter(isOpenToOthers);
  if (open.length > 0) {
    return fault(check, `other users may read ${open.join(", ")}`, `Run \`chmod 600 ${open.join(" ")}\`.`);
  }
  const locked = files.filter((path) => !isWritable(path));
  if (locked.length > 0) {
    return fault(
      check,
      `this user may not write ${locked.join(", ")}`,
      "Give the files to the user of the server.",
    );
  }
  return ok(check, `${file} is private`);
}

/** @param file where the token is kept that was made because none was given */
export function checkToken(file: string, given: boolean): Finding {
  const check = "token";
  if (given) return ok(check, "the API token is given by the environment");
  const there = lstatSync(file, { throwIfNoEntry: false });
  if (there === undefined)
    return ok(check, "there is no API token yet; the first start makes one and shows it");
  if (!there.isFile())
    return fault(check, `${file} is no plain file`, "Remove it; the next start makes a token.");
  if (isOpenToOthers(file)) {
    return fault(
      check,
      `other users may read the API token, ${file}`,
      `Run \`chmod 600 ${file}\`, and change the token.`,
    );
  }
  return ok(check, `${file} is private`);
}

function isOpenToOthers(path: string): boolean {
  return process.platform !== "win32" && (statSync(path).mode & OTHERS) !== 0;
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** The directory itself, or the nearest one above it that exists. */
export function nearestDirectory(directory: string): string {
  return existsSync(directory) ? directory : nearestDirectory(dirname(directory));
}
