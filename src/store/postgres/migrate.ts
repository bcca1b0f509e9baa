import { readdirSync, readFileSync } from "node:fs";
import { systemClock, type Clock } from "../../core/clock.js";
import { KonveierError } from "../../core/errors.js";
import { patiently, type PoolClient, type Queryable } from "./connection.js";
import { isConflict, isLockTimeout } from "./errors.js";
import { lockNumber } from "./lock-number.js";

export interface Migration {
  readonly version: number;
  /** The oldest version whose programs may go on when this one is done. */
  readonly oldestCompatible: number;
  readonly sql: string;
}

/** What a schema says of itself. */
export interface SchemaVersions {
  readonly version: number;
  /** Programs of older versions than this one must leave it alone. */
  readonly oldest_compatible: number;
}

const DIRECTORY = new URL("./migrations/", import.meta.url);

/** A migration that does not say so lets nobody older go on. */
const OLDEST_COMPATIBLE = /^-- Oldest version that may go on: (\d+)$/m;

/**
 * How long a migration waits for each lock. Whoever comes after it waits behind it, so it is shorter than what a write
 * waits for a lock; and longer than the second after which PostgreSQL ends an autovacuum that is in somebody's way.
 */
const LOCK_LIMIT_MS = 1_200;
/** Bound of the time between two tries, in which the others catch up. */
const PAUSE_MS = 2_000;
/** How long it is tried, before whoever starts the program is told that something is in the way. */
const TRY_LIMIT_MS = 60_000;
/** A process that is stopped in the middle of a migration keeps everybody out. */
const IDLE_LIMIT_MS = 10_000;

/**
 * Brings the schema to this program's version, each migration in a transaction of its own together with its version
 * number, so a crash leaves a whole version. Programs that start together wait for one another.
 *
 * @param s the schema, quoted
 * @param migrations others than ours, for tests
 * @throws KonveierError `store_too_new` when a newer program has migrated the schema and left this one behind,
 *   `store_unsupported` when it belongs to something else, `store_busy` when somebody does not let go of its tables
 */
export async function migrate(
  client: PoolClient,
  s: string,
  place: string,
  clock: Clock = systemClock,
  migrations: readonly Migration[] = readMigrations(),
): Promise<void> {
  const db = patiently(client);
  const newest = migrations.at(-1)?.version ?? 0;
  // The usual case needs no lock, and no right to change the schema.
  const found = await versionsOf(db, s);
  if (found !== null && found.version >= newest) {
    verifyVersions(found, newest, place);
    return;
  }
  for (const migration of migrations) {
    const since = clock.monotonic();
    while (!(await attempt(db, s, migration, newest, place))) {
      if (clock.monotonic() - since >= TRY_LIMIT_MS) throw inTheWay(migration, place);
      await pause(clock);
    }
  }
}

/** @returns whether the schema has this version now; otherwise somebody was in the way */
async function attempt(
  db: Queryable,
  s: string,
  migration: Migration,
  newest: number,
  place: string,
): Promise<boolean> {
  await db.query("BEGIN ISOLATION LEVEL READ COMMITTED");
  try {
    await db.query(`SET LOCAL idle_in_transaction_session_timeout = ${IDLE_LIMIT_MS}`);
    // Users have limits for everyday statements, and would never come through with an index of a large table.
    await db.query("SET LOCAL statement_timeout = 0");
    // However long it takes: another program is at it, and this one has nothing locked.
    await db.query("SELECT pg_advisory_xact_lock($1)", [lockNumber("migrate", s)]);
    await db.query(`SET LOCAL lock_timeout = ${LOCK_LIMIT_MS}`);
    await step(db, s, migration, newest, place);
    await db.query("COMMIT");
    return true;
  } catch (error) {
    // Where the connection is gone, so is the transaction.
    await db.query("ROLLBACK").catch(() => undefined);
    if (isLockTimeout(error) || isConflict(error)) return false;
    throw error;
  }
}

async function step(
  db: Queryable,
  s: string,
  { version, oldestCompatible, sql }: Migration,
  newest: number,
  place: string,
): Promise<void> {
  const present = await versionsOf(db, s);
  if (present === null) {
    await makeSchema(db, s, place);
  } else {
    verifyVersions(present, newest, place);
    if (present.version >= version) return;
    // Every transaction that writes has read it at its beginning: those that have begun end first, on the schema that
    // they know, and those to come wait here and then see the new version.
    await db.query(`LOCK TABLE ${s}.schema_version IN ACCESS EXCLUSIVE MODE`);
  }
  await db.query(`SET LOCAL search_path TO ${s}`);
  await db.query(sql);
  // One that was left behind by an earlier migration stays behind.
  await db.query(
    `INSERT INTO schema_version AS present (version, oldest_compatible) VALUES ($1, $2)
     ON CONFLICT (one) DO UPDATE SET version = excluded.version,
       oldest_compatible = greatest(present.oldest_compatible, excluded.oldest_compatible)`,
    [version, oldestCompatible],
  );
}

/**
 * Notices that a newer program has migrated the schema meanwhile and left this one behind, which must not write into it
 * any more.
 */
export class SchemaGuard {
  readonly #newest = newestVersion();
  /** What was found last. */
  #known: SchemaVersions | null = null;

  constructor(
    private readonly s: string,
    private readonly place: string,
  ) {}

  /** The columns of `SchemaVersions` and where they come from, to go at the end of a SELECT. */
  get sql(): string {
    return `version, oldest_compatible FROM ${this.s}.schema_version`;
  }

  async read(db: Queryable): Promise<SchemaVersions> {
    const { rows } = await db.query(`SELECT ${this.sql}`);
    const [found] = rows as SchemaVersions[];
    if (found === undefined) throw new Error("The database has lost its version");
    return found;
  }

  /** @throws KonveierError `store_too_new` */
  verify(found: SchemaVersions): void {
    this.#known = found;
    this.verifyKnown();
  }

  /** For reads, which do not ask by themselves. @throws KonveierError `store_too_new` */
  verifyKnown(): void {
    if (this.#known !== null) verifyVersions(this.#known, this.#newest, this.place);
  }
}

/** The version of the schema that this program knows. */
export function newestVersion(): number {
  return readMigrations().at(-1)?.version ?? 0;
}

/** `null` where there is no schema of ours. Other programs have a table of this name too, with other columns. */
export async function versionsOf(db: Queryable, s: string): Promise<SchemaVersions | null> {
  const { rows } = await db.query(
    "SELECT EXISTS (SELECT 1 FROM pg_attribute WHERE attrelid = to_regclass($1) AND attname = 'one') AS there",
    [`${s}.schema_version`],
  );
  if ((rows as { there: boolean }[])[0]?.there !== true) return null;
  const versions = await db.query(`SELECT version, oldest_compatible FROM ${s}.schema_version`);
  return (versions.rows as SchemaVersions[])[0] ?? null;
}

export function readMigrations(): Migration[] {
  return readdirSync(DIRECTORY)
    .filter((file) => /^\d{4}_[a-z0-9_]+\.sql$/.test(file))
    .sort()
    .map((file) => {
      const version = Number(file.slice(0, 4));
      const sql = readFileSync(new URL(file, DIRECTORY), "utf8");
      return { version, oldestCompatible: Number(OLDEST_COMPATIBLE.exec(sql)?.[1] ?? version), sql };
    });
}

/**
 * @param newest what this program knows
 * @throws KonveierError `store_too_new`
 */
export function verifyVersions(
  { version, oldest_compatible }: SchemaVersions,
  newest: number,
  place: string,
): void {
  if (oldest_compatible <= newest) return;
  throw new KonveierError(
    "store_too_new",
    `${place} has schema version ${version}, this program knows up to ${newest}. Update Konveier, or restore a backup made before the update.`,
  );
}

function inTheWay({ version }: Migration, place: string): KonveierError {
  return new KonveierError(
    "store_busy",
    `${place} could not be brought to schema version ${version}: for ${TRY_LIMIT_MS / 1_000} s some transaction did not let go of its tables, such as one that was left open or a pg_dump. pg_stat_activity shows it by its xact_start. Start again when it has ended; nothing was changed.`,
  );
}

function pause(clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    // Random, so that several programs do not keep the others waiting in turn.
    clock.setTimer(PAUSE_MS * (0.5 + Math.random() / 2), resolve);
  });
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
  if (schema?.used === true) {
    throw new KonveierError(
      "store_unsupported",
      `${place}: the schema has tables of another program. Name another one with KONVEIER_SCHEMA.`,
    );
  }
  await db.query(
    `CREATE TABLE ${s}.schema_version (
       one boolean PRIMARY KEY DEFAULT true CHECK (one), version integer NOT NULL, oldest_compatible integer NOT NULL
     )`,
  );
}
