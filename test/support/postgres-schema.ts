import { randomBytes } from "node:crypto";
import { openPool, type Pool } from "../../src/store/postgres/connection.js";
import { migrate } from "../../src/store/postgres/migrate.js";
import { postgresUrl } from "./postgres-factory.js";

/** A schema of the present test with empty tables, and a connection that has it on its search path. */
export class PostgresSchema {
  private constructor(
    readonly name: string,
    readonly pool: Pool,
  ) {}

  /** As it stands in statements. */
  get quoted(): string {
    return `"${this.name}"`;
  }

  static async make(): Promise<PostgresSchema> {
    const schema = new PostgresSchema(`test_${randomBytes(6).toString("hex")}`, openPool(postgresUrl()));
    const client = await schema.pool.connect();
    try {
      await migrate(client, schema.quoted, "the test's database");
    } finally {
      client.release();
    }
    return schema;
  }

  async query<Row>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    const client = await this.pool.connect();
    try {
      await client.query(`SET search_path TO ${this.quoted}`);
      return (await client.query(text, values as unknown[])).rows as Row[];
    } finally {
      // It goes back as it was.
      await client.query("RESET search_path");
      client.release();
    }
  }

  async drop(): Promise<void> {
    await this.pool.query(`DROP SCHEMA ${this.quoted} CASCADE`);
    await this.pool.end();
  }
}
