import { describe, expect, test } from "vitest";
import { openConnection, type Connection } from "./connection.js";
import { pickStatement } from "./lanes.js";
import { migrate } from "./migrate.js";
import { SqliteStore } from "./open.js";
import { parseJobQuery } from "../../core/job-query/parse.js";
import { JOB_STATES, type JobState } from "../../core/states.js";
import { systemClock } from "../../core/clock.js";

/** A store that remembers the text of every statement it prepares. */
function setUp() {
  const db = openConnection(":memory:", "normal");
  migrate(db);
  const statements = new Set<string>();
  const prepare = db.prepare.bind(db);
  db.prepare = (sql: string) => {
    if (!sql.startsWith("EXPLAIN")) statements.add(sql);
    return prepare(sql);
  };
  const store = new SqliteStore(db, systemClock, () => undefined);
  return { db, store, statements };
}

/** The steps by which SQLite would run a statement. */
function planOf(db: Connection, sql: string): string[] {
  const statement = db.prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`);
  const named = [...sql.matchAll(/@(\w+)/g)].map(([, name]) => [name, null] as const);
  const unnamed = new Array<null>(sql.match(/\?/g)?.length ?? 0).fill(null);
  const rows = named.length > 0 ? statement.all(Object.fromEntries(named)) : statement.all(...unnamed);
  return rows.map(({ detail }) => detail);
}

/** Steps that read all rows of `jobs`, whatever their state. A partial index holds the rows of one state. */
function scansOfJobs(plan: readonly string[]): string[] {
  return plan.filter((step) => /^SCAN jobs\b/.test(step) && !/USING (COVERING )?INDEX/.test(step));
}

describe("query plans", () => {
  test("no statement of a store that just works reads the whole table of jobs", () => {
    const { db, statements } = setUp();
    expect(statements.size).toBeGreaterThan(40);
    for (const sql of statements) {
      if (!/\bjobs\b/.test(sql) || /^(BEGIN|COMMIT|ROLLBACK|PRAGMA)/.test(sql)) continue;
      expect(scansOfJobs(planOf(db, sql)), sql).toEqual([]);
    }
  });

  const HOT: Readonly<Record<string, { sql: RegExp; index: RegExp }>> = {
    "the claim from one lane": {
      sql: /^UPDATE jobs[^]*FROM jobs[^]*name = \?/,
      index: /jobs_pending \(queue=\? AND name=\?\)/,
    },
    promote: { sql: /^UPDATE jobs SET state = 'pending' WHERE id IN/, index: /jobs_scheduled \(run_at<\?\)/ },
    "a step by its name": {
      sql: /^SELECT result FROM job_steps WHERE job_id = \? AND name = \?/,
      index: /sqlite_autoindex_job_steps_\d \(job_id=\? AND name=\?\)/,
    },
    "the next due job": {
      sql: /^SELECT run_at FROM jobs WHERE state = 'scheduled'/,
      index: /COVERING INDEX jobs_scheduled/,
    },
    "expired leases": { sql: /lease_until <= \?/, index: /jobs_running \(lease_until<\?\)/ },
    "old completed jobs": {
      sql: /state = 'completed' AND finished_at < \?/,
      index: /jobs_completed \(finished_at<\?\)/,
    },
    "old dead jobs": { sql: /state = 'dead' AND finished_at < \?/, index: /jobs_dead \(finished_at<\?\)/ },
    "old cancelled jobs": {
      sql: /state = 'cancelled' AND finished_at < \?/,
      index: /jobs_cancelled \(finished_at<\?\)/,
    },
    "expired jobs": {
      sql: /^SELECT \* FROM jobs[^]* expires_at <= \?/,
      index: /^SEARCH jobs USING INDEX jobs_expiring \(expires_at>\? AND expires_at<\?\)/,
    },
    "the next job to expire": {
      sql: /^SELECT expires_at FROM jobs/,
      index: /^SEARCH jobs USING INDEX jobs_expiring \(expires_at>\?\)/,
    },
    "due schedules": {
      sql: /^SELECT \* FROM schedules WHERE next_at <= \?/,
      index: /schedules_due \(next_at<\?\)/,
    },
    "the next due schedule": { sql: /^SELECT next_at FROM schedules/, index: /INDEX schedules_due/ },
    "schedules with a waiting slot": {
      sql: /WHERE waiting_slot IS NOT NULL AND paused_at/,
      index: /INDEX schedules_waiting/,
    },
    "the next keys of a queue": {
      sql: /^WITH RECURSIVE walk/,
      index:
        /jobs_by_keys \(queue=\? AND name=\? AND keys>\?\)[^]*jobs_running_keyed \(queue=\? AND keys>\? AND keys<\?\)[^]*rate_buckets[^]*holds/,
    },
    "the first jobs of some keys": {
      sql: /^SELECT id, priority, run_at FROM jobs[^]*keys = \?/,
      index: /jobs_by_keys \(queue=\? AND name=\? AND keys=\?/,
    },
    "the first jobs without keys of a queue with limits": {
      sql: /^SELECT id, priority, run_at FROM jobs[^]*keys IS NULL AND name = \?/,
      index: /jobs_pending \(queue=\? AND name=\?/,
    },
    "how a queue is claimed from": {
      sql: /^SELECT CASE WHEN paused_at/,
      index: /jobs_(by_keys|pending_keyed) \(queue=\?/,
    },
    "jobs that are claimed before another": {
      sql: /keys IS NULL[^]*priority > @priority/,
      index:
        /jobs_pending \(queue=\? AND name=\? AND priority>\?\)[^]*priority=\? AND run_at<\?\)[^]*run_at=\? AND id<\?\)/,
    },
    "the job of a dead group that died last": {
      sql: /^UPDATE dead_groups SET n = n - 1/,
      index: /COVERING INDEX dead_jobs_latest \(group_id=\?\)/,
    },
    "the next tag": {
      sql: /^SELECT min\(tag\) FROM job_tags/,
      index: /job_tags USING PRIMARY KEY \(tag>\?\)/,
    },
    "the oldest pending job": {
      sql: /^WITH priorities/,
      index: /jobs_pending \(queue=\? AND name=\? AND priority=\?\)/,
    },
  };

  test.each(Object.entries(HOT))("%s takes its index, in order", (_, { sql, index }) => {
    const { db, statements } = setUp();
    const found = [...statements].filter((text) => sql.test(text));
    expect(found.length).toBeGreaterThan(0);
    for (const text of found) {
      const plan = planOf(db, text);
      expect(plan.join("\n")).toMatch(index);
      expect(plan.join("\n")).not.toMatch(/TEMP B-TREE/);
    }
  });

  test.each([1, 2, 7, 64])("the pick over %i lanes merges ordered ranges and sorts nothing", (lanes) => {
    const { db } = setUp();
    const plan = planOf(db, pickStatement(lanes));
    expect(plan.join("\n")).not.toMatch(/TEMP B-TREE|SCAN jobs/);
    expect(plan.filter((step) => step.includes("jobs_pending (queue=? AND name=?)"))).toHaveLength(lanes);
  });

  /** How many jobs the counters tell of each state. */
  const FEW = 5;
  const MANY = 1_000_000;

  /** The plans of all statements that look for jobs, for the first and for a later page. */
  async function searchPlans(
    filter: string,
    kept: Partial<Record<JobState, number>>,
    inGroup = 0,
  ): Promise<string[]> {
    const { db, store, statements } = setUp();
    for (const [state, n] of Object.entries(kept)) {
      db.prepare("INSERT INTO counts VALUES ('q', 'n', ?, ?)").run(state, n);
    }
    if (inGroup > 0) {
      db.prepare("INSERT INTO dead_groups VALUES (1, 'q', 'n', '0123456789abcdef', 'E', 'm', ?, 1)").run(
        inGroup,
      );
    }
    const before = new Set(statements);
    const query = parseJobQuery(filter);
    await store.jobs.search(query, null, 10, null, 0);
    await store.jobs.search(query, null, 10, { sort: 1, id: "1" }, 0);
    return [...statements]
      .filter((sql) => !before.has(sql) && /\bjobs\b/.test(sql))
      .flatMap((sql) => planOf(db, sql));
  }

  const reads = async (state: JobState, n: number): Promise<void> => {
    for (const more of ["", " queue:q", " queue:q name:n", " queue:q*", " attempt>3 error~x"]) {
      const plan = await searchPlans(`state:${state}${more}`, { completed: MANY, [state]: n });
      expect(plan.length).toBeGreaterThan(0);
      expect(scansOfJobs(plan), more).toEqual([]);
    }
  };

  const ordered = ["scheduled", "completed", "dead", "cancelled"] as const;
  test.each(ordered)("GRW-06 listing %s jobs reads no jobs of other states", async (state) => {
    await reads(state, FEW);
    await reads(state, MANY);
  });

  // No index has these in order of their ids, and one would cost every enqueue and claim something. Few of
  // them are read through the index that they have, and sorted.
  test.each(["pending", "running"] as const)(
    "GRW-06 listing few %s jobs reads no jobs of other states",
    (state) => reads(state, FEW),
  );

  test("a state that has no jobs is not looked for", async () => {
    for (const state of JOB_STATES.filter((each) => each !== "completed")) {
      expect(await searchPlans(`state:${state}`, { completed: MANY }), state).toEqual([]);
      expect(await searchPlans(`state:${state} payload.a=1`, { completed: MANY, [state]: 0 })).toEqual([]);
    }
  });

  test("listing by tag reads only jobs with the tag", async () => {
    for (const filter of ["tag:t", "tag:t state:dead", "tag:t,u payload.a=1"]) {
      const plan = await searchPlans(filter, { completed: MANY, dead: MANY });
      expect(plan.join("\n")).toMatch(/SEARCH job_tags USING PRIMARY KEY \(tag=\?/);
      expect(scansOfJobs(plan), filter).toEqual([]);
    }
  });

  test.each([
    ["state:dead fingerprint:0123456789abcdef queue:q", "dead_jobs_latest (group_id=?)"],
    ["fingerprint:0123456789abcdef payload.a=1", "dead_jobs_group (group_id=?)"],
  ])("a large group of dead jobs is walked in order by its index: %s", async (filter, index) => {
    const plan = await searchPlans(filter, { completed: MANY, dead: MANY }, MANY);
    expect(plan.join("\n")).toContain(`SEARCH dead_jobs USING COVERING INDEX ${index}`);
    expect(plan.join("\n")).not.toMatch(/TEMP B-TREE/);
    expect(scansOfJobs(plan)).toEqual([]);
  });

  test.each(["count", "latest"] as const)("groups of dead jobs by %s: no sorting", async (order) => {
    const { db, store, statements } = setUp();
    const before = new Set(statements);
    await store.dead.groups({}, null, order, 10);
    const plan = [...statements].filter((sql) => !before.has(sql)).flatMap((sql) => planOf(db, sql));
    expect(plan.join("\n")).toContain(`SCAN dead_groups USING INDEX dead_groups_${order}`);
    expect(plan.join("\n")).not.toMatch(/TEMP B-TREE|SCAN dead_jobs/);
  });

  test("listing everything walks the table from its end, without sorting", async () => {
    expect(new Set(await searchPlans("", { completed: MANY }))).toEqual(
      new Set(["SCAN jobs", "SEARCH jobs USING INTEGER PRIMARY KEY (rowid<?)"]),
    );
  });

  const MANY_OF_ALL = { completed: MANY, dead: MANY, pending: FEW, running: FEW, scheduled: MANY };

  test.each([
    ["id:7", /SEARCH (found|jobs) USING INTEGER PRIMARY KEY \(rowid=\?\)/],
    ["key:k", /SEARCH idempotency_keys USING PRIMARY KEY \(key=\?\)/],
    ["key:k state:dead payload.a=1", /SEARCH idempotency_keys USING PRIMARY KEY \(key=\?\)/],
    ["tag:t", /SEARCH job_tags USING PRIMARY KEY \(tag=\?/],
    ["state:dead", /USING INDEX jobs_dead/],
    ["state:completed worker:w", /USING INDEX jobs_completed/],
    ["state:dead finished>2h", /USING INDEX jobs_dead \(finished_at>\?\)/],
    ["state:dead finished>2h finished<1h", /USING INDEX jobs_dead \(finished_at>\? AND finished_at<\?\)/],
    ["state:dead fingerprint:0123456789abcdef", /SEARCH dead_jobs USING COVERING INDEX dead_jobs_group/],
    ["fingerprint:0123456789abcdef", /SEARCH dead_jobs USING COVERING INDEX dead_jobs_group/],
    ["state:scheduled run<+1h", /USING INDEX jobs_scheduled \(run_at<\?\)/],
    ["state:pending queue:q", /SEARCH found USING COVERING INDEX jobs_pending \(queue=\? AND name=\?\)/],
    ["state:pending queue:q*", /SEARCH found USING COVERING INDEX jobs_pending \(queue=\? AND name=\?\)/],
    ["state:running", /SCAN found USING (COVERING )?INDEX jobs_running/],
    ["state:pending,running", /SCAN found USING (COVERING )?INDEX jobs_running/],
  ])("%s is found by its index", async (filter, index) => {
    const plan = await searchPlans(filter, MANY_OF_ALL);
    expect(plan.join("\n")).toMatch(index);
    expect(scansOfJobs(plan)).toEqual([]);
  });

  test.each([
    "queue:q payload.a=1",
    "name:n*",
    "error~x",
    "worker:w",
    "schedule:s",
    "-tag:t",
    "created>2h",
    "state:pending queue:q",
  ])("%s walks the table in order, and sorts nothing", async (filter) => {
    const plan = await searchPlans(filter, { ...MANY_OF_ALL, pending: MANY });
    expect(plan.join("\n")).not.toMatch(/TEMP B-TREE/);
    expect(plan.join("\n")).not.toMatch(/SEARCH jobs USING INDEX/);
  });

  test("each condition beside the row of the job is one look into an index", async () => {
    const filter = "payload.a=1 result.b~x error~y schedule:s -key:k -tag:t";
    const plan = await searchPlans(filter, MANY_OF_ALL);
    for (const table of ["job_specs", "job_results", "attempts", "job_tags"]) {
      expect(plan.filter((step) => step.startsWith(`SCAN ${table}`))).toEqual([]);
      expect(plan.filter((step) => step.startsWith(`SEARCH ${table}`)).length, table).toBeGreaterThan(0);
    }
  });
});
