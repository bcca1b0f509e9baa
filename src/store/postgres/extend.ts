import type { Instant } from "../../core/job.js";
import type { ClaimKey, Extended } from "../claims.js";
import type { PostgresContext } from "./context.js";
import { held, STILL_RUNNING, type CurrentClaim } from "./current-claim.js";
import { Statement } from "./statement.js";
import type { Transaction } from "./transaction.js";

export interface Extension extends ClaimKey {
  readonly leaseMs: number;
}

/** Moves the ends of leases. */
export class Extend {
  readonly #extend;

  constructor(
    { s }: PostgresContext,
    private readonly current: CurrentClaim,
  ) {
    this.#extend = new Statement<
      [ids: readonly number[], tokens: readonly number[], leaseUntil: readonly Instant[]],
      never
    >(
      `UPDATE ${s}.jobs SET lease_until = extended.lease_until
       FROM unnest($1::bigint[], $2::bigint[], $3::bigint[]) AS extended (id, token, lease_until)
       WHERE jobs.id = ANY($1) AND jobs.id = extended.id AND jobs.token = extended.token AND ${STILL_RUNNING}`,
    );
  }

  /** Answers in the order of the extensions. */
  async apply(tx: Transaction, extensions: readonly Extension[]): Promise<Extended[]> {
    const rows = await this.current.lock(
      tx,
      extensions.map(({ id }) => id),
    );
    const extended = new Map<number, { token: number; leaseUntil: Instant }>();
    const answers = extensions.map((extension): Extended => {
      const row = held(rows.get(extension.id), extension);
      if (typeof row === "string") return { ok: false, reason: row };
      const leaseExpiresAt = tx.now + extension.leaseMs;
      extended.set(row.id, { token: row.token, leaseUntil: leaseExpiresAt });
      tx.ledger.note(row.queue, row.name);
      return { ok: true, leaseExpiresAt };
    });
    const changes = [...extended.values()];
    await this.#extend.run(
      tx,
      [...extended.keys()],
      changes.map(({ token }) => token),
      changes.map(({ leaseUntil }) => leaseUntil),
    );
    return answers;
  }
}
