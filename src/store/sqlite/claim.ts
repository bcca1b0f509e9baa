import { MAX_CLAIM_BYTES, MAX_PAYLOAD_BYTES } from "../../core/defaults.js";
import type { ClaimedJob } from "../../core/job.js";
import type { ClaimRequest } from "../claims.js";
import { CancelWaiting } from "./cancel-waiting.js";
import type { SqliteContext } from "./context.js";
import { Lanes } from "./lanes.js";
import { failuresBefore, parseBackoff, toFlowPlace, toOrigin, type JobRow } from "../rows.js";
import { HAS_LIMITS } from "../limit-rows.js";
import { LimitedClaims } from "./limited-claims.js";

/** Columns of a claimed row, as arrays: building objects of them took a third of a claim's time. */
type ClaimedRow = [
  id: number,
  name: string,
  token: number,
  priority: number,
  attempt: number,
  maxAttempts: number,
  createdAt: number,
  runAt: number,
  expiresAt: number | null,
  flowId: number | null,
];
const CLAIMED_COLUMNS =
  "id, name, token, priority, attempt, max_attempts, created_at, run_at, expires_at, flow_id";
/** Jobs that one claim cancels: the rest is left to the loop that does nothing else. */
const MOST_EXPIRED = 1_000;

type SpecColumns = [
  payload: string,
  budget: number,
  timeoutMs: number | null,
  backoff: string | null,
  scheduleKey: string | null,
  slot: number | null,
  traceparent: string | null,
  tracestate: string | null,
  flowRef: string | null,
];

/** What one claim has taken so far. */
interface Taken {
  readonly jobs: ClaimedJob[];
  payloadBytes: number;
  expired: number;
}

/** How jobs of a queue are claimed: not at all, by priority, or within limits and in turn between keys. */
type Mode = "paused" | "plain" | "limited";

/** Takes pending jobs. All statements of a claim are here, in `lanes.ts`, and in `limited-claims.ts`. */
export class Claim {
  readonly #lanes;
  readonly #limited;
  readonly #mode;
  readonly #fromLane;
  readonly #picked;
  readonly #spec;
  readonly #bury;
  readonly #cancel;

  constructor(private readonly context: SqliteContext) {
    const { db, sequences } = context;
    this.#lanes = new Lanes(db);
    this.#cancel = new CancelWaiting(context);
    this.#limited = new LimitedClaims(context);
    // Called once for each claimed row. The order of the calls is SQLite's, so tokens of one claim grow
    // in no particular order; those of a later claim are always larger.
    db.function(
      "next_token",
      { deterministic: false, directOnly: true },
      () => sequences.take("token", 1) + 1,
    );
    this.#mode = db
      .prepare<[{ queue: string }], Mode>(
        `SELECT CASE WHEN paused_at IS NOT NULL THEN 'paused'
           WHEN keyed OR coalesce(${HAS_LIMITS}, 0) THEN 'limited' ELSE 'plain' END
         FROM (SELECT EXISTS (
           SELECT 1 FROM jobs WHERE state = 'pending' AND queue = @queue AND keys IS NOT NULL
         ) AS keyed) LEFT JOIN queues ON queues.name = @queue`,
      )
      .pluck();
    this.#fromLane = db
      .prepare<[number, string, number, string, string, number], ClaimedRow>(
        claimStatement(
          `SELECT id FROM jobs WHERE state = 'pending' AND keys IS NULL AND queue = ? AND name = ?
           ORDER BY priority DESC, run_at, id LIMIT ?`,
        ),
      )
      .raw();
    this.#picked = db
      .prepare<[number, string, number, string], ClaimedRow>(claimStatement("SELECT value FROM json_each(?)"))
      .raw();
    this.#spec = db
      .prepare<[number], SpecColumns>(
        `SELECT payload, budget, timeout_ms, backoff, schedule_key, slot, traceparent, tracestate,
           flow_ref
         FROM job_specs WHERE job_id = ?`,
      )
      .raw();
    this.#bury = db.prepare<[number, number]>(
      "UPDATE jobs SET state = 'dead', attempt = max_attempts, finished_at = ? WHERE id = ?",
    );
  }

  /** A look without a lock: whether a claim could find anything. */
  mayHaveJobs({ queues, names }: ClaimRequest): boolean {
    return queues.some((queue) => {
      if (this.#lanes.pending(queue, names).length === 0) return false;
      const mode = this.#modeOf(queue);
      return mode === "limited" ? this.#limited.hasRoom(queue) : mode === "plain";
    });
  }

  /** Runs inside a write transaction. */
  take(request: ClaimRequest): ClaimedJob[] {
    // Lanes are found by the counters, and those of this very transaction are still in the ledger.
    this.context.ledger.flushCounts();
    const taken: Taken = { jobs: [], payloadBytes: 0, expired: 0 };
    for (const queue of request.queues) {
      if (portionOf(request, taken) < 1) break;
      const mode = this.#modeOf(queue);
      if (mode !== "paused") this.#takeFrom(queue, mode, request, taken);
    }
    return taken.jobs;
  }

  /** A job that is running already, as its worker received it. */
  describe(row: JobRow): ClaimedJob {
    const { id, name, token, priority, attempt } = row;
    const columns: ClaimedRow = [
      id,
      name,
      token,
      priority,
      attempt,
      row.max_attempts,
      row.created_at,
      row.run_at,
      row.expires_at,
      row.flow_id,
    ];
    return this.#describe(columns, row.queue, row.started_at ?? row.run_at, row.lease_until);
  }

  #takeFrom(queue: string, mode: Mode, request: ClaimRequest, taken: Taken): void {
    const names = this.#lanes.pending(queue, request.names);
    for (let max = portionOf(request, taken); max > 0; max = portionOf(request, taken)) {
      if (this.#takePortion(queue, mode, names, request, max, taken) < max) return;
      if (taken.expired >= MOST_EXPIRED) {
        this.context.changes.pending(queue);
        return;
      }
    }
  }

  /** @returns how many jobs were taken from their lanes */
  #takePortion(
    queue: string,
    mode: Mode,
    names: readonly string[],
    request: ClaimRequest,
    max: number,
    taken: Taken,
  ): number {
    const now = this.context.clock.now();
    const leaseUntil = now + request.leaseMs;
    const claim = [leaseUntil, request.workerId, now] as const;
    const [first] = names;
    if (first === undefined) return 0;
    // Has the last token read before `next_token` needs it: within the statement the connection is busy.
    this.context.sequences.take("token", 0);
    const rows =
      mode === "plain" && names.length === 1
        ? this.#fromLane.all(...claim, queue, first, max)
        : this.#picked.all(...claim, JSON.stringify(this.#pick(queue, mode, names, max)));
    this.context.step("claim:update");
    for (const row of rows.sort(inClaimOrder)) {
      const [, , , , attempt, maxAttempts, , , expiresAt] = row;
      if (attempt > maxAttempts) {
        this.#buryExhausted(row, queue, now);
      } else if (expiresAt !== null && expiresAt <= now) {
        this.#expire(row, queue, now);
        taken.expired += 1;
      } else {
        const job = this.#started(row, queue, now, leaseUntil);
        taken.jobs.push(job);
        taken.payloadBytes += Buffer.byteLength(job.payload);
      }
    }
    return rows.length;
  }

  #pick(queue: string, mode: Mode, names: readonly string[], max: number): number[] {
    if (mode === "plain") return this.#lanes.pick(queue, names, max);
    // What this very transaction has started counts too.
    this.context.ledger.flushCounts();
    return this.#limited.choose(queue, names, max);
  }

  #modeOf(queue: string): Mode {
    return this.#mode.get({ queue }) ?? "plain";
  }

  #started(row: ClaimedRow, queue: string, now: number, leaseUntil: number): ClaimedJob {
    const job = this.#describe(row, queue, now, leaseUntil);
    this.context.step("claim:payload");
    const lane = this.context.ledger.lane(queue, job.name);
    lane.moved(row[0], "claim", "pending", "running", job.attempt);
    lane.count("started");
    lane.duration("wait", now - job.runAt);
    return job;
  }

  #describe(row: ClaimedRow, queue: string, startedAt: number, leaseExpiresAt: number): ClaimedJob {
    const [id, name, token, priority, attempt, maxAttempts, createdAt, runAt, , flowId] = row;
    const spec = this.#spec.get(id);
    if (spec === undefined) throw new Error(`Job ${id} has no payload`);
    const [payload, budget, timeoutMs, backoff, scheduleKey, slot, traceparent, tracestate, flowRef] = spec;
    return {
      id: String(id),
      queue,
      name,
      priority,
      attempt,
      maxAttempts,
      failures: failuresBefore(attempt, maxAttempts, budget),
      createdAt,
      runAt,
      startedAt,
      token,
      leaseExpiresAt,
      payload,
      timeoutMs,
      backoff: parseBackoff(backoff),
      schedule: toOrigin(scheduleKey, slot),
      flow: toFlowPlace(flowId, flowRef),
      traceparent,
      tracestate,
    };
  }

  /** What waits with an `expires_at` has never started, see `settle.ts`. */
  #expire([id, name, , , attempt, , , , , flowId]: ClaimedRow, queue: string, now: number): void {
    const row = { id, queue, name, state: "pending", attempt: attempt - 1, flow_id: flowId } as const;
    this.#cancel.expireClaimed(row, now);
  }

  /** A job without attempts left cannot be claimable, unless the file was restored or edited by hand. */
  #buryExhausted(
    [id, name, , , attempt, maxAttempts, , , , flowId]: ClaimedRow,
    queue: string,
    now: number,
  ): void {
    this.#bury.run(now, id);
    const lane = this.context.ledger.lane(queue, name);
    lane.moved(id, "claim", "pending", "running", attempt);
    lane.moved(id, "bury", "running", "dead", maxAttempts);
    if (flowId !== null) this.context.flows.book.ended(id, flowId, "dead");
    lane.count("dead");
  }
}

/**
 * Jobs that may be taken now, whatever their payloads turn out to be: a job that was taken must be handed out.
 */
function portionOf({ max }: ClaimRequest, { jobs, payloadBytes }: Taken): number {
  return Math.min(max - jobs.length, Math.floor((MAX_CLAIM_BYTES - payloadBytes) / MAX_PAYLOAD_BYTES));
}

/** One statement claims and returns the jobs, so that two processes can never get the same one. */
function claimStatement(pick: string): string {
  return `UPDATE jobs
    SET state = 'running', attempt = attempt + 1, lease_until = ?, worker_id = ?, started_at = ?,
        token = next_token()
    WHERE id IN (${pick})
    RETURNING ${CLAIMED_COLUMNS}`;
}

/** RETURNING promises no order. */
function inClaimOrder(a: ClaimedRow, b: ClaimedRow): number {
  const [idA, , , priorityA, , , , runAtA] = a;
  const [idB, , , priorityB, , , , runAtB] = b;
  return priorityB - priorityA || runAtA - runAtB || idA - idB;
}
