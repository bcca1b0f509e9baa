import { randomBytes } from "node:crypto";
import pg from "pg";
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
      const schema = `test_${randomBytes(6).toString("hex")}`;
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
          await dropSchema(schema);
        },
      };
    },
  };
}

export async function dropSchema(schema: string): Promise<void> {
  const client = new pg.Client(postgresUrl());
  await client.connect();
  await client.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
  await client.end();
}

export const postgresFactory = postgresStores({});
