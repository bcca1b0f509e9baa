import type { Queryable } from "./connection.js";

/**
 * One statement, said once and run with values. Not prepared on the server: behind PgBouncer in transaction mode the
 * next run may meet another connection.
 */
export class Statement<Values extends readonly unknown[], Row> {
  constructor(readonly text: string) {}

  async all(db: Queryable, ...values: Values): Promise<Row[]> {
    return (await db.query(this.text, values)).rows as Row[];
  }

  async get(db: Queryable, ...values: Values): Promise<Row | undefined> {
    return (await this.all(db, ...values))[0];
  }

  /** @returns how many rows were changed */
  async run(db: Queryable, ...values: Values): Promise<number> {
    return (await db.query(this.text, values)).rowCount ?? 0;
  }
}
