import { randomBytes } from "node:crypto";
import pg from "pg";
import { afterAll } from "vitest";
import { readMigrations } from "../../src/store/postgres/migrate.js";
import { openPostgresStore, type PostgresOptions } from "../../src/store/postgres/open.js";
import type { StoreFactory } from "./store-factory.js";

/** The server that the tests may use. */
export function postgresUrl(): string {
  const url = process.env["TEST_POSTGRES_URL"];
  if (url === undefined) throw new Error("TEST_POSTGRES_URL is not set; vitest.config.ts starts a server");
  return url;
}

/**
 * Stores in schemas of their own, on one server.
 *
 * @param setting of all their sessions, as `ALTER ROLE … SET` would make it: `name=value`
 */
export function postgresStores(options: PostgresOptions, setting?: string): StoreFactory {
  return {
    async open({ clock }) {
      const schema = takeSchema();
      const url = new URL(postgresUrl());
      if (setting !== undefined) url.searchParams.set("options", `-c ${setting}`);
      const open = () => openPostgresStore(url.href, { ...options, schema, clock });
      const store = await open();
      const opened = [store];
      return {
        store,
        async another() {
          const other = await open();
          opened.push(other);
          return other;
        },
        async close() {
          await Promise.all(opened.map((each) => each.close()));
          await giveBackSchema(schema);
        },
      };
    },
  };
}

export const postgresFactory = postgresStores({});

/** Emptied ones that earlier tests of this file have used. */
const spare: string[] = [];

afterAll(async () => {
  await Promise.all(spare.splice(0).map(dropSchema));
});

/** A schema for a store that makes it, or one that is as if it had just been made: to make one takes far longer. */
export function takeSchema(): string {
  return spare.pop() ?? `test_${randomBytes(6).toString("hex")}`;
}

/** Call when all stores on it are closed. */
export async function giveBackSchema(schema: string): Promise<void> {
  const client = new pg.Client(postgresUrl());
  await client.connect();
  try {
    if (await emptySchema(client, schema)) spare.push(schema);
  } finally {
    await client.end();
  }
}

/** @returns whether it was there */
async function emptySchema(client: pg.Client, schema: string): Promise<boolean> {
  const { rows } = await client.query<{ tables: string[] | null; sequences: string[] | null }>(
    `SELECT array_agg(relname::text) FILTER (WHERE relkind = 'r' AND relname <> 'schema_version') AS tables,
       array_agg(relname::text) FILTER (WHERE relkind = 'S') AS sequences
     FROM pg_class WHERE relnamespace = to_regnamespace($1)`,
    [schema],
  );
  const [{ tables, sequences } = { tables: null, sequences: null }] = rows;
  if (tables === null) return false;
  // What the migrations have put into their tables.
  const first = readMigrations().flatMap(({ sql }) => sql.match(/^INSERT INTO [^;]+;/gm) ?? []);
  // In one text, so in one transaction. Not TRUNCATE, which gives each table and each index a new file.
  await client.query(
    [
      `SET LOCAL search_path TO ${schema};`,
      ...tables.map((table) => `DELETE FROM ${table};`),
      ...(sequences ?? []).map((sequence) => `ALTER SEQUENCE ${sequence} RESTART;`),
      ...first,
    ].join("\n"),
  );
  return true;
}

async function dropSchema(schema: string): Promise<void> {
  const client = new pg.Client(postgresUrl());
  await client.connect();
  await client.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
  await client.end();
}
