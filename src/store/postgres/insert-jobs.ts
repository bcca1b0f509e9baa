import type { Instant } from "../../core/job.js";
import type { JobState } from "../../core/states.js";
import { scopedKey } from "../../core/unique.js";
import type { NewJob } from "../jobs.js";
import type { Queryable } from "./connection.js";
import { laneKeyText, laneOf } from "./lane-floors.js";

/** A job on its way into the tables. */
export interface FreshJob {
  readonly job: NewJob;
  readonly runAt: Instant;
  readonly state: JobState;
  readonly expiresAt: Instant | null;
  /** An id that was taken for it before; else it gets the next one. */
  readonly given: number | null;
  readonly flow: PlaceInFlow | null;
}

/** Where a job belongs in its flow, and how much it waits for. */
export interface PlaceInFlow {
  readonly flowId: number;
  readonly ref: string;
  readonly waiting: number;
}

/** Whether an insert adds the rows of its lanes, or they are there. */
export type LanesToWrite = "add lanes" | "lanes are there";

type Value = string | number | null;

interface Column {
  readonly name: string;
  readonly type: string;
  readonly of: (fresh: FreshJob) => Value;
}

const HOT_COLUMNS: readonly Column[] = [
  { name: "queue", type: "text", of: ({ job }) => job.queue },
  { name: "name", type: "text", of: ({ job }) => job.name },
  { name: "state", type: "text", of: ({ state }) => state },
  { name: "priority", type: "smallint", of: ({ job }) => job.priority },
  { name: "max_attempts", type: "int", of: ({ job }) => job.maxAttempts },
  { name: "run_at", type: "bigint", of: ({ runAt }) => runAt },
  { name: "payload_bytes", type: "int", of: ({ job }) => Buffer.byteLength(job.payload) },
  { name: "expires_at", type: "bigint", of: ({ expiresAt }) => expiresAt },
  { name: "flow_id", type: "bigint", of: ({ flow }) => flow?.flowId ?? null },
  { name: "waiting", type: "int", of: ({ flow }) => flow?.waiting ?? null },
  { name: "keys", type: "text", of: ({ job }) => job.keys },
];

const SPEC_COLUMNS: readonly Column[] = [
  { name: "payload", type: "text", of: ({ job }) => job.payload },
  { name: "budget", type: "int", of: ({ job }) => job.maxAttempts },
  { name: "timeout_ms", type: "bigint", of: ({ job }) => job.timeoutMs },
  {
    name: "backoff",
    type: "text",
    of: ({ job }) => (job.backoff === null ? null : JSON.stringify(job.backoff)),
  },
  { name: "tags", type: "text", of: ({ job }) => (job.tags.length === 0 ? null : JSON.stringify(job.tags)) },
  { name: "idempotency_key", type: "text", of: ({ job }) => job.idempotency?.key ?? null },
  { name: "schedule_key", type: "text", of: ({ job }) => job.schedule?.key ?? null },
  { name: "slot", type: "bigint", of: ({ job }) => job.schedule?.slot ?? null },
  { name: "traceparent", type: "text", of: ({ job }) => job.trace?.traceparent ?? null },
  { name: "tracestate", type: "text", of: ({ job }) => job.trace?.tracestate ?? null },
  {
    name: "unique_key",
    type: "text",
    of: ({ job }) => (job.unique === null ? null : scopedKey(job.unique, job)),
  },
  { name: "flow_ref", type: "text", of: ({ flow }) => flow?.ref ?? null },
  // Of one that is not blocked it is part of when it runs.
  { name: "delay_ms", type: "bigint", of: ({ job, state }) => (state === "blocked" ? job.delayMs : null) },
];

const GIVEN: Column = { name: "given", type: "bigint", of: ({ given }) => given };

interface Inserted {
  /** In the order of the jobs. */
  readonly ids: readonly number[];
  /** Queues with a limit that nobody has looked at. */
  readonly limited: readonly string[];
}

/**
 * Inserts any number of jobs with one statement.
 *
 * Its text depends on the jobs: a column that is empty in all of them is left out, and one that is the same in all of
 * them is sent once. What is left is little, and half of the work of the database was to read it.
 */
export class InsertJobs {
  constructor(private readonly s: string) {}

  /** @param guarded queues whose limits were looked at, and are locked */
  async run(
    db: Queryable,
    jobs: readonly FreshJob[],
    now: Instant,
    lanes: LanesToWrite,
    guarded: ReadonlySet<string>,
  ): Promise<Inserted> {
    const { s } = this;
    const values = new SentValues(jobs);
    const [given] = values.take([GIVEN]);
    const hot = values.take(HOT_COLUMNS);
    const specs = values.take(SPEC_COLUMNS);
    const createdAt = values.constant(now, "bigint");
    const names = (columns: readonly Column[]) => columns.map(({ name }) => name).join(", ");
    const known =
      lanes === "lanes are there"
        ? ""
        : `known AS (
             INSERT INTO ${s}.lanes (queue, name, priority)
             SELECT * FROM ${values.lanes()} ORDER BY 1, 2, 3 ON CONFLICT DO NOTHING
           ), `;
    const tags = specs.some(({ name }) => name === "tags")
      ? `, tagged AS (
           INSERT INTO ${s}.job_tags (tag, job_id)
           SELECT DISTINCT tag, id FROM job, json_array_elements_text(tags::json) AS tag WHERE tags IS NOT NULL
         )`
      : "";
    const unguarded = [...new Set(jobs.map(({ job }) => job.queue))].filter((queue) => !guarded.has(queue));
    const limited =
      unguarded.length === 0
        ? "NULL"
        : `ARRAY(SELECT name FROM ${s}.queues
             WHERE max_length IS NOT NULL AND name = ANY(${values.constant(unguarded, "text[]")}))`;
    const text = `WITH job AS MATERIALIZED (
        SELECT ${given === undefined ? `nextval('${s}.job_ids')` : "given"} AS id, asked.*
        FROM (SELECT ${values.list()} FROM ${values.rows()}) AS asked
      ), ${known}hot AS (
        INSERT INTO ${s}.jobs (id, created_at, ${names(hot)}) SELECT id, ${createdAt}, ${names(hot)} FROM job
      ), specs AS (
        INSERT INTO ${s}.job_specs (job_id, ${names(specs)}) SELECT id, ${names(specs)} FROM job
      )${tags}
      SELECT id, CASE place WHEN 1 THEN ${limited} END AS limited FROM job ORDER BY place`;
    const { rows } = await db.query(text, values.sent);
    const inserted = rows as { id: number; limited: string[] | null }[];
    return { ids: inserted.map(({ id }) => id), limited: inserted[0]?.limited ?? [] };
  }
}

/** The values of one statement, each column as small as it can be sent. */
class SentValues {
  readonly sent: unknown[] = [];
  readonly #columns: string[] = ["place"];
  readonly #arrays: { readonly name: string; readonly expression: string }[] = [];

  constructor(private readonly jobs: readonly FreshJob[]) {}

  /** @returns those of the columns that any of the jobs has a value for */
  take(columns: readonly Column[]): Column[] {
    return columns.filter((column) => {
      const values = this.jobs.map(column.of);
      const [first] = values;
      if (values.some((value) => value !== first)) {
        this.#arrays.push({ name: column.name, expression: this.constant(values, `${column.type}[]`) });
        this.#columns.push(column.name);
        return true;
      }
      if (first === null || first === undefined) return false;
      this.#columns.push(`${this.constant(first, column.type)} AS ${column.name}`);
      return true;
    });
  }

  constant(value: unknown, type: string): string {
    this.sent.push(value);
    return `$${String(this.sent.length)}::${type}`;
  }

  /** Where the jobs go, each lane once. */
  lanes(): string {
    const lanes = new Map(
      this.jobs.map(({ job }) => laneOf(job)).map((lane) => [laneKeyText(lane), lane] as const),
    );
    const each = [...lanes.values()];
    const queues = this.constant(
      each.map(({ queue }) => queue),
      "text[]",
    );
    const names = this.constant(
      each.map(({ name }) => name),
      "text[]",
    );
    const priorities = this.constant(
      each.map(({ priority }) => priority),
      "smallint[]",
    );
    return `unnest(${queues}, ${names}, ${priorities})`;
  }

  /** A row for each job, with its place in the order and the columns that differ. */
  rows(): string {
    if (this.#arrays.length === 0) {
      return `generate_series(1, ${this.constant(this.jobs.length, "int")}) AS place`;
    }
    const arrays = this.#arrays.map(({ expression }) => expression).join(", ");
    const names = this.#arrays.map(({ name }) => name).join(", ");
    return `unnest(${arrays}) WITH ORDINALITY AS differing (${names}, place)`;
  }

  list(): string {
    return this.#columns.join(", ");
  }
}
