import Database from "better-sqlite3";

/** Holds random bytes from the making of the file. */
const NOT_COMPARED = ["secrets"];

/** Every row of every table of a database file, in a fixed order. */
export function contentsOf(file: string): Record<string, unknown[]> {
  return readOnly(file, (db) =>
    Object.fromEntries(
      tablesOf(db)
        .filter((table) => !NOT_COMPARED.includes(table))
        .map((table) => [table, table === "events" ? eventsOf(db) : rowsOf(db, table)]),
    ),
  );
}

/** Reads a database through a connection of its own. */
export function readOnly<T>(file: string, read: (db: Database.Database) => T): T {
  const db = new Database(file, { readonly: true, fileMustExist: true });
  try {
    return read(db);
  } finally {
    db.close();
  }
}

export function tablesOf(db: Database.Database): string[] {
  return db
    .prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
    .pluck()
    .all();
}

export function columnsOf(db: Database.Database, table: string): string[] {
  return db.prepare<[string], string>("SELECT name FROM pragma_table_info(?)").pluck().all(table);
}

/** Event by event: how many lie in one row depends on how many changes shared a transaction. */
function eventsOf(db: Database.Database): unknown[] {
  const rows = db.prepare<[], { seq: number; at: number; body: string }>(
    "SELECT seq, at, body FROM events ORDER BY seq",
  );
  return rows
    .all()
    .flatMap(({ seq, at, body }) =>
      (JSON.parse(body) as unknown[]).map((entry, index) => ({ seq: seq + index, at, entry })),
    );
}

function rowsOf(db: Database.Database, table: string): unknown[] {
  return db.prepare(`SELECT * FROM ${table} ORDER BY ${columnsOf(db, table).join(", ")}`).all();
}
