import type { ClaimedJob, Instant } from "../../core/job.js";
import { failuresBefore, parseBackoff, toFlowPlace, toOrigin, type JobRow } from "../rows.js";

/** What a worker needs of a job besides its row. */
export interface SpecColumns {
  readonly payload: string;
  readonly budget: number;
  readonly timeout_ms: number | null;
  readonly backoff: string | null;
  readonly schedule_key: string | null;
  readonly slot: number | null;
  readonly traceparent: string | null;
  readonly tracestate: string | null;
  readonly flow_ref: string | null;
  /** The job has a unique key, so that it may be replaced. */
  readonly is_unique: boolean;
}

export const SPEC_NAMES = [
  "payload",
  "budget",
  "timeout_ms",
  "backoff",
  "schedule_key",
  "slot",
  "traceparent",
  "tracestate",
  "flow_ref",
  "is_unique",
] as const satisfies readonly (keyof SpecColumns)[];

/** As they are selected from the table. */
export const SPEC_COLUMNS = SPEC_NAMES.map((name) =>
  name === "is_unique" ? "unique_key IS NOT NULL AS is_unique" : name,
).join(", ");

/** A claimed job as its worker gets it. */
export function describe(
  row: Pick<
    JobRow,
    "id" | "name" | "priority" | "token" | "attempt" | "max_attempts" | "created_at" | "run_at" | "flow_id"
  >,
  queue: string,
  spec: SpecColumns,
  startedAt: Instant,
  leaseExpiresAt: Instant,
): ClaimedJob {
  return {
    id: String(row.id),
    queue,
    name: row.name,
    priority: row.priority,
    attempt: row.attempt,
    maxAttempts: row.max_attempts,
    failures: failuresBefore(row.attempt, row.max_attempts, spec.budget),
    createdAt: row.created_at,
    runAt: row.run_at,
    startedAt,
    token: row.token,
    leaseExpiresAt,
    payload: spec.payload,
    timeoutMs: spec.timeout_ms,
    backoff: parseBackoff(spec.backoff),
    schedule: toOrigin(spec.schedule_key, spec.slot),
    flow: toFlowPlace(row.flow_id, spec.flow_ref),
    traceparent: spec.traceparent,
    tracestate: spec.tracestate,
  };
}
