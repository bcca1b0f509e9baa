import { randomBytes } from "node:crypto";
import pg from "pg";
import { expect, onTestFinished, test, vi } from "vitest";
import { postgresUrl } from "../../../test/support/postgres-factory.js";
import { openPostgresStore } from "./open.js";

/** A database of its own: in one that is shared, other tests have transactions open. */
async function ownDatabase(): Promise<{ url: string; role: string; session: pg.Client }> {
  const id = randomBytes(5).toString("hex");
  const [database, role] = [`db_${id}`, `role_${id}`];
  const admin = new pg.Client(postgresUrl());
  await admin.connect();
  await admin.query(`CREATE DATABASE ${database}`);
  await admin.query(`CREATE ROLE ${role}`);
  const url = new URL(postgresUrl());
  url.pathname = `/${database}`;
  const session = new pg.Client(url.href);
  await session.connect();
  onTestFinished(async () => {
    await session.end();
    await admin.query(`DROP DATABASE ${database} WITH (FORCE)`);
    await admin.query(`DROP ROLE ${role}`);
    await admin.end();
  });
  return { url: url.href, role, session };
}

test("PGS-07 an open transaction and the dead rows that it keeps are told, as far as the user may see", async () => {
  const { url, role, session } = await ownDatabase();
  const store = await openPostgresStore(url);
  onTestFinished(() => store.close());
  await session.query(
    `GRANT USAGE ON SCHEMA konveier TO ${role};
     GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA konveier TO ${role};
     GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA konveier TO ${role}`,
  );
  const limitedUrl = new URL(url);
  limitedUrl.searchParams.set("options", `-c role=${role}`);
  const limited = await openPostgresStore(limitedUrl.href);
  onTestFinished(() => limited.close());
  expect((await store.stats.upkeep()).oldestTransactionMs).toBe(0);

  await session.query("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT FROM konveier.jobs");
  await vi.waitFor(async () => {
    expect((await store.stats.upkeep()).oldestTransactionMs).toBeGreaterThan(0);
  });
  expect((await limited.stats.upkeep()).oldestTransactionMs).toBe(0);
  await session.query("COMMIT");
  expect((await store.stats.upkeep()).oldestTransactionMs).toBe(0);

  const before = (await store.stats.upkeep()).deadRows;
  await session.query("UPDATE konveier.write_check SET n = n + 1");
  // Told by the session that changed them, otherwise up to a second later.
  await session.query("SELECT pg_stat_force_next_flush(); SELECT 1");
  expect((await store.stats.upkeep()).deadRows).toBeGreaterThan(before);
  expect((await limited.stats.upkeep()).deadRows).toBeGreaterThan(before);
});
