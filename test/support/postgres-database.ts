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
export class PostgresDatabase {
  readonly schema = `test_${randomBytes(6).toString("hex")}`;
  /** Quoted. */
  readonly s = `"${this.schema}"`;
  readonly url = postgresUrl();
  readonly #stores: PostgresStore[] = [];
  readonly #pool: Pool;

  constructor() {
    const url = new URL(this.url);
    url.searchParams.set("options", `-c search_path=${this.schema}`);
    this.#pool = openPool(url.href);
    onTestFinished(async () => {
      await Promise.all(this.#stores.map((store) => store.close()));
      await this.rows(`DROP SCHEMA IF EXISTS ${this.schema} CASCADE`);
      await this.#pool.end();
    });
  }

  /** A store on the schema, which it makes. */
  async open(options: PostgresOptions = {}, url = this.url): Promise<PostgresStore> {
    const store = await openPostgresStore(url, { ...options, schema: this.schema });
    this.#stores.push(store);
    return store;
  }

  /** What a statement says, with the schema on its search path. */
  readonly rows = async <Row>(text: string, values?: readonly unknown[]): Promise<Row[]> =>
    (await this.#pool.query(text, values as unknown[])).rows as Row[];

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
