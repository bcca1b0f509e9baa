import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** What a file is sent as, the smallest first. */
const ENCODINGS = [
  { encoding: "br", ending: ".br" },
  { encoding: "gzip", ending: ".gz" },
] as const;

export interface Copy {
  /** `null`: as it is. */
  readonly encoding: "br" | "gzip" | null;
  readonly bytes: Buffer;
  /** Says by what is in it whether a browser has it already. */
  readonly etag: string;
}

export interface DashboardFile {
  readonly type: string;
  /** The copies that the build has compressed, and the file itself as the last. */
  readonly copies: readonly Copy[];
}

/**
 * The files of a directory that the build has made, by their names. They are held in memory, a mebibyte together: an
 * answer opens nothing that a client which goes away could leave open.
 */
export function readFiles(directory: string): ReadonlyMap<string, DashboardFile> {
  const files = new Map<string, DashboardFile>();
  for (const name of readdirSync(directory)) {
    const type = TYPES[extname(name)];
    if (type !== undefined) files.set(name, { type, copies: copiesOf(join(directory, name)) });
  }
  return files;
}

function copiesOf(path: string): readonly Copy[] {
  const compressed = ENCODINGS.filter(({ ending }) => existsSync(path + ending)).map(({ encoding, ending }) =>
    copyOf(encoding, path + ending),
  );
  return [...compressed, copyOf(null, path)];
}

function copyOf(encoding: Copy["encoding"], path: string): Copy {
  const bytes = readFileSync(path);
  return { encoding, bytes, etag: `"${createHash("sha256").update(bytes).digest("base64url")}"` };
}
