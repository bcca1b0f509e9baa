import { MAX_CLAIM_BYTES } from "../../core/defaults.js";
import type { ClaimedJob, Instant } from "../../core/job.js";
import type { ClaimRequest } from "../claims.js";
import type { JobRow } from "../rows.js";
import { CancelWaiting, type WaitingRow } from "./cancel-waiting.js";
import { describe, SPEC_COLUMNS, SPEC_NAMES, type SpecColumns } from "./claimed-job.js";
import { isLimited, queuesWithJobs, type ClaimableQueue } from "./claimable-queues.js";
import type { Queryable } from "./connection.js";
import type { PostgresContext } from "./context.js";
import { pendingOfLane } from "./lane-floors.js";
import type { LaneStarts } from "./lane-starts.js";
import { LimitedClaims } from "./limited-claims.js";
import { Statement } from "./statement.js";
import type { Transaction } from "./transaction.js";

/** A claimed job. */
interface ClaimedRow
  extends
    Pick<
      JobRow,
      | "id"
      | "name"
      | "priority"
      | "token"
      | "attempt"
      | "max_attempts"
      | "created_at"
      | "run_at"
      | "expires_at"
      | "flow_id"
    >,
    SpecColumns {
  readonly share: null;
}

/** A job that was claimed within limits. */
type ChosenRow = Omit<ClaimedRow, "share"> & {
  readonly keys: string | null;
  /** Jobs that could have been taken, together. */
  readonly locked: number;
};

/** What became of a lane. */
interface LaneRow {
  readonly name: string;
  readonly priority: number;
  /** What the claim hoped to get from it. */
  readonly share: number;
  /** What nobody else was taking. */
  readonly locked: number;
  /** It is the only one that the claim could take from, so nobody has counted: `share` is what was asked for. */
  readonly only: boolean;
}

/** What one claim has taken so far. */
interface Taken {
  readonly jobs: ClaimedJob[];
  /** Of their payloads. */
  bytes: number;
  /** The next job would bring the payloads beyond `MAX_CLAIM_BYTES`. */
  full: boolean;
  expired: number;
}

/** Jobs that one claim cancels: the rest is left to the loop that does nothing else. */
const MOST_EXPIRED = 1_000;

/**
 * Takes pending jobs. The statements of a claim are here, and in `limited-claims.ts`.
 *
 * A lane is the pending jobs of one queue, name and priority in claim order, a range of one index. A claim first
 * looks how much each lane would give from its floor on, and then locks just that many jobs of each, passing over those
 * that others are taking this very moment. Where those leave less than hoped for, it looks once more without that lane.
 */
export class Claim {
  readonly #limited;
  readonly #withJobs;
  readonly #takeChosen;
  readonly #take;
  readonly #specs;
  readonly #bury;
  readonly #cancel;

  constructor(
    private readonly context: PostgresContext,
    private readonly starts: LaneStarts,
  ) {
    const { s } = context;
    this.#cancel = new CancelWaiting(context);
    this.#withJobs = new Statement<
      [queues: readonly string[], names: readonly string[] | null, now: Instant],
      ClaimableQueue
    >(queuesWithJobs(s));
    this.#limited = new LimitedClaims(context);
    this.#takeChosen = new Statement<
      [ids: readonly number[], leaseUntil: Instant, workerId: string, now: Instant, bytes: number],
      ChosenRow
    >(takeChosenStatement(s));
    const pending = `${pendingOfLane(s, "$6::bigint")} AND run_at >= lane.start`;
    // The subqueries are materialized: whatever the plan is, each runs once, so no more jobs are locked than asked
    // for. Rows are changed by their ids as values, not by joins, and without naming their state again, which the lock
    // keeps: a planner that knows nothing of the tables would read them, or the index of all pending jobs, whole.
    // Every claimed job has its spec: the join is a full one because that kind is never made by comparing all with all.
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
        bytes: number,
        startNames: readonly string[],
        startPriorities: readonly number[],
        starts: readonly Instant[],
      ],
      ClaimedRow | LaneRow
    >(
      `WITH lane AS MATERIALIZED (
         SELECT queue, name, priority, floor, count(*) OVER () = 1 AS is_only, coalesce((
           SELECT known.start FROM unnest($10::text[], $11::smallint[], $12::bigint[]) AS known (name, priority, start)
           WHERE known.name = lanes.name AND known.priority = lanes.priority
         ), 0) AS start FROM ${s}.lanes
         WHERE queue = $1 AND ($2::text[] IS NULL OR name = ANY($2)) AND NOT ${isLimited(s, "$1")}
           AND (name, priority) NOT IN (SELECT * FROM unnest($7::text[], $8::smallint[]))
           AND NOT EXISTS (SELECT 1 FROM ${s}.queues WHERE queues.name = $1 AND paused_at IS NOT NULL)
       ), share AS MATERIALIZED (
         SELECT queue, name, priority, floor, start, is_only, $3 AS n FROM lane WHERE is_only
         UNION ALL
         SELECT queue, name, priority, floor, start, is_only, count(*) FROM (
           SELECT lane.* FROM lane
           CROSS JOIN LATERAL (SELECT run_at, id ${pending} ORDER BY run_at, id LIMIT $3) AS job
           WHERE NOT is_only ORDER BY priority DESC, run_at, id LIMIT $3
         ) AS first GROUP BY queue, name, priority, floor, start, is_only
       ), locked AS MATERIALIZED (
         SELECT lane.name, lane.priority, job.* FROM share AS lane CROSS JOIN LATERAL (
           SELECT id, run_at, payload_bytes ${pending} ORDER BY run_at, id LIMIT lane.n FOR UPDATE SKIP LOCKED
         ) AS job
       ), fitting AS MATERIALIZED (
         SELECT id, sum(coalesce(payload_bytes,
             (SELECT octet_length(payload) FROM ${s}.job_specs WHERE job_id = locked.id)
           )) OVER (ORDER BY priority DESC, run_at, id) AS bytes FROM locked
       ), claimed AS (
         UPDATE ${s}.jobs SET state = 'running', attempt = attempt + 1, lease_until = $4, worker_id = $5,
           started_at = $6::bigint, token = nextval('${s}.fencing_tokens')
         WHERE id = ANY(ARRAY(SELECT id FROM fitting WHERE bytes <= $9::bigint))
         RETURNING id, name, priority, token, attempt, max_attempts, created_at, run_at, expires_at, flow_id
       ), spec AS MATERIALIZED (
         SELECT job_id, ${SPEC_COLUMNS} FROM ${s}.job_specs
         WHERE job_id = ANY(ARRAY(SELECT id FROM fitting WHERE bytes <= $9::bigint))
       )
       SELECT NULL AS share, NULL AS locked, NULL AS only, claimed.*, ${SPEC_NAMES.join(", ")}
       FROM claimed FULL JOIN spec ON spec.job_id = claimed.id
       UNION ALL
       SELECT n, (SELECT count(*) FROM locked WHERE locked.name = share.name AND locked.priority = share.priority),
         is_only, NULL, name, priority${", NULL".repeat(7 + SPEC_NAMES.length)} FROM share
       ORDER BY priority DESC, run_at, id`,
    );
    this.#specs = new Statement<[ids: readonly number[]], SpecColumns & { readonly id: number }>(
      `SELECT job_id AS id, ${SPEC_COLUMNS} FROM ${s}.job_specs WHERE job_id = ANY($1::bigint[])`,
    );
    this.#bury = new Statement<[now: Instant, id: number], never>(
      `UPDATE ${s}.jobs SET state = 'dead', attempt = max_attempts, finished_at = $1 WHERE id = $2`,
    );
  }

  /** A look without a lock: those of the queues that a claim could find anything in. */
  async queuesWithJobs(db: Queryable, { queues, names }: ClaimRequest): Promise<ClaimableQueue[]> {
    const found = await this.#withJobs.all(db, queues, names, this.context.clock.now());
    return this.withRoom(db, found);
  }

  /** Without those whose limits let in nothing now. */
  async withRoom(db: Queryable, queues: readonly ClaimableQueue[]): Promise<ClaimableQueue[]> {
    const limited = queues.filter((each) => each.limited).map(({ queue }) => queue);
    const open = await this.#limited.withRoom(db, limited);
    return queues.filter((each) => !each.limited || open.has(each.queue));
  }

  /** @param queues those of the request that may have jobs */
  async take(
    tx: Transaction,
    request: ClaimRequest,
    queues: readonly ClaimableQueue[],
  ): Promise<ClaimedJob[]> {
    const taken: Taken = { jobs: [], bytes: 0, full: false, expired: 0 };
    const limited = new Set(queues.filter((each) => each.limited).map(({ queue }) => queue));
    const now = limited.size > 0 ? await this.#limited.lock(tx, [...limited]) : tx.now;
    for (const { queue } of queues) {
      if (taken.full || taken.jobs.length === request.max) break;
      if (!limited.has(queue)) await this.#takeFrom(tx, queue, request, taken);
      // Once only: what it takes is counted when the transaction is over.
      else if (limited.delete(queue)) await this.#takeLimited(tx, queue, request, taken, now);
    }
    return taken.jobs;
  }

  async #takeLimited(
    tx: Transaction,
    queue: string,
    request: ClaimRequest,
    taken: Taken,
    now: Instant,
  ): Promise<void> {
    const leaseUntil = now + request.leaseMs;
    const claim = await this.#limited.begin(tx, queue, request.max - taken.jobs.length, now);
    const ids = await this.#limited.choose(tx, queue, request.names, claim, now);
    const rows =
      ids.length === 0
        ? []
        : await this.#takeChosen.all(
            tx,
            ids,
            leaseUntil,
            request.workerId,
            now,
            MAX_CLAIM_BYTES - taken.bytes,
          );
    for (const row of rows) await this.#received(tx, row, queue, now, leaseUntil, taken);
    taken.full = (rows[0]?.locked ?? 0) > rows.length;
    if (claim.looked) {
      await this.#limited.record(
        tx,
        queue,
        claim,
        rows.map(({ keys }) => keys),
        now,
      );
    }
    this.#limited.lookAgain(queue, claim, now);
  }

  /** A job that is running already, as its worker received it. */
  async describe(db: Queryable, row: JobRow): Promise<ClaimedJob> {
    const spec = await this.#specs.get(db, [row.id]);
    if (spec === undefined) throw new Error(`Job ${String(row.id)} has no payload`);
    return describe(row, row.queue, spec, row.started_at ?? row.run_at, row.lease_until);
  }

  async #takeFrom(tx: Transaction, queue: string, request: ClaimRequest, taken: Taken): Promise<void> {
    const leaseUntil = tx.now + request.leaseMs;
    const without: LaneRow[] = [];
    let starts = this.starts.of(queue, request.names);
    for (;;) {
      const max = request.max - taken.jobs.length;
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
        MAX_CLAIM_BYTES - taken.bytes,
        starts.map(({ name }) => name),
        starts.map(({ priority }) => priority),
        starts.map(({ runAt }) => runAt),
      );
      const lanes = rows.filter((row) => row.share !== null);
      const jobs = await this.#asReplaced(
        tx,
        rows.filter((row) => row.share === null),
      );
      const expired = jobs.filter(({ expires_at: at }) => at !== null && at <= tx.now);
      await this.#cancel.expireClaimed(
        tx,
        expired.map((row) => asWaiting(row, queue)),
      );
      taken.expired += expired.length;
      for (const row of jobs) {
        if (!expired.includes(row)) await this.#received(tx, row, queue, tx.now, leaseUntil, taken);
      }
      taken.full = sumOf(lanes.map(({ locked }) => locked)) > jobs.length;
      if (taken.expired >= MOST_EXPIRED) {
        tx.changes.pending(queue);
        return;
      }
      if (taken.full || taken.jobs.length === request.max) return;
      if (starts.length > 0) {
        // The rest may lie before them.
        this.starts.forget(queue);
        starts = [];
        continue;
      }
      if (lanes.every(({ only }) => only) && expired.length === 0) return;
      // Others hold what is left of them.
      without.push(...lanes.filter(({ share, locked }) => locked < share));
      if (sumOf(lanes.map(({ share }) => share)) < max) return;
    }
  }

  /**
   * A statement that locks a job sees the newest of its row, but of other tables what was there when it began: a job that
   * was replaced in between would run as it was before.
   */
  async #asReplaced(tx: Transaction, rows: readonly ClaimedRow[]): Promise<readonly ClaimedRow[]> {
    const ids = rows.filter((row) => row.is_unique).map(({ id }) => id);
    if (ids.length === 0) return rows;
    const specs = new Map((await this.#specs.all(tx, ids)).map((spec) => [spec.id, spec]));
    return rows.map((row) => ({ ...row, ...specs.get(row.id) }));
  }

  async #received(
    tx: Transaction,
    row: Omit<ClaimedRow, "share">,
    queue: string,
    now: Instant,
    leaseUntil: Instant,
    taken: Taken,
  ): Promise<void> {
    const { id } = row;
    const lane = tx.ledger.lane(queue, row.name);
    lane.moved(id, "claim", "pending", "running", row.attempt);
    if (row.attempt > row.max_attempts) {
      // A job without attempts left cannot be claimable, unless the database was restored or edited by hand.
      await this.#bury.run(tx, now, id);
      lane.moved(id, "bury", "running", "dead", row.max_attempts);
      if (row.flow_id !== null) tx.flows.book.ended(id, row.flow_id, "dead");
      lane.count("dead");
      return;
    }
    lane.count("started");
    lane.duration("wait", now - row.run_at);
    taken.jobs.push(describe(row, queue, row, now, leaseUntil));
    taken.bytes += Buffer.byteLength(row.payload);
  }
}

/** What waits with an `expires_at` has never started, see `settle.ts`. */
function asWaiting({ id, name, attempt, flow_id }: ClaimedRow, queue: string): WaitingRow {
  return { id, queue, name, state: "pending", attempt: attempt - 1, flow_id };
}

/** Takes the jobs $1, which are locked, in their order. */
function takeChosenStatement(s: string): string {
  return `WITH locked AS MATERIALIZED (
         SELECT id, payload_bytes FROM ${s}.jobs WHERE id = ANY($1::bigint[])
       ), fitting AS MATERIALIZED (
         SELECT id, sum(coalesce(payload_bytes,
             (SELECT octet_length(payload) FROM ${s}.job_specs WHERE job_id = locked.id)
           )) OVER (ORDER BY array_position($1, id)) AS bytes FROM locked
       ), claimed AS (
         UPDATE ${s}.jobs SET state = 'running', attempt = attempt + 1, lease_until = $2, worker_id = $3,
           started_at = $4::bigint, token = nextval('${s}.fencing_tokens')
         WHERE id = ANY(ARRAY(SELECT id FROM fitting WHERE bytes <= $5::bigint))
         RETURNING id, name, priority, token, attempt, max_attempts, created_at, run_at,
           expires_at, flow_id, keys
       )
       SELECT claimed.*, spec.*, (SELECT count(*) FROM locked) AS locked FROM claimed CROSS JOIN LATERAL (
         SELECT ${SPEC_COLUMNS} FROM ${s}.job_specs WHERE job_id = claimed.id OFFSET 0
       ) AS spec ORDER BY priority DESC, run_at, id`;
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}
