import { isStoreError } from "../../core/errors.js";
import type { PostgresInspection } from "../../store/postgres/inspect.js";
import { fault, ok, warning, type Finding } from "./finding.js";

/** As much as a server needs: its pool, and the connection that listens. */
const CONNECTIONS_OF_A_SERVER = 11;
const CLOCK_TOLERANCE_MS = 60_000;
const LONG_TRANSACTION_MS = 300_000;

/** Reachability, version, schema, rights, clock and what else a PostgreSQL database needs. */
export async function checkPostgres(
  url: string,
  { schema = "konveier" }: { readonly schema?: string | undefined },
): Promise<readonly Finding[]> {
  let inspection: PostgresInspection;
  try {
    const { inspectPostgres } = await import("../../store/postgres/inspect.js");
    inspection = await inspectPostgres(url, schema);
  } catch (error) {
    if (!isStoreError(error)) throw error;
    return [fault("database", error.message, "See `When something is wrong` in docs/postgresql.md.")];
  }
  return [
    checkSchema(schema, inspection),
    checkRights(schema, inspection),
    checkConnections(inspection),
    checkTransactions(inspection),
    checkClock(inspection, Date.now()),
  ];
}

function checkSchema(schema: string, { version, schemaVersion, newestVersion }: PostgresInspection): Finding {
  const check = "database";
  const found = `PostgreSQL ${version}, schema ${schema}`;
  if (schemaVersion === null) return ok(check, `${found} is not there yet; the first start makes it`);
  const versions = `${found} has version ${schemaVersion}`;
  if (schemaVersion === newestVersion) return ok(check, versions);
  if (schemaVersion > newestVersion) {
    return ok(check, `${versions}, which this program of version ${newestVersion} may use as well`);
  }
  return warning(check, versions, `Back it up; the next start brings it to version ${newestVersion}.`);
}

function checkRights(
  schema: string,
  { mayMigrate, schemaVersion, newestVersion }: PostgresInspection,
): Finding {
  const check = "rights";
  if (mayMigrate) return ok(check, "this user may make and change the schema");
  if (schemaVersion !== null && schemaVersion >= newestVersion) {
    return ok(check, "this user may not change the schema, which is as it should be");
  }
  const found = `this user may not make or change the schema ${schema}`;
  return fault(check, found, "Start once with the owner's URL. docs/postgresql.md names the rights.");
}

function checkConnections({ maxConnections }: PostgresInspection): Finding {
  const check = "connections";
  const servers = Math.floor(maxConnections / CONNECTIONS_OF_A_SERVER);
  const found = `max_connections is ${maxConnections}, room for ${servers} servers that are busy at once`;
  if (servers >= 2) return ok(check, found);
  return warning(check, found, "Raise it, or put PgBouncer in between.");
}

function checkTransactions({ oldestTransactionMs }: PostgresInspection): Finding {
  const check = "transactions";
  if (oldestTransactionMs === null || oldestTransactionMs < LONG_TRANSACTION_MS) {
    return ok(check, "no transaction has been open for long");
  }
  const minutes = Math.floor(oldestTransactionMs / 60_000);
  const advice =
    "End it, or find who leaves it open: until then no dead row is removed. See pg_stat_activity.";
  return warning(check, `a transaction has been open for ${minutes} minutes`, advice);
}

/** What is due is decided by the database's clock alone, so this machine's does not matter much. */
function checkClock({ now: database, roundTripMs }: PostgresInspection, now: number): Finding {
  const check = "clock";
  const offMs = Math.abs(now - roundTripMs / 2 - database);
  if (offMs <= CLOCK_TOLERANCE_MS) return ok(check, `the database says ${new Date(database).toISOString()}`);
  const found = `this machine's clock and the database's differ by ${Math.round(offMs / 1_000)} s`;
  return warning(check, found, "Keep both right with NTP: what is due is decided by the database's.");
}
