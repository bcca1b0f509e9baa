import { join } from "node:path";
import Database from "better-sqlite3";
import { onTestFinished } from "vitest";
import type { Connection } from "../../src/store/sqlite/connection.js";
import { openSqliteStore, type SqliteOptions, type SqliteStore } from "../../src/store/sqlite/open.js";
import { tempDirectory } from "./temp-directory.js";

/** A database file of the present test, closed and removed when that ends. */
export class SqliteFile {
  readonly path = join(tempDirectory(), "konveier.db");

  open(options: SqliteOptions = {}): SqliteStore {
    const store = openSqliteStore(this.path, options);
    onTestFinished(() => store.close());
    return store;
  }

  /** A plain connection, as a stranger with the `sqlite3` shell has it. */
  raw(): Connection {
    const db = new Database(this.path, { timeout: 0 });
    onTestFinished(() => {
      db.close();
    });
    return db;
  }

  /** Every row of every table. */
  dump(): Record<string, unknown[]> {
    const db = new Database(this.path, { readonly: true });
    try {
      const tables = db
        .prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
        .pluck()
        .all();
      return Object.fromEntries(tables.map((table) => [table, db.prepare(`SELECT * FROM ${table}`).all()]));
    } finally {
      db.close();
    }
  }
}

/** The store's own connection, for limits and faults that belong to a connection. */
export function connectionOf(store: SqliteStore): Connection {
  return (store as unknown as { db: Connection }).db;
}
