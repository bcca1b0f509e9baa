import { createHash, type Hash } from "node:crypto";
import { KonveierError } from "./core/errors.js";
import { databaseAddress } from "./database-address.js";
import { MOVED_TABLES, type MovedRow, type MovedTable, type MovedValue } from "./store/moved-tables.js";
import type { MovePosition } from "./store/postgres/move-in.js";

/** Rows that are moved in one transaction. */
const CHUNK = 1_000;

export interface MoveReport {
  /** Rows by table. */
  readonly rows: Readonly<Record<string, number>>;
  readonly jobs: number;
}

/** Something to read rows from, in the order of their keys. */
interface Rows {
  rows(
    table: MovedTable,
    after: readonly MovedValue[] | null,
    limit: number,
  ): MovedRow[] | Promise<MovedRow[]>;
}

/**
 * Copies everything from a SQLite file to an empty schema of PostgreSQL, and compares both afterwards. Nobody may write
 * into the file meanwhile. A move that was interrupted goes on where it was when it is called again, as long as the file
 * has not changed.
 *
 * @param onTable told before each table
 * @throws KonveierError `store_…` that says what to do
 */
export async function moveStore(
  from: string,
  to: { readonly url: string; readonly schema: string },
  onTable: (table: string, rows: number) => void = () => undefined,
): Promise<MoveReport> {
  const source = databaseAddress(from);
  const target = databaseAddress(to.url);
  if (source.kind !== "sqlite" || target.kind !== "postgres" || source.file === ":memory:") {
    throw new KonveierError("store_unsupported", "A store moves from a SQLite file to PostgreSQL.");
  }
  const { SqliteMoveOut } = await import("./store/sqlite/move-out.js");
  const { PostgresMoveIn } = await import("./store/postgres/move-in.js");
  const out = SqliteMoveOut.open(source.file);
  try {
    const into = await PostgresMoveIn.open(target.url, to.schema);
    try {
      const position = await into.begin(out.identity(), MOVED_TABLES);
      for (const { table, after } of remaining(position)) {
        onTable(table.name, out.count(table));
        for await (const rows of chunks(out, table, after)) {
          await into.add(table, rows, { table: table.name, after: keyOf(table, rows.at(-1)) });
        }
      }
      const rows: Record<string, number> = {};
      for (const table of MOVED_TABLES) rows[table.name] = await compare(out, into, table);
      await into.finish(out.sequences());
      return { rows, jobs: rows["jobs"] ?? 0 };
    } finally {
      await into.close();
    }
  } finally {
    out.close();
  }
}

/** Tables that are not moved yet, the first of them from where it was left. */
function remaining(position: MovePosition | null): { table: MovedTable; after: MovePosition["after"] }[] {
  const begun = position === null ? 0 : MOVED_TABLES.findIndex(({ name }) => name === position.table);
  return MOVED_TABLES.slice(begun).map((table, index) => ({
    table,
    after: index === 0 ? reviveKey(table, position?.after ?? null) : null,
  }));
}

/** A key that was kept as JSON. */
function reviveKey(table: MovedTable, after: MovePosition["after"]): MovePosition["after"] {
  if (after === null) return null;
  return table.key.map((column, index) => {
    const value = after[index] ?? null;
    return table.columns[column] === "bytes"
      ? Buffer.from((value as unknown as { data: number[] }).data)
      : value;
  });
}

async function* chunks(
  source: Rows,
  table: MovedTable,
  from: readonly MovedValue[] | null,
): AsyncGenerator<MovedRow[]> {
  let after = from;
  for (;;) {
    const rows = await source.rows(table, after, CHUNK);
    if (rows.length === 0) return;
    yield rows;
    after = keyOf(table, rows.at(-1));
  }
}

function keyOf({ columns, key }: MovedTable, row: MovedRow | undefined): MovedValue[] {
  const names = Object.keys(columns);
  return key.map((column) => row?.[names.indexOf(column)] ?? null);
}

/** @returns the rows of the table. @throws KonveierError when both sides do not have the same ones */
async function compare(out: Rows, into: Rows, table: MovedTable): Promise<number> {
  const [here, there] = [await digest(out, table), await digest(into, table)];
  if (here.rows === there.rows && here.sum === there.sum) return here.rows;
  throw new KonveierError(
    "store_corrupt",
    `${table.name} has ${here.rows} rows here and ${there.rows} there, and they are not the same. Drop the target's schema and move again.`,
  );
}

async function digest(source: Rows, table: MovedTable): Promise<{ rows: number; sum: string }> {
  const hash = createHash("sha256");
  let count = 0;
  for await (const rows of chunks(source, table, null)) {
    count += rows.length;
    for (const row of rows) addRow(hash, row);
  }
  return { rows: count, sum: hash.digest("hex") };
}

function addRow(hash: Hash, row: MovedRow): void {
  hash.update(JSON.stringify(row.map((value) => (Buffer.isBuffer(value) ? value.toString("hex") : value))));
}
