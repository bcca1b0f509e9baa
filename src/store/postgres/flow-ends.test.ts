import { expect, onTestFinished, test } from "vitest";
import { PostgresSchema } from "../../../test/support/postgres-schema.js";
import { FlowEndStatements } from "./flow-ends.js";

test("FLW-06 whom an end is told to comes from the index, also where all wait for one job by one policy", async () => {
  const schema = await PostgresSchema.make();
  onTestFinished(() => schema.drop());
  await schema.query(
    `INSERT INTO dependencies (on_id, job_id, on_failure) SELECT 1, id, 'cancel' FROM generate_series(2, 60000) AS id`,
  );
  await schema.query("VACUUM ANALYZE dependencies");

  const { text } = new FlowEndStatements(schema.quoted).open;
  const ids = Array.from({ length: 500 }, (_, index) => 1_000 + index);
  const plan = await schema.query<Record<string, string>>(`EXPLAIN ${text}`, [
    ids,
    ids.map(() => "block"),
    1_001,
  ]);
  const lines = plan.map((row) => row["QUERY PLAN"]).join("\n");
  expect(lines).toContain("dependencies_due");
  expect(lines).not.toContain("Seq Scan");
});
