import { fileURLToPath } from "node:url";
import { KonveierError } from "./core/errors.js";

/** The database that a URL names. */
export type DatabaseAddress =
  /** `file`: a path, or `:memory:`. */
  { readonly kind: "sqlite"; readonly file: string } | { readonly kind: "postgres"; readonly url: string };

/**
 * Reads `sqlite:./jobs.db`, `sqlite:/var/lib/jobs.db`, `sqlite::memory:`, `file:///var/lib/jobs.db` or
 * `postgres://user:password@host:5432/database`.
 *
 * @throws KonveierError `store_unsupported`; the message does not repeat the URL, which may hold a password
 */
export function databaseAddress(url: string): DatabaseAddress {
  if (url.startsWith("sqlite:")) return { kind: "sqlite", file: sqlitePath(url) };
  if (url.startsWith("file:")) return { kind: "sqlite", file: fileUrlPath(url) };
  const scheme = /^[a-z][a-z0-9+.-]*:/i.exec(url)?.[0].toLowerCase();
  if (scheme === "postgres:" || scheme === "postgresql:") return { kind: "postgres", url: postgresUrl(url) };
  throw new KonveierError(
    "store_unsupported",
    `The database URL has ${scheme === undefined ? "no scheme" : `the scheme ${scheme}, which is not known`}. Use sqlite:./path/to/file.db, or postgres://user:password@host:5432/database.`,
  );
}

/** How a database is named for people: without user and password. */
export function describeDatabase(address: DatabaseAddress): string {
  if (address.kind === "sqlite") return address.file;
  const { host, pathname } = new URL(address.url);
  return `postgres://${host}${pathname}`;
}

/** A `file:` URL is always absolute: `file:a.db` would quietly mean `/a.db`. */
function fileUrlPath(url: string): string {
  if (/^file:\/\/\/[^?#]+$/.test(url) && !/%2f|%5c/i.test(url)) return fileURLToPath(url);
  throw new KonveierError(
    "store_unsupported",
    "A file: URL is file:/// and the whole path, and nothing else. Use sqlite:./path/to/file.db for a relative one.",
  );
}

/** `sqlite:./a.db`, `sqlite:/a.db` and `sqlite:///a.db` are all plain paths. */
function sqlitePath(url: string): string {
  const path = url.slice("sqlite:".length).replace(/^\/\/(?=\/)/, "");
  if (path.startsWith("//")) {
    throw new KonveierError(
      "store_unsupported",
      "After sqlite:// the path must be a whole one: sqlite:///path/to/file.db. Use sqlite:./path/to/file.db for a relative one.",
    );
  }
  if (path === "" || path.endsWith("/") || (path.startsWith(":memory:") && path !== ":memory:")) {
    throw new KonveierError(
      "store_unsupported",
      "The database URL names no file. Use sqlite:./path/to/file.db.",
    );
  }
  if (path.includes("?")) {
    throw new KonveierError(
      "store_unsupported",
      "The database URL takes no options after a question mark. Use sqlite:./path/to/file.db.",
    );
  }
  return path;
}

/** What the driver takes: options such as `?sslmode=verify-full` are its own. */
function postgresUrl(url: string): string {
  // What stands behind a # is lost, and was meant for the password; what is left would name it as a host.
  if (URL.canParse(url) && new URL(url).pathname.length > 1 && !url.includes("#")) return url;
  throw new KonveierError(
    "store_unsupported",
    "The database URL names no database. Use postgres://user:password@host:5432/database, with special characters of the password as %XX.",
  );
}
