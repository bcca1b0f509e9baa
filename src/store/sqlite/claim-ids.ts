import type { ClaimedJob, Instant } from "../../core/job.js";
import type { ClaimKey, ClaimRequest, NamedClaim, Settled } from "../claims.js";
import { claimKeyOf } from "../claim-key.js";
import type { Claim } from "./claim.js";
import type { SqliteContext } from "./context.js";
import type { CurrentClaim } from "./current-claim.js";
import type { Settle } from "./settle.js";

type HandedOut = [id: string, token: number];

interface ClaimIdRow {
  /** JSON text: of `HandedOut[]`. */
  readonly jobs: string;
  readonly expires_at: Instant;
}

type Named = NamedClaim & Pick<ClaimRequest, "leaseMs">;

/**
 * Expired names removed with every new one. More than one, so that the table shrinks again after a rush,
 * and a constant, so that no claim pays for many.
 */
const REMOVED_PER_CLAIM = 4;

/**
 * Claims that their workers gave a name. The name is kept in the transaction of the claim, so whoever asks
 * again under it gets the same jobs, whichever server on this database is asked, also after a crash.
 */
export class ClaimIds {
  readonly #find;
  readonly #keep;
  readonly #answers;
  readonly #forget;
  readonly #removeExpired;

  constructor(
    private readonly context: SqliteContext,
    private readonly claim: Claim,
    private readonly current: CurrentClaim,
    private readonly settle: Settle,
  ) {
    const { db } = context;
    this.#find = db.prepare<[string, string], ClaimIdRow>(
      "SELECT jobs, expires_at FROM claim_ids WHERE worker_id = ? AND claim_id = ?",
    );
    this.#keep = db.prepare<[string, string, string, number, number]>(
      `INSERT INTO claim_ids (worker_id, claim_id, jobs, answers, made_at, expires_at)
       VALUES (?, ?, ?, 1, ?, ?)
       ON CONFLICT DO UPDATE SET jobs = excluded.jobs, answers = 1, made_at = excluded.made_at,
         expires_at = excluded.expires_at`,
    );
    this.#answers = db
      .prepare<[number, string, string], number>(
        `UPDATE claim_ids SET answers = answers + ? WHERE worker_id = ? AND claim_id = ? RETURNING answers`,
      )
      .pluck();
    this.#forget = db.prepare<[string, string]>("DELETE FROM claim_ids WHERE worker_id = ? AND claim_id = ?");
    this.#removeExpired = db.prepare<[number, number]>(
      `DELETE FROM claim_ids WHERE (worker_id, claim_id) IN
         (SELECT worker_id, claim_id FROM claim_ids WHERE expires_at < ? ORDER BY expires_at LIMIT ?)`,
    );
  }

  /** A look without a lock: whether jobs were handed out under this name. */
  knows(claim: NamedClaim): boolean {
    return this.#row(claim) !== undefined;
  }

  /** Runs inside a write transaction. */
  take(request: ClaimRequest & NamedClaim): ClaimedJob[] | null {
    const known = this.#row(request);
    const held = this.#held(handedOutOf(known));
    if (held.length > 0) {
      this.#answers.get(1, request.workerId, claimKeyOf(request));
      return held;
    }
    if (known !== undefined && known.expires_at > this.context.clock.now()) return null;
    const jobs = this.claim.take(request);
    if (jobs.length > 0) this.#remember(request, jobs);
    return jobs;
  }

  /** Runs inside a write transaction. */
  giveBack(claim: NamedClaim, keys: readonly ClaimKey[]): readonly Settled[] {
    const handedOut = handedOutOf(this.#row(claim));
    const same = keys.some(({ id, token }) => handedOut.some((job) => job[0] === id && job[1] === token));
    // Without a record of just these jobs nobody knows who else was given them: their leases end by themselves.
    if (!same) return [];
    const left = this.#answers.get(-1, claim.workerId, claimKeyOf(claim)) ?? 0;
    if (left > 0) return [];
    this.#forget.run(claim.workerId, claimKeyOf(claim));
    return this.settle.apply(keys.map(({ id, token }) => ({ verb: "release", id, token })));
  }

  /** Those that the claim of this name still holds. A lease that has ended is the reaper's, not the worker's. */
  #held(handedOut: readonly HandedOut[]): ClaimedJob[] {
    const now = this.context.clock.now();
    return handedOut.flatMap(([id, token]) => {
      const row = this.current.find({ id, token });
      return typeof row === "string" || row.lease_until <= now ? [] : [this.claim.describe(row)];
    });
  }

  #row(claim: NamedClaim): ClaimIdRow | undefined {
    return this.#find.get(claim.workerId, claimKeyOf(claim));
  }

  #remember(claim: Named, jobs: readonly ClaimedJob[]): void {
    const now = this.context.clock.now();
    this.#removeExpired.run(now, REMOVED_PER_CLAIM);
    const handedOut = jobs.map(({ id, token }): HandedOut => [id, token]);
    this.#keep.run(claim.workerId, claimKeyOf(claim), JSON.stringify(handedOut), now, now + claim.leaseMs);
    this.context.step("claim:name");
  }
}

function handedOutOf(row: ClaimIdRow | undefined): HandedOut[] {
  return row === undefined ? [] : (JSON.parse(row.jobs) as HandedOut[]);
}
