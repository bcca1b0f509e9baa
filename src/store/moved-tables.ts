/**
 * How a column is kept. `free text` may hold a NUL, which PostgreSQL has in no text: it keeps such columns as JSON text.
 */
export type ColumnKind = "number" | "real" | "text" | "free text" | "yes or no" | "bytes";

/** A table that moves from one kind of store to another, the same rows in the same columns. */
export interface MovedTable {
  readonly name: string;
  readonly columns: Readonly<Record<string, ColumnKind>>;
  /** Names of the columns of its primary key, in whose order it is read. */
  readonly key: readonly string[];
}

/**
 * Everything but what says something about this moment only: events, workers, and names of claims.
 *
 * Where a store keeps a table under another name (PostgreSQL adds its counters up in `folded_…`), that store says so.
 */
export const MOVED_TABLES: readonly MovedTable[] = [
  { name: "secrets", key: ["name"], columns: { name: "text", value: "bytes" } },
  {
    name: "jobs",
    key: ["id"],
    columns: {
      id: "number",
      queue: "text",
      name: "text",
      state: "text",
      priority: "number",
      attempt: "number",
      max_attempts: "number",
      created_at: "number",
      run_at: "number",
      token: "number",
      worker_id: "text",
      started_at: "number",
      lease_until: "number",
      finished_at: "number",
      expires_at: "number",
      flow_id: "number",
      waiting: "number",
      keys: "text",
    },
  },
  {
    name: "job_specs",
    key: ["job_id"],
    columns: {
      job_id: "number",
      payload: "text",
      budget: "number",
      timeout_ms: "number",
      backoff: "text",
      tags: "text",
      idempotency_key: "text",
      schedule_key: "text",
      slot: "number",
      traceparent: "text",
      tracestate: "text",
      unique_key: "text",
      flow_ref: "text",
      delay_ms: "number",
    },
  },
  {
    name: "job_results",
    key: ["job_id"],
    columns: { job_id: "number", result: "text", problem: "free text" },
  },
  {
    name: "attempts",
    key: ["job_id", "token"],
    columns: {
      job_id: "number",
      token: "number",
      number: "number",
      worker_id: "text",
      started_at: "number",
      finished_at: "number",
      outcome: "text",
      error: "text",
      retry_delay_ms: "number",
    },
  },
  {
    name: "job_progress",
    key: ["job_id"],
    columns: { job_id: "number", percent: "real", message: "free text", at: "number" },
  },
  {
    name: "job_logs",
    key: ["job_id", "seq"],
    columns: {
      job_id: "number",
      seq: "number",
      attempt: "number",
      at: "number",
      level: "text",
      message: "free text",
    },
  },
  {
    name: "job_log_batches",
    key: ["job_id"],
    columns: { job_id: "number", token: "number", seq: "number" },
  },
  {
    name: "job_steps",
    key: ["job_id", "seq"],
    columns: {
      job_id: "number",
      seq: "number",
      name: "text",
      attempt: "number",
      at: "number",
      result: "text",
    },
  },
  { name: "job_tags", key: ["tag", "job_id"], columns: { tag: "text", job_id: "number" } },
  {
    name: "idempotency_keys",
    key: ["key"],
    columns: { key: "text", fingerprint: "text", job_id: "number" },
  },
  {
    name: "unique_keys",
    key: ["key"],
    columns: { key: "text", job_id: "number", states: "text", expires_at: "number" },
  },
  { name: "cancellations", key: ["job_id"], columns: { job_id: "number", reason: "text", about: "number" } },
  {
    name: "queues",
    key: ["name"],
    columns: {
      name: "text",
      paused_at: "number",
      pause_reason: "free text",
      version: "number",
      max_length: "number",
      on_full: "text",
      concurrency: "number",
      rate_max: "number",
      rate_per_ms: "number",
      key_concurrency: "number",
      key_rate_max: "number",
      key_rate_per_ms: "number",
      ageing_ms: "number",
      held_until: "number",
      key_cursor: "text",
    },
  },
  {
    name: "flows",
    key: ["id"],
    columns: {
      id: "number",
      name: "text",
      stage: "text",
      opened_to: "number",
      state: "text",
      created_at: "number",
      finished_at: "number",
      jobs: "number",
      completed: "number",
      dead: "number",
      cancelled: "number",
      idempotency_key: "text",
      fingerprint: "text",
    },
  },
  {
    name: "flow_jobs",
    key: ["flow_id", "ref"],
    columns: { flow_id: "number", ref: "text", job_id: "number" },
  },
  {
    name: "dependencies",
    key: ["on_id", "job_id"],
    columns: { on_id: "number", job_id: "number", on_failure: "text", resolved: "yes or no" },
  },
  {
    name: "rate_buckets",
    key: ["queue", "key", "at"],
    columns: { queue: "text", key: "text", at: "number", until: "number", n: "number" },
  },
  { name: "ends_to_tell", key: ["job_id"], columns: { job_id: "number" } },
  { name: "holds", key: ["queue", "key"], columns: { queue: "text", key: "text", until: "number" } },
  {
    name: "dead_groups",
    key: ["id"],
    columns: {
      id: "number",
      queue: "text",
      name: "text",
      fingerprint: "text",
      type: "free text",
      message: "free text",
      n: "number",
      last_at: "number",
    },
  },
  {
    name: "dead_jobs",
    key: ["job_id"],
    columns: { job_id: "number", group_id: "number", died_at: "number" },
  },
  {
    name: "schedules",
    key: ["key"],
    columns: {
      key: "text",
      source: "text",
      cron: "text",
      every_ms: "number",
      timezone: "text",
      start_at: "number",
      end_at: "number",
      job: "text",
      payload: "text",
      missed: "text",
      max_missed: "number",
      overlap: "text",
      jitter_ms: "number",
      next_slot: "number",
      next_at: "number",
      last_slot: "number",
      waiting_slot: "number",
      paused_at: "number",
      pause_reason: "free text",
      problem: "free text",
      created_at: "number",
      updated_at: "number",
      version: "number",
      enqueued: "number",
      skipped: "number",
      missed_count: "number",
      last_seq: "number",
    },
  },
  {
    name: "schedule_runs",
    key: ["key", "seq"],
    columns: {
      key: "text",
      seq: "number",
      slot: "number",
      through: "number",
      manual: "yes or no",
      fired_at: "number",
      outcome: "text",
      job_id: "number",
    },
  },
  {
    name: "operations",
    key: ["id"],
    columns: {
      id: "number",
      preview: "bytes",
      action: "text",
      query: "text",
      queue_globs: "text",
      per_second: "real",
      reason: "free text",
      state: "text",
      after_id: "number",
      until_id: "number",
      matched: "number",
      changed: "number",
      next_at: "number",
      created_at: "number",
      created_by: "text",
      finished_at: "number",
    },
  },
  {
    name: "tokens",
    key: ["id"],
    columns: {
      id: "text",
      name: "text",
      digest: "bytes",
      scopes: "text",
      queues: "text",
      created_at: "number",
      created_by: "text",
      expires_at: "number",
      last_used_at: "number",
      revoked_at: "number",
    },
  },
  {
    name: "sessions",
    key: ["digest"],
    columns: {
      digest: "bytes",
      token_id: "text",
      token_digest: "bytes",
      created_at: "number",
      seen_at: "number",
    },
  },
  {
    name: "audit",
    key: ["seq"],
    columns: {
      seq: "number",
      at: "number",
      token_id: "text",
      token_name: "free text",
      session: "yes or no",
      ip: "text",
      request_id: "text",
      action: "text",
      target: "free text",
      detail: "free text",
      status: "number",
    },
  },
  {
    name: "counts",
    key: ["queue", "state", "name"],
    columns: { queue: "text", name: "text", state: "text", n: "number" },
  },
  ...(["total", "minute", "hour"] as const).flatMap((span) => [eventsOf(span), durationsOf(span)]),
];

function spanColumns(span: "total" | "minute" | "hour"): Readonly<Record<string, ColumnKind>> {
  return span === "total" ? {} : { [span]: "number" };
}

function eventsOf(span: "total" | "minute" | "hour"): MovedTable {
  const begin = spanColumns(span);
  return {
    name: `${span}_events`,
    key: [...Object.keys(begin), "queue", "name", "event"],
    columns: { ...begin, queue: "text", name: "text", event: "text", n: "number" },
  };
}

function durationsOf(span: "total" | "minute" | "hour"): MovedTable {
  const begin = spanColumns(span);
  return {
    name: `${span}_durations`,
    key: [...Object.keys(begin), "queue", "name", "kind", "bucket"],
    columns: {
      ...begin,
      queue: "text",
      name: "text",
      kind: "text",
      bucket: "number",
      n: "number",
      sum_ms: "number",
    },
  };
}

/** A value as both kinds of store give it for moving. */
export type MovedValue = number | string | boolean | Buffer | null;

/** The values of a row, in the order of the table's columns. */
export type MovedRow = readonly MovedValue[];

/** Numbers that go on where they were. */
export interface MovedSequences {
  readonly job: number;
  readonly token: number;
  readonly schedule_version: number;
  readonly flow: number;
  readonly event: number;
}
