import { describe, expect, onTestFinished, test } from "vitest";
import { PostgresSchema } from "../../../../test/support/postgres-schema.js";
import { systemClock } from "../../../core/clock.js";
import { parseJobQuery } from "../../../core/job-query/parse.js";
import type { JobCursor } from "../../jobs.js";
import type { Queryable } from "../connection.js";
import { LimitedQueues } from "../../limits/limited-queues.js";
import type { PostgresContext } from "../context.js";
import { DatabaseClock } from "../database-clock.js";
import { JobSearch } from "./job-search.js";

/** Jobs in the tables: far more than any statement may look at. */
const JOBS = 40_000;
const LIMIT = 20;

/** A step of a plan, with what it really did. */
interface Step {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly "Index Name"?: string;
  readonly "Actual Rows": number;
  readonly "Actual Loops": number;
  readonly "Rows Removed by Filter"?: number;
  readonly Plans?: readonly Step[];
}

interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/**
 * When the database last looked at how many rows of what kind it has. It does so by itself when a part of them has
 * changed, some time later.
 */
type Statistics = "when there were few" | "now";

async function setUp(statistics: Statistics) {
  const schema = await PostgresSchema.make();
  onTestFinished(() => schema.drop());
  for (const table of [
    "jobs",
    "job_specs",
    "job_tags",
    "attempts",
    "dead_jobs",
    "dead_groups",
    "idempotency_keys",
  ]) {
    await schema.query(`ALTER TABLE ${table} SET (autovacuum_enabled = false)`);
  }
  await fill(schema, 1, 200);
  if (statistics === "when there were few") await schema.query("ANALYZE");
  await fill(schema, 201, JOBS);
  await schema.query(
    "INSERT INTO folded_counts (queue, name, state, n) SELECT queue, name, state, count(*) FROM jobs GROUP BY 1, 2, 3",
  );
  await schema.query("INSERT INTO lanes SELECT DISTINCT queue, name, priority FROM jobs");
  if (statistics === "now") await schema.query("ANALYZE");
  const statements: Statement[] = [];
  return { schema, statements, search: new JobSearch(contextOf(schema, statements)) };
}

/** Most are completed; the rest are in all other states. All dead ones died of the same. */
async function fill(schema: PostgresSchema, from: number, to: number): Promise<void> {
  const range = [from, to];
  await schema.query(
    `INSERT INTO jobs (id, queue, name, state, priority, attempt, max_attempts, created_at, run_at, token, worker_id,
       started_at, finished_at)
     SELECT id, 'q' || id % 3, 'n' || id % 7, state, 4, 1, 20, id, id, id, 'w', id,
       CASE WHEN state IN ('completed', 'dead', 'cancelled') THEN id END
     FROM (SELECT id, CASE WHEN id % 10 < 6 THEN 'completed' ELSE
       (ARRAY['dead', 'cancelled', 'scheduled', 'pending'])[id % 10 - 5] END AS state
       FROM generate_series($1::bigint, $2::bigint) AS id) AS made`,
    range,
  );
  await schema.query("UPDATE jobs SET state = 'running' WHERE id BETWEEN $1 AND $2 AND id % 1000 = 9", range);
  await schema.query(
    `INSERT INTO job_specs (job_id, payload, budget, tags, idempotency_key)
     SELECT id, '{"n":' || id || '}', 20, '["t"]', 'k' || id FROM generate_series($1::bigint, $2::bigint) AS id`,
    range,
  );
  await schema.query(
    "INSERT INTO job_tags SELECT 't', id FROM generate_series($1::bigint, $2::bigint) AS id",
    range,
  );
  await schema.query(
    "INSERT INTO job_tags SELECT 'rare', id FROM generate_series($1::bigint, $2::bigint, 1000) AS id",
    range,
  );
  await schema.query(
    "INSERT INTO idempotency_keys SELECT 'k' || id, 'f', id FROM generate_series($1::bigint, $2::bigint) AS id",
    range,
  );
  const dead = "FROM jobs WHERE state = 'dead' AND id BETWEEN $1 AND $2";
  await schema.query(
    `INSERT INTO attempts SELECT id, 1, 1, 'w', id, id, 'failed', '{"type":"E","message":"m"}', NULL ${dead}`,
    range,
  );
  await schema.query(
    `INSERT INTO dead_groups (queue, name, fingerprint, type, message, n, last_at)
     SELECT queue, name, '0123456789abcdef', '"E"', '"m"', 0, 0 ${dead} GROUP BY queue, name ON CONFLICT DO NOTHING`,
    range,
  );
  await schema.query(
    `INSERT INTO dead_jobs SELECT job.id, dead_groups.id, finished_at FROM (SELECT * ${dead}) AS job
     JOIN dead_groups USING (queue, name)`,
    range,
  );
  await schema.query(
    "UPDATE dead_groups SET n = (SELECT count(*) FROM dead_jobs WHERE group_id = dead_groups.id)",
  );
}

/** The context of a search, which remembers every statement. */
function contextOf(schema: PostgresSchema, statements: Statement[]): PostgresContext {
  const db: Queryable = {
    query: (text, values = []) => {
      statements.push({ text, values });
      return schema.pool.query(text, values as unknown[]);
    },
  };
  return {
    s: schema.quoted,
    clock: new DatabaseClock(systemClock, JOBS, false),
    smallSet: 1_000,
    limited: new LimitedQueues(systemClock, () => undefined),
    read: (work) => work(db),
    look: (work) => work(db),
    snapshot: (work) => work(db),
    write: writesNothing,
    committer: { accept: writesNothing, writeAccepted: writesNothing },
  };
}

function writesNothing(): Promise<never> {
  return Promise.reject(new Error("A search writes nothing"));
}

/** How many rows a statement looks at, and how. */
async function costOf(
  schema: PostgresSchema,
  { text, values }: Statement,
): Promise<{ rows: number; how: string }> {
  const [row] = await schema.query<{ "QUERY PLAN": [{ Plan: Step }] }>(
    `EXPLAIN (ANALYZE, FORMAT JSON) ${text}`,
    values,
  );
  let rows = 0;
  const lines: string[] = [];
  const visit = (step: Step, depth: number): void => {
    const looked = (step["Actual Rows"] + (step["Rows Removed by Filter"] ?? 0)) * step["Actual Loops"];
    rows += looked;
    const what = [step["Node Type"], step["Relation Name"], step["Index Name"], looked].filter(Boolean);
    lines.push(" ".repeat(depth) + what.join(" "));
    for (const inner of step.Plans ?? []) visit(inner, depth + 1);
  };
  if (row !== undefined) visit(row["QUERY PLAN"][0].Plan, 0);
  return { rows, how: lines.join("\n") };
}

const MIDDLE: JobCursor = { sort: JOBS / 2, id: String(JOBS / 2) };

describe.each<Statistics>(["when there were few", "now"])("with statistics made %s", (statistics) => {
  test("GRW-06 no statement of a search looks at many jobs", async () => {
    const { schema, statements, search } = await setUp(statistics);
    const filters = [
      "",
      "queue:q1",
      "queue:q* name:n1",
      "state:completed",
      "state:dead queue:q1",
      "state:dead finished>2000-01-01T00:00:00Z",
      "state:scheduled",
      "state:cancelled attempt>3",
      "state:pending",
      "state:running",
      "state:running queue:q1",
      "state:pending,running name:n3",
      "tag:t",
      "tag:rare",
      "tag:t state:dead",
      "tag:t,rare",
      "key:k77",
      "id:77,78,99999999",
      "fingerprint:0123456789abcdef",
      "fingerprint:0123456789abcdef queue:q1 name:n1",
      "state:dead fingerprint:0123456789abcdef",
      "payload.n=-1",
      "error~nothing",
      "-tag:t",
      "worker:nobody",
      "created>2000-01-01T00:00:00Z",
      "key:k77 payload.n=77 error~x",
    ];
    for (const filter of filters) {
      const query = parseJobQuery(filter);
      statements.length = 0;
      for (const after of [null, MIDDLE]) await search.page(query, null, LIMIT, after, 0);
      await search.page(query, ["q1"], LIMIT, null, 0);
      await search.count(query, null, 100, 0);
      for (const statement of statements) {
        const { rows, how } = await costOf(schema, statement);
        // A small set of 1000 is read, sorted and counted in a few steps.
        expect(rows, `${filter}\n${statement.text}\n${how}`).toBeLessThan(20_000);
      }
    }
  });
});
