import { readdirSync, readFileSync } from "node:fs";
import { KonveierError } from "../../core/errors.js";
import type { PoolClient, Queryable } from "./connection.js";
import { lockNumber } from "./lock-number.js";

export interface Migration {
  readonly version: number;
  readonly sql: string;
}

const DIRECTORY = new URL("./migrations/", import.meta.url);

/**
 * Brings the schema to this program's version, each migration in a transaction of its own together with its version
 * number, so a crash leaves a whole version. Programs that start together wait for one another.
 *
 * @param s the schema, quoted
 * @param migrations others than ours, for tests
 * @throws KonveierError `store_too_new` when a newer program has migrated the schema, `store_unsupported` when it
 *   belongs to something else
 */
export async function migrate(
  client: PoolClient,
  s: string,
  place: string,
  migrations: readonly Migration[] = readMigrations(),
): Promise<void> {
  const newest = migrations.at(-1)?.version ?? 0;
  // The usual case needs no lock, and no right to change the schema.
  if ((await versionOf(client, s)) === newest) return;
  for (const migration of migrations) {
    await client.query("BEGIN ISOLATION LEVEL READ COMMITTED");
    try {
      await client.query("SELECT pg_advisory_xact_lock($1)", [lockNumber("migrate", s)]);
      await step(client, s, migration, newest, place);
      await client.query("COMMIT");
    } catch (error) {
      // Where the connection is gone, so is the transaction.
      await client.query("ROLLBACK").catch(() => undefined);
      throw error;
    }
  }
}

async function step(
  client: PoolClient,
  s: string,
  { version, sql }: Migration,
  newest: number,
  place: string,
): Promise<void> {
  const present = await versionOf(client, s);
  if (present === 0) await makeSchema(client, s, place);
  refuseNewer(present, newest, place);
  if (present >= version) return;
  await client.query(`SET LOCAL search_path TO ${s}`);
  await client.query(
    "CREATE TABLE IF NOT EXISTS schema_version (one boolean PRIMARY KEY DEFAULT true CHECK (one), version integer NOT NULL)",
  );
  await client.query(sql);
  await client.query(
    "INSERT INTO schema_version (version) VALUES ($1) ON CONFLICT (one) DO UPDATE SET version = excluded.version",
    [version],
  );
}

/** Notices that a newer program has migrated the schema meanwhile: this one must not write into it any more. */
export class SchemaGuard {
  readonly #newest = newestVersion();

  constructor(
    private readonly s: string,
    private readonly place: string,
  ) {}

  /** An expression that gives the version in a statement. */
  get sql(): string {
    return `(SELECT version FROM ${this.s}.schema_version)`;
  }

  async read(db: Queryable): Promise<number> {
    const { rows } = await db.query(`SELECT ${this.sql} AS version`);
    return (rows as { version: number | null }[])[0]?.version ?? 0;
  }

  /** @throws KonveierError `store_too_new` */
  verify(version: number): void {
    refuseNewer(version, this.#newest, this.place);
  }
}

/** The version of the schema that this program knows. */
export function newestVersion(): number {
  return readMigrations().at(-1)?.version ?? 0;
}

/** 0 where there is no schema of ours. Other programs have a table of this name too, with other columns. */
async function versionOf(db: Queryable, s: string): Promise<number> {
  const { rows } = await db.query(
    "SELECT EXISTS (SELECT 1 FROM pg_attribute WHERE attrelid = to_regclass($1) AND attname = 'one') AS there",
    [`${s}.schema_version`],
  );
  if ((rows as { there: boolean }[])[0]?.there !== true) return 0;
  const versions = await db.query(`SELECT version FROM ${s}.schema_version`);
  return (versions.rows as { version: number }[])[0]?.version ?? 0;
}

export function readMigrations(): Migration[] {
  return readdirSync(DIRECTORY)
    .filter((file) => /^\d{4}_[a-z0-9_]+\.sql$/.test(file))
    .sort()
    .map((file) => ({
      version: Number(file.slice(0, 4)),
      sql: readFileSync(new URL(file, DIRECTORY), "utf8"),
    }));
}

function refuseNewer(version: number, newest: number, place: string): void {
  if (version <= newest) return;
  throw new KonveierError(
    "store_too_new",
    `${place} has schema version ${version}, this program knows up to ${newest}. Update Konveier, or restore a backup made before the update.`,
  );
}

/**
 * Makes the schema, or takes an empty one that somebody has made for us. One with tables in it that has no version is
 * another program's.
 */
async function makeSchema(db: Queryable, s: string, place: string): Promise<void> {
  const { rows } = await db.query(
    `SELECT to_regnamespace($1) IS NOT NULL AS there,
       EXISTS (SELECT 1 FROM pg_class WHERE relnamespace = to_regnamespace($1)) AS used`,
    [s],
  );
  const [schema] = rows as { there: boolean; used: boolean }[];
  // Even where it is there, making it wants rights on the database.
  if (schema?.there !== true) await db.query(`CREATE SCHEMA ${s}`);
  if (schema?.used !== true) return;
  throw new KonveierError(
    "store_unsupported",
    `${place}: the schema has tables of another program. Name another one with KONVEIER_SCHEMA.`,
  );
}
