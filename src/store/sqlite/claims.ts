import type { ClaimedJob, Instant } from "../../core/job.js";
import type { LeaseLossReason } from "../../core/errors.js";
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
import { ClaimIds } from "./claim-ids.js";
import { Claim } from "./claim.js";
import type { SqliteContext } from "./context.js";
import { CurrentClaim } from "./current-claim.js";
import { failuresBefore, parseBackoff, rowId, type JobRow, type SpecRow } from "../rows.js";
import { Notes } from "./notes.js";
import { Promote } from "./promote.js";
import { Settle } from "./settle.js";

export class SqliteClaims implements ClaimStore {
  readonly #claim;
  readonly #claimIds;
  readonly #current;
  readonly #settle;
  readonly #notes;
  readonly #promote;
  readonly #extend;
  readonly #expired;

  constructor(private readonly context: SqliteContext) {
    const { db } = context;
    this.#claim = new Claim(context);
    this.#current = new CurrentClaim(db);
    this.#settle = new Settle(context, this.#current);
    this.#claimIds = new ClaimIds(context, this.#claim, this.#current, this.#settle);
    this.#notes = new Notes(context, this.#current);
    this.#promote = new Promote(context);
    this.#extend = db.prepare<[number, number, number]>(
      "UPDATE jobs SET lease_until = ? WHERE id = ? AND token = ? AND state = 'running'",
    );
    this.#expired = db.prepare<[number, number], JobRow & Pick<SpecRow, "budget" | "backoff">>(
      `SELECT jobs.*, budget, backoff FROM jobs JOIN job_specs ON job_specs.job_id = jobs.id
       WHERE state = 'running' AND lease_until <= ? ORDER BY lease_until LIMIT ?`,
    );
  }

  async claim(request: ClaimRequest): Promise<readonly ClaimedJob[]> {
    if (request.max < 1) return [];
    // Looking costs microseconds, the write lock would make every idle worker wait for the others.
    const waiting = await this.context.read(() => this.#claim.mayHaveJobs(request));
    return waiting ? this.context.write(() => this.#claim.take(request)) : [];
  }

  async claimAs(request: ClaimRequest & NamedClaim): Promise<readonly ClaimedJob[] | null> {
    if (request.max < 1) return [];
    const worthwhile = await this.context.read(
      () => this.#claimIds.knows(request) || this.#claim.mayHaveJobs(request),
    );
    return worthwhile ? this.context.write(() => this.#claimIds.take(request)) : [];
  }

  giveBack(claim: NamedClaim, keys: readonly ClaimKey[]): Promise<readonly Settled[]> {
    return this.context.write(() => this.#claimIds.giveBack(claim, keys));
  }

  current(key: ClaimKey): Promise<ClaimedJob | LeaseLossReason> {
    return this.context.read(() => {
      const row = this.#current.find(key);
      return typeof row === "string" ? row : this.#claim.describe(row);
    });
  }

  extend(keys: readonly ClaimKey[], leaseMs: number): Promise<readonly Extended[]> {
    if (keys.length === 0) return Promise.resolve([]);
    return this.context.write(() => {
      const leaseExpiresAt = this.context.clock.now() + leaseMs;
      this.context.sequences.take("job_note", 1);
      return keys.map((key): Extended => {
        const { changes } = this.#extend.run(leaseExpiresAt, rowId(key.id) ?? 0, key.token);
        return changes === 1
          ? { ok: true, leaseExpiresAt }
          : { ok: false, reason: this.#current.lossReason(key) };
      });
    });
  }

  settle(settlements: readonly Settlement[]): Promise<readonly Settled[]> {
    return this.context.write(() => this.#settle.apply(settlements));
  }

  reap(settlements: readonly FailedSettlement[]): Promise<readonly Settled[]> {
    return this.context.write(() => settlements.map((settlement) => this.#settle.applyIfExpired(settlement)));
  }

  progress(key: ClaimKey, percent: number, message: string | null): Promise<LeaseLossReason | null> {
    return this.context.write(() => this.#notes.progress(key, percent, message));
  }

  log(key: ClaimKey, lines: readonly NewLogLine[], seq?: number): Promise<LeaseLossReason | null> {
    return this.context.write(() => this.#notes.log(key, lines, seq));
  }

  expired(limit: number): Promise<readonly ExpiredClaim[]> {
    return this.context.read(() =>
      this.#expired.all(this.context.clock.now(), limit).map((row) => ({
        id: String(row.id),
        token: row.token,
        queue: row.queue,
        name: row.name,
        workerId: row.worker_id ?? "",
        attempt: row.attempt,
        maxAttempts: row.max_attempts,
        failures: failuresBefore(row.attempt, row.max_attempts, row.budget),
        backoff: parseBackoff(row.backoff),
      })),
    );
  }

  async promote(limit: number): Promise<number> {
    const due = await this.nextDue();
    if (due === null || due > this.context.clock.now()) return 0;
    return this.context.write(() => this.#promote.due(limit));
  }

  nextDue(): Promise<Instant | null> {
    return this.context.read(() => this.#promote.next());
  }
}
