import type { LeaseLossReason } from "../../core/errors.js";
import type { ClaimedJob, Instant } from "../../core/job.js";
import type {
  ClaimKey,
  ClaimRequest,
  ClaimStore,
  ExpiredClaim,
  Extended,
  FailedSettlement,
  NamedClaim,
  NewLogLine,
  Settled,
  Settlement,
} from "../claims.js";
import { failuresBefore, parseBackoff, type JobRow, type SpecRow } from "../rows.js";
import { Batch, split } from "./batch.js";
import { ClaimIds } from "./claim-ids.js";
import { Claim } from "./claim.js";
import type { ClaimableQueue } from "./claimable-queues.js";
import type { PostgresContext } from "./context.js";
import { CurrentClaim } from "./current-claim.js";
import { Extend, type Extension } from "./extend.js";
import { LaneStarts } from "./lane-starts.js";
import type { RaiseFloors } from "./raise-floors.js";
import { Notes } from "./notes.js";
import { Promote } from "./promote.js";
import { ScanStart } from "./scan-start.js";
import { Settle } from "./settle.js";
import { WaitForJobs } from "./wait.js";
import { Statement } from "./statement.js";

/** How late a job may become claimable whose transaction was open when its time came. */
const WHOLE_PROMOTION_EVERY_MS = 10_000;
/** How late a lease may be found whose claim was committed after it had ended. */
const WHOLE_REAPING_EVERY_MS = 60_000;
/** Bounds what is remembered of workers that have gone away. */
const MAX_BUSY_WORKERS = 1_000;

export class PostgresClaims implements ClaimStore {
  readonly #claim;
  readonly #claimIds;
  readonly #starts;
  readonly #current;
  readonly #settle;
  readonly #notes;
  readonly #promote;
  readonly #expired;
  readonly #settlements;
  readonly #extensions;
  readonly #expiredFrom;
  readonly #dueFrom;
  /** Workers whose last claim got all that it asked for: there is more, so the next one need not look first. */
  readonly #busy = new Set<string>();

  constructor(
    private readonly context: PostgresContext,
    private readonly floors: RaiseFloors,
  ) {
    this.#starts = new LaneStarts(context.clock);
    this.#claim = new Claim(context, this.#starts);
    this.#current = new CurrentClaim(context);
    const settle = new Settle(context, this.#current, new WaitForJobs(context));
    this.#settle = settle;
    this.#claimIds = new ClaimIds(context, this.#claim, this.#current, settle);
    this.#notes = new Notes(context, this.#current);
    this.#promote = new Promote(context);
    this.#expiredFrom = new ScanStart(context.clock, WHOLE_REAPING_EVERY_MS);
    this.#dueFrom = new ScanStart(context.clock, WHOLE_PROMOTION_EVERY_MS);
    this.#expired = new Statement<
      [from: Instant, now: Instant, limit: number],
      JobRow & Pick<SpecRow, "budget" | "backoff">
    >(
      `SELECT jobs.*, budget, backoff FROM ${context.s}.jobs JOIN ${context.s}.job_specs ON job_id = jobs.id
       WHERE state = 'running' AND lease_until BETWEEN $1 AND $2 ORDER BY lease_until LIMIT $3`,
    );
    this.#settlements = new Batch<readonly Settlement[], readonly Settled[]>(
      context.committer,
      (settlements) => settlements.length,
      async (tx, calls) => split(await settle.apply(tx, calls.flat()), calls),
    );
    const extend = new Extend(context, this.#current);
    this.#extensions = new Batch<readonly Extension[], readonly Extended[]>(
      context.committer,
      (extensions) => extensions.length,
      async (tx, calls) => split(await extend.apply(tx, calls.flat()), calls),
    );
  }

  claim(request: ClaimRequest): Promise<readonly ClaimedJob[]> {
    if (request.max < 1) return Promise.resolve([]);
    this.floors.checkNowAndThen();
    return this.context.committer.accept(() => this.#take(request));
  }

  claimAs(request: ClaimRequest & NamedClaim): Promise<readonly ClaimedJob[] | null> {
    if (request.max < 1) return Promise.resolve([]);
    this.floors.checkNowAndThen();
    return this.context.committer.accept(() => this.#takeAs(request));
  }

  async #take(request: ClaimRequest): Promise<readonly ClaimedJob[]> {
    const { queues, workerId } = request;
    if (queues.length === 1 && this.#busy.has(workerId)) {
      const jobs = await this.#takeFrom(request, queues.map(unlimited));
      // None may also mean that the queue has limits by now.
      if (jobs.length > 0) return jobs;
    }
    // A look costs one round trip, a transaction several.
    const claimable = await this.context.look((db) => this.#claim.queuesWithJobs(db, request));
    this.#rememberPlain(claimable);
    return claimable.length === 0 ? [] : this.#takeFrom(request, claimable);
  }

  #rememberPlain(queues: readonly ClaimableQueue[]): void {
    for (const { queue, limited } of queues) if (!limited) this.context.limited.rememberPlain(queue);
  }

  async #takeFrom(request: ClaimRequest, queues: readonly ClaimableQueue[]): Promise<readonly ClaimedJob[]> {
    const jobs = await this.context.committer.writeAccepted((tx) => this.#claim.take(tx, request, queues));
    this.floors.taken(jobs);
    this.#remember(request, queues, jobs);
    return jobs;
  }

  #remember(
    { workerId, max }: ClaimRequest,
    queues: readonly ClaimableQueue[],
    jobs: readonly ClaimedJob[],
  ): void {
    if (jobs.length < max || queues.some(({ limited }) => limited)) {
      this.#busy.delete(workerId);
      return;
    }
    this.#starts.took(jobs);
    if (this.#busy.size < MAX_BUSY_WORKERS) this.#busy.add(workerId);
    else this.#busy.clear();
  }

  async #takeAs(request: ClaimRequest & NamedClaim): Promise<readonly ClaimedJob[] | null> {
    const { committer, clock } = this.context;
    const { known, queues } = await this.context.look((db) => this.#claimIds.look(db, request, clock.now()));
    this.#rememberPlain(queues);
    if (!known && queues.length === 0) return [];
    // Those that were handed out may be given back until the name is locked, whatever their queue.
    const found = new Map(queues.map((each) => [each.queue, each]));
    const meant = known ? request.queues.map((queue) => found.get(queue) ?? unlimited(queue)) : queues;
    const jobs = await committer.writeAccepted((tx) => this.#claimIds.take(tx, request, meant));
    this.floors.taken(jobs ?? []);
    return jobs;
  }

  giveBack(claim: NamedClaim, keys: readonly ClaimKey[]): Promise<readonly Settled[]> {
    return this.context.write((tx) => this.#claimIds.giveBack(tx, claim, keys));
  }

  current(key: ClaimKey): Promise<ClaimedJob | LeaseLossReason> {
    return this.context.look(async (db) => {
      const row = await this.#current.find(db, key);
      return typeof row === "string" ? row : this.#claim.describe(db, row);
    });
  }

  extend(keys: readonly ClaimKey[], leaseMs: number): Promise<readonly Extended[]> {
    if (keys.length === 0) return Promise.resolve([]);
    return this.#extensions.run(keys.map((key) => ({ ...key, leaseMs })));
  }

  settle(settlements: readonly Settlement[]): Promise<readonly Settled[]> {
    return this.#settlements.run(settlements);
  }

  reap(settlements: readonly FailedSettlement[]): Promise<readonly Settled[]> {
    return this.context.write((tx) => this.#settle.applyIfExpired(tx, settlements));
  }

  progress(key: ClaimKey, percent: number, message: string | null): Promise<LeaseLossReason | null> {
    return this.context.write((tx) => this.#notes.progress(tx, key, percent, message));
  }

  log(key: ClaimKey, lines: readonly NewLogLine[], seq?: number): Promise<LeaseLossReason | null> {
    return this.context.write((tx) => this.#notes.log(tx, key, lines, seq));
  }

  async expired(limit: number): Promise<readonly ExpiredClaim[]> {
    const [from, now] = [this.#expiredFrom.next(), this.context.clock.now()];
    const rows = await this.context.look((db) => this.#expired.all(db, from, now, limit));
    if (rows.length < limit) this.#expiredFrom.came(from, now);
    return rows.map((row) => ({
      id: String(row.id),
      token: row.token,
      queue: row.queue,
      name: row.name,
      workerId: row.worker_id ?? "",
      attempt: row.attempt,
      maxAttempts: row.max_attempts,
      failures: failuresBefore(row.attempt, row.max_attempts, row.budget),
      backoff: parseBackoff(row.backoff),
    }));
  }

  async promote(limit: number): Promise<number> {
    const due = await this.nextDue();
    if (due === null || due > this.context.clock.now()) return 0;
    return this.context.write((tx) => this.#promote.due(tx, due, limit));
  }

  async nextDue(): Promise<Instant | null> {
    const from = this.#dueFrom.next();
    const due = await this.context.look((db) => this.#promote.next(db, from));
    this.#dueFrom.came(from, Math.min(due ?? Infinity, this.context.clock.now()));
    return due;
  }
}

/** Said of a queue that nothing is known of: if it has limits, a claim takes nothing of it. */
function unlimited(queue: string): ClaimableQueue {
  return { queue, limited: false };
}
