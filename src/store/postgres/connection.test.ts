import { randomBytes } from "node:crypto";
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { postgresUrl } from "../../../test/support/postgres-factory.js";
import { openPostgresStore } from "./open.js";

test("calls that get no connection of their own from the database wait for the one that there is", async () => {
  const name = `test_${randomBytes(6).toString("hex")}`;
  const admin = new pg.Client(postgresUrl());
  await admin.connect();
  await admin.query(`CREATE ROLE ${name} LOGIN PASSWORD 'secret' CONNECTION LIMIT 1`);
  await admin.query(`CREATE SCHEMA ${name} AUTHORIZATION ${name}`);
  const url = new URL(postgresUrl());
  [url.username, url.password] = [name, "secret"];
  const store = await openPostgresStore(url.href, { schema: name });
  onTestFinished(async () => {
    await store.close();
    await admin.query(`DROP SCHEMA ${name} CASCADE`);
    await admin.query(`DROP ROLE ${name}`);
    await admin.end();
  });
  const calls = Array.from({ length: 3 }, () => [store.checkWrite(), store.queues.list()]).flat();
  await expect(Promise.all(calls)).resolves.toHaveLength(calls.length);
});
