import { randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { EXIT } from "./exit-codes.js";
import { StartError } from "./start-error.js";

export interface KeptToken {
  readonly value: string;
  /** Whether it was made just now and nobody can know it yet. */
  readonly made: boolean;
}

/**
 * The admin token that is kept in `file`; made there when the file does not exist. Several processes may
 * do this at once: all get the same one.
 *
 * @throws StartError when the file cannot be used, or others may read it
 */
export function keptApiToken(file: string): KeptToken {
  const kept = readToken(file);
  if (kept !== null) return { value: kept, made: false };
  const value = newApiToken();
  if (writeToken(file, value)) return { value, made: true };
  // Another process was faster.
  const theirs = readToken(file);
  if (theirs === null) throw unusable(file, "was removed while this program started");
  return { value: theirs, made: false };
}

export const API_TOKEN_RULE = "must be 1 to 512 printable ASCII characters without spaces";

/** Whether an `Authorization` header can carry it as one word. */
export function isApiToken(text: string): boolean {
  return /^[\x21-\x7e]{1,512}$/.test(text);
}

export function newApiToken(): string {
  return randomBytes(32).toString("base64url");
}

function readToken(file: string): string | null {
  let descriptor: number;
  try {
    // Never through a symbolic link: who can put one there could choose the token.
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return null;
    throw unusable(file, code === "ELOOP" ? "is a symbolic link" : `cannot be read (${message})`);
  }
  try {
    // Windows has no such bits and reports all of them.
    const mode = process.platform === "win32" ? 0 : fstatSync(descriptor).mode & 0o077;
    if (mode !== 0) throw unusable(file, `is open to other users; run \`chmod 600 ${file}\``);
    const token = readFileSync(descriptor, "utf8").trim();
    if (!isApiToken(token)) throw unusable(file, `is damaged: the token ${API_TOKEN_RULE}`);
    return token;
  } finally {
    closeSync(descriptor);
  }
}

/** @returns false when the file exists by now */
function writeToken(file: string, token: string): boolean {
  // Written beside it and linked: nobody ever reads half a token, and nothing is ever replaced.
  const draft = `${file}.${process.pid}.${randomBytes(4).toString("hex")}`;
  try {
    const descriptor = openSync(draft, "wx", 0o600);
    try {
      writeSync(descriptor, `${token}\n`);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    try {
      linkSync(draft, file);
      return true;
    } finally {
      unlinkSync(draft);
    }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") return false;
    throw unusable(file, `cannot be written (${message})`);
  }
}

function unusable(file: string, problem: string): StartError {
  return new StartError(
    `The file of the API token, ${file}, ${problem}. Mend or remove it, or set API_TOKEN.`,
    EXIT.configuration,
  );
}
