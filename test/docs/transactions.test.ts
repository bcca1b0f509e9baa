import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { postgresUrl } from "../support/postgres-factory.js";
import { tempDirectory } from "../support/temp-directory.js";

const run = promisify(execFile);
const example = (name: string) =>
  fileURLToPath(new URL(`../../examples/transactions/${name}`, import.meta.url));

test("the example for SQLite runs as it is", async () => {
  const { stdout } = await run(process.execPath, [example("sqlite.mjs"), join(tempDirectory(), "orders.db")]);
  expect(stdout).toBe("{ confirmed: 1 } [ { id: 1, item: 'a lamp', confirmed: 1 } ]\n");
});

test("the example for PostgreSQL runs as it is", async () => {
  const database = `example_${randomBytes(6).toString("hex")}`;
  const client = new pg.Client(postgresUrl());
  await client.connect();
  await client.query(`CREATE DATABASE ${database}`);
  onTestFinished(async () => {
    await client.query(`DROP DATABASE ${database} WITH (FORCE)`);
    await client.end();
  });
  const url = new URL(postgresUrl());
  url.pathname = `/${database}`;
  const { stdout } = await run(process.execPath, [example("postgres.mjs")], {
    env: { ...process.env, DATABASE_URL: url.href },
  });
  expect(stdout).toBe("{ confirmed: 1 } [ { id: 1, item: 'a lamp', confirmed: true } ]\n");
});
