import pg from "pg";
import type { Clock } from "../../core/clock.js";
import { KonveierError } from "../../core/errors.js";
import { closedError } from "./committer.js";
import { promptly, type Pool, type Queryable } from "./connection.js";
import { isConflict, isConnectionError, translateError } from "./errors.js";
import type { SchemaGuard } from "./migrate.js";

/** How long a read that met a cut connection or another transaction is tried again before it fails. */
const RETRY_LIMIT_MS = 5_000;
const RETRY_WAIT_MS = 50;

/**
 * Runs reads outside of the transactions of writes. One whose connection breaks is tried again, and so is one that is
 * undone for the sake of another transaction: where `serializable` is the default, that befalls reads too.
 */
export class Reads {
  #closed = false;

  constructor(
    private readonly pool: Pool,
    private readonly clock: Clock,
    private readonly schema: SchemaGuard,
    private readonly place: string,
  ) {}

  /** Single statements. */
  read<T>(work: (db: Queryable) => Promise<T>): Promise<T> {
    return this.#untilDone(() => work(this.pool));
  }

  /** Single statements that are answered at once or not at all. */
  look<T>(work: (db: Queryable) => Promise<T>): Promise<T> {
    return this.#untilDone(() => work(promptly(this.pool)));
  }

  /** Several statements on one snapshot of the database. */
  snapshot<T>(work: (db: Queryable) => Promise<T>): Promise<T> {
    return this.#untilDone(async () => {
      const client = await this.pool.connect();
      let broken: Error | undefined;
      try {
        await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
        const answer = await work(client);
        await client.query("COMMIT");
        return answer;
      } catch (error) {
        // Ends the transaction as well, whatever state it is in.
        broken = error as Error;
        throw error;
      } finally {
        client.release(broken);
      }
    });
  }

  /** Refuses what comes from now on. */
  close(): void {
    this.#closed = true;
  }

  async #untilDone<T>(work: () => Promise<T>): Promise<T> {
    let since: number | null = null;
    for (;;) {
      if (this.#closed) throw closedError(this.place);
      this.schema.verifyKnown();
      try {
        return await work();
      } catch (error) {
        const now = this.clock.monotonic();
        since ??= now;
        if (!isConnectionError(error) && !isConflict(error)) throw await this.#meaningOf(error);
        if (now - since >= RETRY_LIMIT_MS) throw translateError(error, this.place);
        await new Promise<void>((resolve) => {
          this.clock.setTimer(RETRY_WAIT_MS, resolve);
        });
      }
    }
  }

  /** A table or a column that is gone is no loss of data when a newer program has removed it. */
  async #meaningOf(error: unknown): Promise<unknown> {
    try {
      if (error instanceof pg.DatabaseError) this.schema.verify(await this.schema.read(promptly(this.pool)));
      return translateError(error, this.place);
    } catch (refusal) {
      return refusal instanceof KonveierError ? refusal : translateError(error, this.place);
    }
  }
}
