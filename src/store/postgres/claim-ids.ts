import type { ClaimedJob, Instant } from "../../core/job.js";
import { claimKeyOf } from "../claim-key.js";
import type { ClaimKey, ClaimRequest, NamedClaim, Settled } from "../claims.js";
import type { Claim } from "./claim.js";
import { queuesWithJobs, type ClaimableQueue } from "./claimable-queues.js";
import type { Queryable } from "./connection.js";
import type { PostgresContext } from "./context.js";
import { held, type CurrentClaim } from "./current-claim.js";
import type { Settle } from "./settle.js";
import { Statement } from "./statement.js";
import type { Transaction } from "./transaction.js";

/** What a claim with a name may find. */
interface ClaimableByName {
  /** Jobs were handed out under the name. */
  readonly known: boolean;
  readonly queues: readonly ClaimableQueue[];
}

type HandedOut = [id: string, token: number];

interface ClaimIdRow {
  /** JSON text: of `HandedOut[]`. */
  readonly jobs: string;
  readonly expires_at: Instant;
}

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
  readonly #look;
  readonly #find;
  readonly #lock;
  readonly #keep;
  readonly #answers;
  readonly #forget;
  readonly #removeExpired;

  constructor(
    { s }: PostgresContext,
    private readonly claim: Claim,
    private readonly current: CurrentClaim,
    private readonly settle: Settle,
  ) {
    this.#look = new Statement<
      [queues: readonly string[], names: readonly string[] | null, now: Instant, worker: string, key: string],
      ClaimableByName
    >(
      `SELECT EXISTS (SELECT 1 FROM ${s}.claim_ids WHERE worker_id = $4 AND claim_id = $5) AS known,
         (SELECT coalesce(json_agg(json_build_object('queue', queue, 'limited', limited)), '[]')
          FROM (${queuesWithJobs(s)}) AS found) AS queues`,
    );
    this.#find = new Statement<[worker: string, key: string], ClaimIdRow>(
      `SELECT jobs, expires_at FROM ${s}.claim_ids WHERE worker_id = $1 AND claim_id = $2`,
    );
    // There is no row to lock before the first claim of a name, and both of two first ones would claim.
    this.#lock = new Statement<[worker: string, key: string], never>(
      `SELECT pg_advisory_xact_lock(hashtextextended($1 || chr(10) || $2, 0))`,
    );
    this.#keep = new Statement<
      [worker: string, key: string, jobs: string, now: Instant, expiresAt: Instant],
      never
    >(
      `INSERT INTO ${s}.claim_ids (worker_id, claim_id, jobs, answers, made_at, expires_at)
       VALUES ($1, $2, $3, 1, $4, $5)
       ON CONFLICT (worker_id, claim_id) DO UPDATE SET jobs = excluded.jobs, answers = 1,
         made_at = excluded.made_at, expires_at = excluded.expires_at`,
    );
    this.#answers = new Statement<[change: number, worker: string, key: string], { answers: number }>(
      `UPDATE ${s}.claim_ids SET answers = answers + $1 WHERE worker_id = $2 AND claim_id = $3 RETURNING answers`,
    );
    this.#forget = new Statement<[worker: string, key: string], never>(
      `DELETE FROM ${s}.claim_ids WHERE worker_id = $1 AND claim_id = $2`,
    );
    this.#removeExpired = new Statement<[now: Instant, limit: number], never>(
      `DELETE FROM ${s}.claim_ids WHERE (worker_id, claim_id) IN
         (SELECT worker_id, claim_id FROM ${s}.claim_ids WHERE expires_at < $1
          ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED)`,
    );
  }

  /**
   * A look without a lock, at one moment: a job that was handed out under this name is either still, or it waits again.
   */
  async look(db: Queryable, claim: ClaimRequest & NamedClaim, now: Instant): Promise<ClaimableByName> {
    const { queues, names, workerId } = claim;
    const found = await this.#look.get(db, queues, names, now, workerId, claimKeyOf(claim));
    if (found === undefined) return { known: false, queues: [] };
    return { ...found, queues: await this.claim.withRoom(db, found.queues) };
  }

  async take(
    tx: Transaction,
    request: ClaimRequest & NamedClaim,
    queues: readonly ClaimableQueue[],
  ): Promise<ClaimedJob[] | null> {
    await this.#lock.run(tx, request.workerId, claimKeyOf(request));
    const known = await this.#row(tx, request);
    const heldJobs = await this.#held(tx, handedOutOf(known));
    if (heldJobs.length > 0) {
      await this.#answers.run(tx, 1, request.workerId, claimKeyOf(request));
      return heldJobs;
    }
    if (known !== undefined && known.expires_at > tx.now) return null;
    const jobs = await this.claim.take(tx, request, queues);
    if (jobs.length > 0) await this.#remember(tx, request, jobs);
    return jobs;
  }

  async giveBack(tx: Transaction, claim: NamedClaim, keys: readonly ClaimKey[]): Promise<readonly Settled[]> {
    await this.#lock.run(tx, claim.workerId, claimKeyOf(claim));
    const handedOut = handedOutOf(await this.#row(tx, claim));
    const same = keys.some(({ id, token }) => handedOut.some((job) => job[0] === id && job[1] === token));
    // Without a record of just these jobs nobody knows who else was given them: their leases end by themselves.
    if (!same) return [];
    const left = (await this.#answers.get(tx, -1, claim.workerId, claimKeyOf(claim)))?.answers ?? 0;
    if (left > 0) return [];
    await this.#forget.run(tx, claim.workerId, claimKeyOf(claim));
    return this.settle.apply(
      tx,
      keys.map(({ id, token }) => ({ verb: "release", id, token })),
    );
  }

  /** Those that the claim of this name still holds. A lease that has ended is the reaper's, not the worker's. */
  async #held(tx: Transaction, handedOut: readonly HandedOut[]): Promise<ClaimedJob[]> {
    const rows = await this.current.lock(
      tx,
      handedOut.map(([id]) => id),
    );
    const jobs: ClaimedJob[] = [];
    for (const [id, token] of handedOut) {
      const row = held(rows.get(id), { id, token });
      if (typeof row !== "string" && row.lease_until > tx.now) jobs.push(await this.claim.describe(tx, row));
    }
    return jobs;
  }

  #row(tx: Transaction, claim: NamedClaim): Promise<ClaimIdRow | undefined> {
    return this.#find.get(tx, claim.workerId, claimKeyOf(claim));
  }

  async #remember(
    tx: Transaction,
    claim: ClaimRequest & NamedClaim,
    jobs: readonly ClaimedJob[],
  ): Promise<void> {
    await this.#removeExpired.run(tx, tx.now, REMOVED_PER_CLAIM);
    const handedOut = jobs.map(({ id, token }): HandedOut => [id, token]);
    await this.#keep.run(
      tx,
      claim.workerId,
      claimKeyOf(claim),
      JSON.stringify(handedOut),
      tx.now,
      tx.now + claim.leaseMs,
    );
  }
}

function handedOutOf(row: ClaimIdRow | undefined): HandedOut[] {
  return row === undefined ? [] : (JSON.parse(row.jobs) as HandedOut[]);
}
