import type { ClaimedJob } from "../../core/job.js";
import type { ClaimRequest } from "../claims.js";
import type { SqliteContext } from "./context.js";
import { failuresBefore, parseBackoff, type JobRow, type SpecRow } from "./rows.js";

interface Candidate {
  readonly id: number;
  readonly priority: number;
  readonly run_at: number;
}

type Spec = SpecRow & { readonly payload: string };

/** Bindings of a claim: lease end, worker, start, last token, then what picks the jobs. */
type ClaimBindings<Picked extends unknown[]> = [number, string, number, number, ...Picked];

/** Takes pending jobs. All statements of a claim are here. */
export class Claim {
  readonly #anyPending;
  readonly #paused;
  readonly #pendingNames;
  readonly #claimFirst;
  readonly #claimPicked;
  readonly #candidates;
  readonly #spec;
  readonly #bury;

  constructor(private readonly context: SqliteContext) {
    const { db } = context;
    this.#anyPending = db.prepare<[string]>(
      "SELECT 1 FROM jobs WHERE state = 'pending' AND queue = ? LIMIT 1",
    );
    this.#paused = db.prepare<[string]>("SELECT 1 FROM queues WHERE name = ? AND paused_at IS NOT NULL");
    this.#pendingNames = db
      .prepare<[string], string>("SELECT name FROM counts WHERE queue = ? AND state = 'pending' AND n > 0")
      .pluck();
    this.#claimFirst = db.prepare<ClaimBindings<[string, number]>, JobRow>(
      claimStatement(
        `SELECT id FROM jobs WHERE state = 'pending' AND queue = ?
         ORDER BY priority DESC, run_at, id LIMIT ?`,
      ),
    );
    this.#claimPicked = db.prepare<ClaimBindings<[string]>, JobRow>(
      claimStatement("SELECT value AS id FROM json_each(?) ORDER BY key"),
    );
    this.#candidates = db.prepare<[string, string, number], Candidate>(
      `SELECT id, priority, run_at FROM jobs WHERE state = 'pending' AND queue = ? AND name = ?
       ORDER BY priority DESC, run_at, id LIMIT ?`,
    );
    this.#spec = db.prepare<[number], Spec>("SELECT * FROM job_specs WHERE job_id = ?");
    this.#bury = db.prepare<[number, number]>(
      "UPDATE jobs SET state = 'dead', attempt = max_attempts, finished_at = ? WHERE id = ?",
    );
  }

  /** A look without a lock: whether a claim could find anything. */
  mayHaveJobs(request: ClaimRequest): boolean {
    return request.queues.some((queue) => {
      if (this.#anyPending.get(queue) === undefined || this.#isPaused(queue)) return false;
      return request.names === null || this.#servedNames(queue, request.names).served.length > 0;
    });
  }

  /** Runs inside a write transaction. */
  take(request: ClaimRequest): ClaimedJob[] {
    const jobs: ClaimedJob[] = [];
    for (const queue of request.queues) {
      const max = request.max - jobs.length;
      if (max < 1) break;
      if (this.#isPaused(queue)) continue;
      for (const row of this.#takeFrom(queue, request, max)) {
        if (row.attempt > row.max_attempts) this.#buryExhausted(row);
        else jobs.push(this.#started(row));
      }
    }
    return jobs;
  }

  describe(row: JobRow): ClaimedJob {
    const spec = this.#spec.get(row.id);
    if (spec === undefined) throw new Error(`Job ${row.id} has no payload`);
    return {
      id: String(row.id),
      queue: row.queue,
      name: row.name,
      priority: row.priority,
      attempt: row.attempt,
      maxAttempts: row.max_attempts,
      failures: failuresBefore(row.attempt, row.max_attempts, spec.budget),
      createdAt: row.created_at,
      runAt: row.run_at,
      startedAt: row.started_at ?? row.run_at,
      token: row.token,
      leaseExpiresAt: row.lease_until,
      payload: spec.payload,
      timeoutMs: spec.timeout_ms,
      backoff: parseBackoff(spec.backoff),
    };
  }

  #takeFrom(queue: string, request: ClaimRequest, max: number): JobRow[] {
    const { clock, sequences, ledger, step } = this.context;
    const now = clock.now();
    const lastToken = sequences.take("token", max);
    const claim = [now + request.leaseMs, request.workerId, now, lastToken] as const;
    let rows: JobRow[];
    if (request.names === null) {
      rows = this.#claimFirst.all(...claim, queue, max);
    } else {
      // Counts of jobs that this very transaction enqueued are still in the ledger.
      ledger.flushCounts();
      const { served, all } = this.#servedNames(queue, request.names);
      rows = all
        ? this.#claimFirst.all(...claim, queue, max)
        : this.#claimPicked.all(...claim, JSON.stringify(this.#pick(queue, served, max)));
    }
    step("claim:update");
    sequences.putBack("token", max - rows.length);
    // RETURNING promises no order; tokens were given in the order of the claim.
    return rows.sort((a, b) => a.token - b.token);
  }

  /**
   * Which of these names have pending jobs in the queue, and whether those are all that it has. When
   * they are, the queue's own index answers; else each name's index does, and no other name is scanned.
   */
  #servedNames(queue: string, names: readonly string[]): { served: string[]; all: boolean } {
    const pending = this.#pendingNames.all(queue);
    const served = pending.filter((name) => names.includes(name));
    return { served, all: served.length === pending.length };
  }

  /** The first `max` jobs over several names, in claim order. */
  #pick(queue: string, names: readonly string[], max: number): number[] {
    return names
      .flatMap((name) => this.#candidates.all(queue, name, max))
      .sort((a, b) => b.priority - a.priority || a.run_at - b.run_at || a.id - b.id)
      .slice(0, max)
      .map(({ id }) => id);
  }

  #isPaused(queue: string): boolean {
    return this.#paused.get(queue) !== undefined;
  }

  #started(row: JobRow): ClaimedJob {
    const job = this.describe(row);
    this.context.step("claim:payload");
    const lane = this.context.ledger.lane(row.queue, row.name);
    lane.moved("claim", "pending", "running");
    lane.count("started");
    lane.duration("wait", job.startedAt - job.runAt);
    return job;
  }

  /** A job without attempts left cannot be claimable, unless the file was restored or edited by hand. */
  #buryExhausted(row: JobRow): void {
    this.#bury.run(this.context.clock.now(), row.id);
    const lane = this.context.ledger.lane(row.queue, row.name);
    lane.moved("claim", "pending", "running");
    lane.moved("bury", "running", "dead");
    lane.count("dead");
  }
}

/** One statement claims and returns the jobs; tokens follow the order in which they were picked. */
function claimStatement(pick: string): string {
  return `UPDATE jobs
    SET state = 'running', attempt = attempt + 1, lease_until = ?, worker_id = ?, started_at = ?,
        token = ? + picked.position
    FROM (SELECT id AS job_id, row_number() OVER () AS position FROM (${pick})) AS picked
    WHERE jobs.id = picked.job_id
    RETURNING *`;
}
