import { randomBytes } from "node:crypto";
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { Konveier } from "../../src/konveier.js";
import { Command } from "../support/command.js";
import { postgresUrl } from "../support/postgres-factory.js";
import { tempDirectory } from "../support/temp-directory.js";

function run(cwd: string, ...args: readonly string[]) {
  return new Command(["migrate-store", ...args], { cwd }).outcome;
}

test("a store moves by one command, and says what it did", async () => {
  const cwd = tempDirectory();
  const schema = `test_${randomBytes(6).toString("hex")}`;
  const client = new pg.Client(postgresUrl());
  await client.connect();
  onTestFinished(async () => {
    await client.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
    await client.end();
  });
  const before = await Konveier.open(`sqlite:${cwd}/jobs.db`);
  const { id } = await before.enqueue("a", { kept: true });
  await before.close();

  const target = ["--to", postgresUrl(), "--schema", schema];
  const moved = await run(cwd, "--from", "sqlite:jobs.db", ...target);
  expect(moved).toMatchObject({ code: 0, stdout: expect.stringMatching(/^1 job and all/) as unknown });
  expect(moved.stderr).toContain("jobs: 1 row\n");
  const after = await Konveier.open(postgresUrl(), { schema });
  expect(await after.jobs.payload(id)).toEqual({ kept: true });
  await after.close();

  const again = await run(cwd, "--from", "sqlite:jobs.db", ...target);
  expect(again).toMatchObject({ code: 1, stdout: "" });
  expect(again.stderr).toMatch(/^konveier: .*is not empty: it has rows in jobs\. Name another schema/);
  expect(again.stderr).not.toContain("postgres:postgres");
});

test.each([
  [["--from", "sqlite:nowhere.db", "--to", "postgres://u:secret@127.0.0.1:1/jobs"], "nowhere.db"],
  [["--from", "sqlite::memory:", "--to", "postgres://u:secret@127.0.0.1:1/jobs"], "moves from a SQLite file"],
  [["--from", "postgres://u:secret@h/db", "--to", "sqlite:a.db"], "moves from a SQLite file"],
])("what cannot be meant is refused: %j", async (args, text) => {
  const { code, stderr } = await run(tempDirectory(), ...args);
  expect(code).toBe(1);
  expect(stderr).toContain(text);
  expect(stderr).not.toContain("secret");
});

test.each([
  ["sqlite:jobs.db?mode=ro", "postgres://u:secret@127.0.0.1:1/jobs", "no options"],
  ["sqlite:jobs.db", "postgres://u:secret@h", "names no database"],
])("an address that cannot be meant is bad configuration: %s to %s", async (from, to, text) => {
  const { code, stderr } = await run(tempDirectory(), "--from", from, "--to", to);
  expect([code, stderr]).toEqual([78, expect.stringContaining(text)]);
  expect(stderr).not.toContain("secret");
});
