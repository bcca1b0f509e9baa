import pg from "pg";
import type { Pool, PoolClient, QueryResult } from "pg";

/** Transactions that one process has open at the same time, besides the reads. */
const MAX_CONNECTIONS = 10;
/** How long a connection may take to come up before the network counts as cut. */
const CONNECT_TIMEOUT_MS = 3_000;
/** How long a page of the dashboard or a search may take. */
const QUERY_TIMEOUT_MS = 30_000;
/**
 * How long the everyday statements of workers and clients may take, which read and write a few rows by their keys. A
 * network that has lost a connection says nothing: without an answer by then, another connection is tried.
 */
const PROMPT_TIMEOUT_MS = 4_000;
/** How long a statement of a migration may take, such as an index of a large table. */
const PATIENT_TIMEOUT_MS = 3_600_000;

/** `bigint` and `numeric`, by their numbers in `pg_type`. */
const WHOLE_NUMBERS = new Set([20, 1700]);

/** Its own types list no type that an extension may bring. */
const parserOf = pg.types.getTypeParser as (oid: number, format?: unknown) => (value: string) => unknown;

/** Instants, ids and counts are `bigint` columns, and all of them are whole numbers that JavaScript keeps exactly. */
export const types: pg.CustomTypesConfig = {
  getTypeParser(oid: number, format?: unknown) {
    if (WHOLE_NUMBERS.has(oid)) return Number;
    return parserOf(oid, format);
  },
};

/** What runs a statement: the pool for one that stands alone, else the connection of a transaction. */
export interface Queryable {
  query(text: string, values?: readonly unknown[]): Promise<QueryResult>;
}

/** Statements that are answered at once or not at all. */
export function promptly(db: Pool | PoolClient): Queryable {
  return within(PROMPT_TIMEOUT_MS, db);
}

/** Statements that change the schema, and those that wait for them. */
export function patiently(client: PoolClient): Queryable {
  return within(PATIENT_TIMEOUT_MS, client);
}

function within(timeoutMs: number, db: Pool | PoolClient): Queryable {
  return {
    query(text, values = []) {
      const statement = { text, values: values.map(sent), query_timeout: timeoutMs };
      return db.query(statement);
    },
  };
}

/** The package looks at each element of an array for what must be quoted, which in numbers there is nothing. */
function sent(value: unknown): unknown {
  const isNumbers = Array.isArray(value) && value.every((element) => typeof element === "number");
  return isNumbers ? `{${value.join(",")}}` : value;
}

export function openPool(url: string): Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
    keepAlive: true,
    application_name: "konveier",
    types,
    // A process that does nothing but wait for jobs ends when it has nothing else to do.
    allowExitOnIdle: true,
  });
  // A connection that breaks while nobody waits for its answer, idle or between two statements of a transaction, is
  // missed when it is needed. Without a listener it would end the process.
  pool.on("error", () => undefined);
  pool.on("connect", (client) => {
    client.on("error", () => undefined);
  });
  return pool;
}

export type { Pool, PoolClient };
