import pg from "pg";
import { translateError } from "./errors.js";
import { newestVersion, versionsOf, verifyVersions } from "./migrate.js";

/** As long as anybody waits for a diagnosis. */
const TIMEOUT_MS = 5_000;

export interface PostgresInspection {
  /** Of the server, such as `18.1`. */
  readonly version: string;
  /** `null`: there is no schema yet. */
  readonly schemaVersion: number | null;
  /** What this program would migrate it to. */
  readonly newestVersion: number;
  /** Whether this user may make the schema, or change it. */
  readonly mayMigrate: boolean;
  readonly maxConnections: number;
  /** The server's clock, and how long the question was under way. */
  readonly now: number;
  readonly roundTripMs: number;
  /** Age of the oldest transaction that is open anywhere in this database; `null` when there is none. */
  readonly oldestTransactionMs: number | null;
}

/**
 * Looks at a database without changing it.
 *
 * @param schema unquoted
 * @throws KonveierError `store_…` when it cannot be reached or is not this program's
 */
export async function inspectPostgres(url: string, schema: string): Promise<PostgresInspection> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: TIMEOUT_MS,
    query_timeout: TIMEOUT_MS,
    application_name: "konveier doctor",
  });
  try {
    await client.connect();
    const began = performance.now();
    const { rows } = await client.query<Record<string, string | boolean | null>>(QUESTIONS, [schema]);
    const roundTripMs = performance.now() - began;
    const [row] = rows;
    if (row === undefined) throw new Error("The server gave no answer");
    return {
      version: String(row["version"]),
      schemaVersion: await schemaVersionOf(client, schema),
      newestVersion: newestVersion(),
      mayMigrate: row["may_migrate"] === true,
      maxConnections: Number(row["max_connections"]),
      now: Number(row["now"]),
      roundTripMs,
      oldestTransactionMs: row["oldest"] === null ? null : Number(row["oldest"]),
    };
  } catch (error) {
    throw translateError(error, "PostgreSQL");
  } finally {
    await client.end().catch(() => undefined);
  }
}

const QUESTIONS = `SELECT current_setting('server_version') AS version,
  current_setting('max_connections') AS max_connections,
  floor(extract(epoch FROM clock_timestamp()) * 1000) AS now,
  CASE WHEN to_regnamespace(quote_ident($1)) IS NULL
    THEN has_database_privilege(current_database(), 'CREATE')
    ELSE has_schema_privilege(quote_ident($1), 'CREATE') END AS may_migrate,
  (SELECT floor(extract(epoch FROM max(clock_timestamp() - xact_start)) * 1000) FROM pg_stat_activity
   WHERE datname = current_database() AND pid <> pg_backend_pid()) AS oldest`;

async function schemaVersionOf(client: pg.Client, schema: string): Promise<number | null> {
  const found = await versionsOf(client, pg.escapeIdentifier(schema));
  if (found === null) return null;
  verifyVersions(found, newestVersion(), `The schema ${schema}`);
  return found.version;
}
