import { KonveierError } from "../../core/errors.js";
import type { ColumnKind, MovedRow, MovedSequences, MovedTable, MovedValue } from "../moved-tables.js";
import { openPool, type Pool, type Queryable } from "./connection.js";
import { translateError } from "./errors.js";
import { KEYED } from "./lane-floors.js";
import { migrate, SchemaGuard } from "./migrate.js";
import { placeOf, quotedSchema } from "./place.js";

/** How far the move has come. */
export interface MovePosition {
  readonly table: string;
  /** Key of the last row of the table that was moved. */
  readonly after: readonly MovedValue[] | null;
}

/** Tables that this store keeps under another name. */
const OTHER_NAMES = /^(counts|(total|minute|hour)_(events|durations))$/;

const TYPES: Readonly<Record<ColumnKind, string>> = {
  number: "bigint",
  real: "double precision",
  text: "text",
  "free text": "text",
  "yes or no": "boolean",
  bytes: "bytea",
};

/**
 * Writes a whole database that comes from elsewhere. Until it is finished no server opens it, and it can be gone on
 * with after a crash.
 */
export class PostgresMoveIn {
  private constructor(
    private readonly pool: Pool,
    private readonly s: string,
    private readonly place: string,
    private readonly schema: SchemaGuard,
  ) {}

  /** Makes the schema where there is none. @throws KonveierError `store_…` */
  static async open(url: string, schema: string): Promise<PostgresMoveIn> {
    const s = quotedSchema(schema);
    const place = placeOf(url, s);
    const pool = openPool(url);
    try {
      const client = await pool.connect();
      try {
        await migrate(client, s, place);
      } finally {
        client.release();
      }
      return new PostgresMoveIn(pool, s, place, new SchemaGuard(s, place));
    } catch (error) {
      await pool.end();
      throw translateError(error, place);
    }
  }

  /**
   * Begins, or goes on where an earlier move of the same source ended.
   *
   * @param source see `SqliteMoveOut.identity`
   * @throws KonveierError `store_unsupported` when there is something in it that did not come from there
   */
  begin(source: string, tables: readonly MovedTable[]): Promise<MovePosition | null> {
    return this.#transaction(async (db) => {
      const { rows } = await db.query(`SELECT source, position FROM ${this.s}.moving FOR UPDATE`);
      const [known] = rows as { source: string; position: MovePosition | null }[];
      if (known !== undefined) {
        if (known.source === source) return known.position;
        throw this.#refusal("an unfinished move of another database, or of this one as it was before");
      }
      for (const table of tables) {
        // Every database has a secret of its own from its beginning.
        if (table.name !== "secrets" && !(await this.#isEmpty(db, table))) {
          throw this.#refusal(`rows in ${this.#nameOf(table)}`);
        }
      }
      const workers = await db.query(`SELECT 1 FROM ${this.s}.workers LIMIT 1`);
      if (workers.rows.length > 0) throw this.#refusal("workers, which a server has left: stop it");
      await db.query(`DELETE FROM ${this.s}.secrets`);
      await db.query(`INSERT INTO ${this.s}.moving (source) VALUES ($1)`, [source]);
      return null;
    });
  }

  /** Adds rows, and remembers that they are there, in one transaction. */
  add(table: MovedTable, rows: readonly MovedRow[], position: MovePosition): Promise<void> {
    return this.#transaction(async (db) => {
      await this.#insert(db, table, rows);
      await db.query(`UPDATE ${this.s}.moving SET position = $1`, [JSON.stringify(position)]);
    });
  }

  /** Up to `limit` rows behind the one with this key, as they came. */
  rows(table: MovedTable, after: readonly MovedValue[] | null, limit: number): Promise<MovedRow[]> {
    return this.#transaction(async (db) => {
      const columns = Object.keys(table.columns);
      const key = table.key.join(", ");
      const values = (after ?? []).map((_, index) => `$${index + 2}`).join(", ");
      const behind = after === null ? "" : `WHERE (${key}) > (${values})`;
      const { rows } = await db.query(
        `SELECT ${columns.join(", ")} FROM ${this.s}.${this.#nameOf(table)} ${behind} ORDER BY ${key} LIMIT $1`,
        [limit, ...(after ?? [])],
      );
      const kinds = Object.entries(table.columns);
      return (rows as Record<string, MovedValue>[]).map((row) =>
        kinds.map(([column, kind]) => given(row[column] ?? null, kind)),
      );
    });
  }

  async count(table: MovedTable): Promise<number> {
    const { rows } = await this.pool.query<{ n: number }>(
      `SELECT count(*) AS n FROM ${this.s}.${this.#nameOf(table)}`,
    );
    return rows[0]?.n ?? 0;
  }

  /** Lets numbers go on where they were, and servers in. */
  finish({ job, token, schedule_version, flow, event }: MovedSequences): Promise<void> {
    return this.#transaction(async (db) => {
      const goOn = async (sequence: string, last: number) => {
        if (last > 0) await db.query("SELECT setval($1, $2)", [`${this.s}.${sequence}`, last]);
      };
      await goOn("job_ids", job);
      await goOn("fencing_tokens", token);
      await goOn("schedule_versions", schedule_version);
      await goOn("flow_ids", flow);
      for (const [table, column] of [
        ["dead_groups", "id"],
        ["operations", "id"],
        ["audit", "seq"],
      ] as const) {
        const { rows } = await db.query(`SELECT max(${column}) AS last FROM ${this.s}.${table}`);
        await goOn(`${table}_${column}_seq`, (rows as { last: number | null }[])[0]?.last ?? 0);
      }
      // Events stay behind, and their numbers go on: whoever asks for what came after one of them is told of a gap.
      await db.query(`UPDATE ${this.s}.journal SET latest = $1, complete_after = $1`, [event + 1]);
      await db.query(
        `INSERT INTO ${this.s}.lanes (queue, name, priority)
         SELECT DISTINCT queue, name, CASE WHEN keys IS NULL THEN priority ELSE ${String(KEYED)} END
         FROM ${this.s}.jobs ON CONFLICT DO NOTHING`,
      );
      await db.query(`DELETE FROM ${this.s}.moving`);
    });
  }

  close(): Promise<void> {
    return this.pool.end();
  }

  #nameOf({ name }: MovedTable): string {
    return OTHER_NAMES.test(name) ? `folded_${name}` : name;
  }

  async #isEmpty(db: Queryable, table: MovedTable): Promise<boolean> {
    const { rows } = await db.query(`SELECT 1 FROM ${this.s}.${this.#nameOf(table)} LIMIT 1`);
    return rows.length === 0;
  }

  async #insert(db: Queryable, table: MovedTable, rows: readonly MovedRow[]): Promise<void> {
    const columns = Object.entries(table.columns);
    const names = columns.map(([column]) => column).join(", ");
    const types = columns.map(([column, kind]) => `${column} ${TYPES[kind]}`).join(", ");
    const records = rows.map((row) =>
      Object.fromEntries(columns.map(([column, kind], index) => [column, kept(row[index] ?? null, kind)])),
    );
    // Numbers of their own where the table would give some.
    await db.query(
      `INSERT INTO ${this.s}.${this.#nameOf(table)} (${names}) OVERRIDING SYSTEM VALUE
       SELECT ${names} FROM json_to_recordset($1::json) AS row (${types})`,
      [JSON.stringify(records)],
    );
  }

  #refusal(found: string): KonveierError {
    return new KonveierError(
      "store_unsupported",
      `${this.place} is not empty: it has ${found}. Name another schema, or drop this one.`,
    );
  }

  async #transaction<T>(work: (db: Queryable) => Promise<T>): Promise<T> {
    try {
      const client = await this.pool.connect();
      let broken: Error | undefined;
      try {
        await client.query("BEGIN ISOLATION LEVEL READ COMMITTED");
        const db: Queryable = { query: (text, values) => client.query(text, values as unknown[]) };
        this.schema.verify(await this.schema.read(db));
        const answer = await work(db);
        await client.query("COMMIT");
        return answer;
      } catch (error) {
        // Ends the transaction as well.
        broken = error as Error;
        throw error;
      } finally {
        client.release(broken);
      }
    } catch (error) {
      throw translateError(error, this.place);
    }
  }
}

function kept(value: MovedValue, kind: ColumnKind): MovedValue {
  if (value === null) return null;
  if (Buffer.isBuffer(value)) return `\\x${value.toString("hex")}`;
  return kind === "free text" ? JSON.stringify(value) : value;
}

function given(value: MovedValue, kind: ColumnKind): MovedValue {
  return kind === "free text" && value !== null ? (JSON.parse(String(value)) as string) : value;
}
