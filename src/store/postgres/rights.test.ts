import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { postgresUrl } from "../../../test/support/postgres-factory.js";
import { defineJob } from "../../core/define-job.js";
import { Konveier } from "../../konveier.js";

const PAGE = readFileSync(new URL("../../../docs/postgresql.md", import.meta.url), "utf8");

test("a server with the rights of the documentation does everything but change the schema", async () => {
  const id = randomBytes(5).toString("hex");
  const [database, owner, app] = [`db_${id}`, `owner_${id}`, `app_${id}`];
  const statements = (/```sql\n([^]*?)```/.exec(PAGE)?.[1] ?? "")
    .replaceAll("konveier_owner", owner)
    .replaceAll("konveier_app", app)
    .replaceAll("'…'", "'secret'");
  const admin = new pg.Client(postgresUrl());
  await admin.connect();
  await admin.query(`CREATE DATABASE ${database}`);
  onTestFinished(async () => {
    await admin.query(`DROP DATABASE ${database} WITH (FORCE)`);
    await admin.query(`DROP ROLE ${owner}`);
    await admin.query(`DROP ROLE ${app}`);
    await admin.end();
  });
  const inside = new pg.Client(urlOf(database));
  await inside.connect();
  await inside.query(statements);
  await inside.end();

  await expect(Konveier.open(urlOf(database, app))).rejects.toMatchObject({ code: "store_unsupported" });
  await (await Konveier.open(urlOf(database, owner))).close();
  const konveier = await Konveier.open(urlOf(database, app));
  onTestFinished(() => konveier.close());
  const worker = konveier.worker({ jobs: [defineJob<number>("a", { handler: ({ payload }) => payload })] });
  await worker.start();
  await konveier.schedules.put("s", { everyMs: 60_000, job: "a" });
  const job = await konveier.enqueue("a", 1, { tags: ["t"], idempotencyKey: "k" });
  await konveier.jobs.waitFor(job.id);
  expect(await konveier.jobs.result(job.id)).toBe(1);
  await konveier.jobs.delete(job.id);
});

function urlOf(database: string, role?: string): string {
  const url = new URL(postgresUrl());
  url.pathname = `/${database}`;
  if (role !== undefined) [url.username, url.password] = [role, "secret"];
  return url.href;
}
