import { KonveierError } from "../../core/errors.js";

/** The name of a schema as it stands in statements. @throws KonveierError `store_unsupported` */
export function quotedSchema(schema: string): string {
  if (/^[a-z_][a-z0-9_]{0,62}$/.test(schema) && !schema.startsWith("pg_")) return `"${schema}"`;
  throw new KonveierError(
    "store_unsupported",
    `The schema ${JSON.stringify(schema)} cannot be used. Take at most 63 lower-case letters, digits and underscores, not beginning with a digit or with pg_.`,
  );
}

/** How the database is named in messages: without user and password. */
export function placeOf(url: string, s: string): string {
  try {
    const { host, pathname } = new URL(url);
    return `PostgreSQL ${host}${pathname}, schema ${s.slice(1, -1)}`;
  } catch {
    return `PostgreSQL, schema ${s.slice(1, -1)}`;
  }
}
