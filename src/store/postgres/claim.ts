import { MAX_CLAIM_BYTES, MAX_PAYLOAD_BYTES } from "../../core/defaults.js";
import type { ClaimedJob, Instant } from "../../core/job.js";
import type { ClaimRequest } from "../claims.js";
import { failuresBefore, parseBackoff, toOrigin, type JobRow } from "../rows.js";
import type { Queryable } from "./connection.js";
import type { PostgresContext } from "./context.js";
import { pendingOfLane } from "./lane-floors.js";
import { Statement } from "./statement.js";
import type { Transaction } from "./transaction.js";

interface SpecColumns {
  readonly payload: string;
  readonly budget: number;
  readonly timeout_ms: number | null;
  readonly backoff: string | null;
  readonly schedule_key: string | null;
  readonly slot: number | null;
  readonly traceparent: string | null;
  readonly tracestate: string | null;
}

/** A claimed job with its lane; a lane that gave nothing has a row without a job. */
interface ClaimedRow
  extends Pick<JobRow, "name" | "priority" | "token" | "attempt" | "max_attempts">, SpecColumns {
  /** What the claim hoped to get from the lane. */
  readonly share: number;
  readonly id: number | null;
  readonly created_at: number;
  readonly run_at: number;
}

interface Lane {
  readonly name: string;
  readonly priority: number;
}

const SPEC_COLUMNS = "payload, budget, timeout_ms, backoff, schedule_key, slot, traceparent, tracestate";

/** What one claim has taken so far. */
interface Taken {
  readonly jobs: ClaimedJob[];
  payloadBytes: number;
}

/**
 * Takes pending jobs. All statements of a claim are here.
 *
 * A lane is the pending jobs of one queue, name and priority in claim order, a range of one index. A claim first
 * looks how much of it each lane would give from its floor on, and then locks just that many jobs of each, passing over those that
 * others are taking this very moment. Where those leave less than hoped for, it looks once more without that lane.
 */
export class Claim {
  readonly #withJobs;
  readonly #take;
  readonly #spec;
  readonly #bury;

  constructor(private readonly context: PostgresContext) {
    const { s } = context;
    this.#withJobs = new Statement<
      [queues: readonly string[], names: readonly string[] | null, now: Instant],
      { queue: string }
    >(
      `SELECT queue FROM unnest($1::text[]) WITH ORDINALITY AS asked (queue, place)
       WHERE NOT EXISTS (SELECT 1 FROM ${s}.queues WHERE queues.name = asked.queue AND paused_at IS NOT NULL)
         AND EXISTS (
           SELECT 1 FROM ${s}.lanes AS lane WHERE lane.queue = asked.queue
             AND ($2::text[] IS NULL OR lane.name = ANY($2)) AND EXISTS (SELECT 1 ${pendingOfLane(s, "$3::bigint")}))
       ORDER BY place`,
    );
    const pending = pendingOfLane(s, "$6::bigint");
    // Both subqueries are materialized: whatever the plan is, each runs once, so no more jobs are locked than asked for.
    this.#take = new Statement<
      [
        queue: string,
        names: readonly string[] | null,
        max: number,
        leaseUntil: Instant,
        workerId: string,
        now: Instant,
        withoutNames: readonly string[],
        withoutPriorities: readonly number[],
      ],
      ClaimedRow
    >(
      `WITH share AS MATERIALIZED (
         SELECT queue, name, priority, floor, count(*) AS n FROM (
           SELECT lane.* FROM ${s}.lanes AS lane
           CROSS JOIN LATERAL (SELECT run_at, id ${pending} ORDER BY run_at, id LIMIT $3) AS job
           WHERE queue = $1 AND ($2::text[] IS NULL OR name = ANY($2))
             AND (name, priority) NOT IN (SELECT * FROM unnest($7::text[], $8::smallint[]))
             AND NOT EXISTS (SELECT 1 FROM ${s}.queues WHERE queues.name = $1 AND paused_at IS NOT NULL)
           ORDER BY priority DESC, run_at, id LIMIT $3
         ) AS first GROUP BY queue, name, priority, floor
       ), picked AS MATERIALIZED (
         SELECT job.id FROM share AS lane
         CROSS JOIN LATERAL (SELECT id ${pending} ORDER BY run_at, id LIMIT lane.n FOR UPDATE SKIP LOCKED) AS job
       ), claimed AS (
         UPDATE ${s}.jobs SET state = 'running', attempt = attempt + 1, lease_until = $4, worker_id = $5,
           started_at = $6::bigint, token = nextval('${s}.fencing_tokens')
         FROM picked WHERE jobs.id = picked.id AND state = 'pending'
         RETURNING jobs.id, name, priority, token, attempt, max_attempts, created_at, run_at
       )
       SELECT share.name, share.priority, share.n AS share, claimed.id, token, attempt, max_attempts, created_at, run_at,
         ${SPEC_COLUMNS}
       FROM share LEFT JOIN claimed USING (name, priority) LEFT JOIN ${s}.job_specs ON job_id = claimed.id
       ORDER BY priority DESC, run_at, claimed.id`,
    );
    this.#spec = new Statement<[id: number], SpecColumns>(
      `SELECT ${SPEC_COLUMNS} FROM ${s}.job_specs WHERE job_id = $1`,
    );
    this.#bury = new Statement<[now: Instant, id: number], never>(
      `UPDATE ${s}.jobs SET state = 'dead', attempt = max_attempts, finished_at = $1 WHERE id = $2`,
    );
  }

  /** A look without a lock: those of the queues that a claim could find anything in. */
  async queuesWithJobs(db: Queryable, { queues, names }: ClaimRequest): Promise<string[]> {
    return (await this.#withJobs.all(db, queues, names, this.context.clock.now())).map(({ queue }) => queue);
  }

  /** @param queues those of the request that may have jobs */
  async take(tx: Transaction, request: ClaimRequest, queues: readonly string[]): Promise<ClaimedJob[]> {
    const taken: Taken = { jobs: [], payloadBytes: 0 };
    for (const queue of queues) {
      if (portionOf(request, taken) < 1) break;
      await this.#takeFrom(tx, queue, request, taken);
    }
    return taken.jobs;
  }

  /** A job that is running already, as its worker received it. */
  async describe(db: Queryable, row: JobRow): Promise<ClaimedJob> {
    const spec = await this.#spec.get(db, row.id);
    if (spec === undefined) throw new Error(`Job ${String(row.id)} has no payload`);
    return describe(row, row.queue, spec, row.started_at ?? row.run_at, row.lease_until);
  }

  async #takeFrom(tx: Transaction, queue: string, request: ClaimRequest, taken: Taken): Promise<void> {
    const leaseUntil = tx.now + request.leaseMs;
    const without: Lane[] = [];
    for (let max = portionOf(request, taken); max > 0; max = portionOf(request, taken)) {
      const rows = await this.#take.all(
        tx,
        queue,
        request.names,
        max,
        leaseUntil,
        request.workerId,
        tx.now,
        without.map(({ name }) => name),
        without.map(({ priority }) => priority),
      );
      for (const row of rows) await this.#received(tx, row, queue, leaseUntil, taken);
      without.push(...lanesThatGaveLess(rows));
      const hoped = new Map(rows.map((row) => [keyOf(row), row.share]));
      if ([...hoped.values()].reduce((sum, share) => sum + share, 0) < max) return;
    }
  }

  async #received(
    tx: Transaction,
    row: ClaimedRow,
    queue: string,
    leaseUntil: Instant,
    taken: Taken,
  ): Promise<void> {
    const { id } = row;
    if (id === null) return;
    const lane = tx.ledger.lane(queue, row.name);
    lane.moved(id, "claim", "pending", "running", row.attempt);
    if (row.attempt > row.max_attempts) {
      // A job without attempts left cannot be claimable, unless the database was restored or edited by hand.
      await this.#bury.run(tx, tx.now, id);
      lane.moved(id, "bury", "running", "dead", row.max_attempts);
      lane.count("dead");
      return;
    }
    lane.count("started");
    lane.duration("wait", tx.now - row.run_at);
    taken.jobs.push(describe({ ...row, id }, queue, row, tx.now, leaseUntil));
    taken.payloadBytes += Buffer.byteLength(row.payload);
  }
}

function keyOf({ name, priority }: Lane): string {
  return `${name} ${String(priority)}`;
}

/** Others hold what is left of them. */
function lanesThatGaveLess(rows: readonly ClaimedRow[]): Lane[] {
  const lanes = new Map<string, { lane: Lane; share: number; got: number }>();
  for (const row of rows) {
    const key = keyOf(row);
    const known = lanes.get(key) ?? { lane: row, share: row.share, got: 0 };
    known.got += row.id === null ? 0 : 1;
    lanes.set(key, known);
  }
  return [...lanes.values()].filter(({ share, got }) => got < share).map(({ lane }) => lane);
}

function describe(
  row: Pick<
    JobRow,
    "id" | "name" | "priority" | "token" | "attempt" | "max_attempts" | "created_at" | "run_at"
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
    traceparent: spec.traceparent,
    tracestate: spec.tracestate,
  };
}

/**
 * Jobs that may be taken now, whatever their payloads turn out to be: a job that was taken must be handed out.
 */
function portionOf({ max }: ClaimRequest, { jobs, payloadBytes }: Taken): number {
  return Math.min(max - jobs.length, Math.floor((MAX_CLAIM_BYTES - payloadBytes) / MAX_PAYLOAD_BYTES));
}
