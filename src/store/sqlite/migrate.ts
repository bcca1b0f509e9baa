import { readdirSync, readFileSync } from "node:fs";
import { KonveierError } from "../../core/errors.js";
import { kindOfStoredError } from "../stored-error-kind.js";
import type { Connection } from "./connection.js";

interface Migration {
  readonly version: number;
  readonly sql: string;
}

const DIRECTORY = new URL("./migrations/", import.meta.url);

/** "Konv" in ASCII: marks the file as ours, so that no other program's database is migrated by mistake. */
const APPLICATION_ID = 0x4b6f6e76;

/**
 * Brings the schema to this program's version. Each migration runs in a transaction of its own together
 * with its version number, so a crash leaves a whole version. Processes that start together wait for
 * one another.
 *
 * @throws KonveierError `store_too_new` when a newer program has migrated the file,
 *   `store_unsupported` when the file belongs to something else
 */
export function migrate(db: Connection): void {
  const migrations = readMigrations();
  const newest = migrations.at(-1)?.version ?? 0;
  // The usual case needs no lock, so opening does not wait behind a long write.
  if (userVersion(db) === newest && applicationIdOf(db) === APPLICATION_ID) return;
  defineFunctions(db);
  db.pragma("busy_timeout = 30000");
  try {
    for (const migration of migrations) {
      db.transaction(() => {
        const version = userVersion(db);
        refuseForeign(db, version);
        refuseNewer(db, version, newest);
        if (version >= migration.version) return;
        db.exec(migration.sql);
        db.pragma(`user_version = ${migration.version}`);
        db.pragma(`application_id = ${APPLICATION_ID}`);
      }).immediate();
    }
  } finally {
    db.pragma("busy_timeout = 5");
  }
}

/**
 * For who only reads.
 *
 * @returns the version of the schema, perhaps an older one than this program's
 * @throws KonveierError as `migrate`, also for a file without a schema
 */
export function verifyOurs(db: Connection): number {
  const version = userVersion(db);
  if (applicationIdOf(db) !== APPLICATION_ID) throw foreign(db);
  refuseNewer(db, version, newestVersion());
  return version;
}

/** The version of the schema that this program knows. */
export function newestVersion(): number {
  return readMigrations().at(-1)?.version ?? 0;
}

/** Notices that a newer program has migrated the file meanwhile: this one must not write into it any more. */
export class SchemaGuard {
  readonly #version;
  readonly #newest = newestVersion();

  constructor(private readonly db: Connection) {
    this.#version = db.prepare<[], number>("PRAGMA user_version").pluck();
  }

  get version(): number {
    return this.#version.get() ?? 0;
  }

  /** @throws KonveierError `store_too_new` */
  verify(): void {
    refuseNewer(this.db, this.version, this.#newest);
  }
}

/** What migrations cannot say in SQL. */
function defineFunctions(db: Connection): void {
  db.function("kind_of_error", { deterministic: true, directOnly: true }, (json: string | null) => {
    const { fingerprint, type, message } = kindOfStoredError(json);
    return JSON.stringify([fingerprint, type, message]);
  });
}

function readMigrations(): Migration[] {
  return readdirSync(DIRECTORY)
    .filter((file) => /^\d{4}_[a-z0-9_]+\.sql$/.test(file))
    .sort()
    .map((file) => ({
      version: Number(file.slice(0, 4)),
      sql: readFileSync(new URL(file, DIRECTORY), "utf8"),
    }));
}

function userVersion(db: Connection): number {
  return db.pragma("user_version", { simple: true }) as number;
}

function applicationIdOf(db: Connection): number {
  return db.pragma("application_id", { simple: true }) as number;
}

function refuseNewer(db: Connection, version: number, newest: number): void {
  if (version <= newest) return;
  throw new KonveierError(
    "store_too_new",
    `${db.name} has schema version ${version}, this program knows up to ${newest}. Update Konveier, or restore a backup made before the update.`,
  );
}

function refuseForeign(db: Connection, version: number): void {
  const applicationId = applicationIdOf(db);
  if (applicationId === APPLICATION_ID) return;
  const tables = db.prepare("SELECT count(*) AS n FROM sqlite_schema").get() as { n: number };
  if (applicationId === 0 && version === 0 && tables.n === 0) return;
  throw foreign(db);
}

function foreign(db: Connection): KonveierError {
  return new KonveierError(
    "store_unsupported",
    `${db.name} is the database of another program. Give Konveier a file of its own.`,
  );
}
