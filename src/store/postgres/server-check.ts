import { KonveierError } from "../../core/errors.js";
import type { Queryable } from "./connection.js";

/** The oldest server that has all that is used here. */
const OLDEST = 14;

interface Server {
  readonly version: string;
  readonly number: number;
  readonly encoding: string;
  readonly read_only: boolean;
  readonly standby: boolean;
  /** Settings that give statements another meaning, as they are. */
  readonly array_nulls: string;
  readonly standard_conforming_strings: string;
}

/** Old settings for old programs, which must be as they come: a NULL in a list, or a backslash, would mean another thing. */
const AS_THEY_COME = ["array_nulls", "standard_conforming_strings"] as const;

/**
 * Refuses a server or a database that the store could not work on, at the opening and not at the first write.
 *
 * @throws KonveierError `store_unsupported` or `store_read_only`
 */
export async function checkServer(db: Queryable, place: string): Promise<void> {
  const { rows } = await db.query(
    `SELECT current_setting('server_version') AS version, current_setting('server_version_num')::int AS number,
       current_setting('server_encoding') AS encoding, current_setting('transaction_read_only') = 'on' AS read_only,
       pg_is_in_recovery() AS standby,
       ${AS_THEY_COME.map((name) => `current_setting('${name}') AS ${name}`).join(", ")}`,
  );
  const [server] = rows as Server[];
  if (server === undefined) throw new Error("The server told nothing about itself");
  if (server.number < OLDEST * 10_000) {
    throw unsupported(
      place,
      `PostgreSQL ${server.version} is too old. Update it: ${String(OLDEST)} is the oldest that works.`,
    );
  }
  if (server.encoding !== "UTF8") {
    throw unsupported(
      place,
      `The database has the encoding ${server.encoding}, which cannot hold every text. Make one with UTF8: CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0.`,
    );
  }
  for (const name of AS_THEY_COME) {
    if (server[name] === "on") continue;
    throw unsupported(
      place,
      `The setting ${name} is off, which changes the meaning of statements. Set it to on: ALTER ROLE … SET ${name} = on.`,
    );
  }
  if (!server.read_only) return;
  throw new KonveierError(
    "store_read_only",
    server.standby
      ? `${place}: The server is a standby, which cannot be written. Connect to the primary.`
      : `${place}: The database or its user is read-only (default_transaction_read_only). Use another user, or change the setting.`,
  );
}

function unsupported(place: string, message: string): KonveierError {
  return new KonveierError("store_unsupported", `${place}: ${message}`);
}
