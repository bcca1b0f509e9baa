import { randomBytes } from "node:crypto";
import { expect, onTestFinished, vi } from "vitest";
import { openPool, type Pool } from "../../src/store/postgres/connection.js";
import {
  openPostgresStore,
  type PostgresOptions,
  type PostgresStore,
} from "../../src/store/postgres/open.js";
import { postgresUrl } from "./postgres-factory.js";

/** A schema for one test, and a connection of the test's own to it. Both are gone afterwards, and the stores closed. */
export class PostgresSchema {
  readonly schema = `test_${randomBytes(6).toString("hex")}`;
  /** Quoted. */
  readonly s = `"${this.schema}"`;
  readonly url = postgresUrl();
  readonly #stores: PostgresStore[] = [];
  readonly #pool: Pool;

  private constructor() {
    const url = new URL(this.url);
    url.searchParams.set("options", `-c search_path=${this.schema}`);
    this.#pool = openPool(url.href);
  }

  static make(): PostgresSchema {
    const made = new PostgresSchema();
    onTestFinished(async () => {
      await Promise.all(made.#stores.map((store) => store.close()));
      await made.rows(`DROP SCHEMA IF EXISTS ${made.schema} CASCADE`);
      await made.#pool.end();
    });
    return made;
  }

  /** A store on the schema, which it makes. */
  async open(options: PostgresOptions = {}, url = this.url): Promise<PostgresStore> {
    const store = await openPostgresStore(url, { ...options, schema: this.schema });
    this.#stores.push(store);
    return store;
  }

  /** What a statement says, with the schema on its search path. */
  async rows<Row>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    return (await this.#pool.query(text, [...values])).rows as Row[];
  }

  /** Waits until something is so. */
  async until(isSo: () => Promise<boolean>, timeout = 5_000): Promise<void> {
    await vi.waitFor(
      async () => {
        expect(await isSo()).toBe(true);
      },
      { timeout },
    );
  }
}
