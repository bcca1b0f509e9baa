import pg from "pg";
import { KonveierError, type ErrorCode } from "../../core/errors.js";

interface Meaning {
  readonly code: ErrorCode;
  readonly advice: string;
}

const RESTART: Meaning = {
  code: "store_io",
  advice: "It goes on by itself when the database is there again.",
};

/**
 * PostgreSQL's SQLSTATE codes by prefix, the most particular first.
 *
 * @see https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const MEANINGS: readonly (readonly [prefix: string, meaning: Meaning])[] = [
  ["53100", { code: "store_full", advice: "Free disk space: a running server then goes on by itself." }],
  ["53300", { code: "store_busy", advice: "Raise max_connections, or put PgBouncer in between." }],
  ["53", { code: "store_busy", advice: "The database server is short of memory or of something else." }],
  ["57P04", { code: "store_missing", advice: "The database was dropped. Restore the latest backup." }],
  [
    "57014",
    { code: "store_busy", advice: "Try again. Where this comes often, raise statement_timeout of the user." },
  ],
  ["57", RESTART],
  ["08", RESTART],
  ["25P03", { code: "store_busy", advice: "The transaction waited too long. Try again." }],
  [
    "25006",
    {
      code: "store_read_only",
      advice: "Connect to the primary: this is a standby, or the database is read-only.",
    },
  ],
  ["55P03", { code: "store_busy", advice: "Another transaction has held the lock too long. Try again." }],
  ["40", { code: "store_busy", advice: "Transactions got into each other's way. Try again." }],
  ["28", { code: "store_unsupported", advice: "Check the user and the password of the database URL." }],
  ["3D000", { code: "store_missing", advice: "Make the database: createdb, or CREATE DATABASE." }],
  [
    "42501",
    {
      code: "store_unsupported",
      advice: "The user may not do this. docs/postgresql.md lists the rights that are needed.",
    },
  ],
  ["42P01", { code: "store_missing", advice: "The tables are gone. Restore the latest backup." }],
  ["3F000", { code: "store_missing", advice: "The schema is gone. Restore the latest backup." }],
  ["XX001", { code: "store_corrupt", advice: "Stop, keep the data, and restore the latest backup." }],
  ["XX002", { code: "store_corrupt", advice: "An index is damaged: REINDEX, or restore the latest backup." }],
  ["58", { code: "store_io", advice: "Check the disk and the log of the database server." }],
];

/** What Node says of a connection that could not be made or was cut. */
const NETWORK_CODES = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EAI_AGAIN",
  "ENOENT",
]);

/** Texts of `pg` itself, which gives its own errors no code. */
const CONNECTION_MESSAGES =
  /^(Connection terminated|Query read timeout|timeout expired|timeout exceeded when trying to connect|Client was closed|Client has encountered a connection error)/;

/** What `pg` says when it waited for a connection of its pool in vain. */
const POOL_EXHAUSTED = "timeout exceeded when trying to connect";

const unsupported = (advice: string): Meaning => ({ code: "store_unsupported", advice });

/** What only an opening meets: code and message. PgBouncer says 08P01 of whatever it refuses. */
const OPENING_MEANINGS: readonly (readonly [pattern: RegExp, meaning: Meaning])[] = [
  [
    /^ERR_INVALID_URL |URI malformed/,
    unsupported("Use postgres://user:password@host:port/database, with %40 for an @ in a password."),
  ],
  [
    /client password must be|SASL: |^08P01 (.*authentication failed|no such user)/,
    unsupported("Check the user and the password of the database URL."),
  ],
  [
    /^08P01 (database .* does not exist|no such database)/,
    { code: "store_missing", advice: "Make the database: createdb, or CREATE DATABASE." },
  ],
  [
    /^08P01 unsupported startup parameter/,
    unsupported(
      "Take it out of the database URL and of PGOPTIONS, or name it in ignore_startup_parameters of PgBouncer.",
    ),
  ],
  [
    /does not support SSL/,
    unsupported("Take sslmode out of the database URL, or switch SSL on in the server."),
  ],
  [
    / (self.signed certificate|unable to (verify|get)|Hostname\/IP does not match|certificate has expired)/,
    unsupported("Name the certificate of the authority with sslrootcert in the database URL."),
  ],
];

/** Gives an error of the database or of the network its meaning for the user; every other error stays as it is. */
export function translateError(error: unknown, place: string): unknown {
  return translate(error, place, RESTART.advice);
}

/** The same for an opening, which ends with the error. */
export function translateOpeningError(error: unknown, place: string): unknown {
  if (error instanceof Error) {
    const known = OPENING_MEANINGS.find(([pattern]) =>
      pattern.test(`${codeOf(error) ?? ""} ${error.message}`),
    );
    if (known !== undefined) {
      const { code, advice } = known[1];
      return new KonveierError(code, `${place}: ${error.message}. ${advice}`, { cause: error });
    }
  }
  return translate(
    error,
    place,
    "Check the host and the port of the database URL, and that the server runs.",
  );
}

function translate(error: unknown, place: string, outage: string): unknown {
  if (error instanceof pg.DatabaseError) {
    const { code, message } = error;
    const known = MEANINGS.find(([prefix]) => code?.startsWith(prefix) === true)?.[1];
    if (known === undefined) return error;
    const advice = known === RESTART ? outage : known.advice;
    return new KonveierError(known.code, `${place}: ${message} (${code ?? ""}). ${advice}`, { cause: error });
  }
  if (!isConnectionError(error)) return error;
  if (error.message.startsWith(POOL_EXHAUSTED)) {
    const message = `${place}: All connections of this process have been busy for too long. Try again.`;
    return new KonveierError("store_busy", message, { cause: error });
  }
  return new KonveierError("store_io", `${place} cannot be reached: ${messageOf(error)}. ${outage}`, {
    cause: error,
  });
}

/** Whether the connection is of no use any more, and whatever it was asked may not have been done. */
export function isConnectionError(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  if (error instanceof pg.DatabaseError) return /^(08|53300|57P0[1235])/.test(error.code ?? "");
  const code = codeOf(error);
  if (error instanceof AggregateError) return error.errors.some(isConnectionError);
  return (code !== undefined && NETWORK_CODES.has(code)) || CONNECTION_MESSAGES.test(error.message);
}

/** The transaction met the change of another one, and will do when it is tried again. */
export class TryAgain extends Error {
  constructor() {
    super("Another transaction has changed what this one was about");
  }
}

/** Whether the transaction was undone for the sake of another one, and will do when it is tried again. */
export function isConflict(error: unknown): boolean {
  if (error instanceof TryAgain) return true;
  return error instanceof pg.DatabaseError && (error.code === "40001" || error.code === "40P01");
}

/** Whether somebody else has held a lock for longer than this one was to wait. */
export function isLockTimeout(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === "55P03";
}

function codeOf(error: Error): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}

function messageOf(error: Error): string {
  if (error instanceof AggregateError && error.message === "") {
    const [first] = error.errors as unknown[];
    return first instanceof Error ? first.message : "unknown error";
  }
  return error.message;
}
