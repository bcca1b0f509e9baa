import type { BulkAction } from "../../core/bulk-action.js";
import type { Instant } from "../../core/job.js";
import type { OperationEvent } from "../../core/journal.js";
import { bothQueries, type JobQuery } from "../../core/job-query/query.js";
import type { JobChange, MatchingIds } from "../jobs.js";
import {
  columnsOf,
  MAX_EXAMINED,
  restAfter,
  stepSize,
  toOperation,
  type OperationRow,
} from "../operation-rows.js";
import type {
  NewOperation,
  Operation,
  OperationState,
  OperationStep,
  OperationStore,
} from "../operations.js";
import { rowId } from "../rows.js";
import type { ChangeByHand } from "./change-by-hand.js";
import type { PostgresContext } from "./context.js";
import { CurrentClaim } from "./current-claim.js";
import { TryAgain } from "./errors.js";
import type { JobSearch } from "./job-search/job-search.js";
import { Statement } from "./statement.js";
import type { Transaction } from "./transaction.js";

export class PostgresOperations implements OperationStore {
  readonly #current;
  readonly #lastJobId;
  readonly #insert;
  readonly #byPreview;
  readonly #get;
  readonly #list;
  readonly #cancel;
  readonly #running;
  readonly #due;
  readonly #nextDue;
  readonly #lockDue;
  readonly #advance;

  constructor(
    private readonly context: PostgresContext,
    private readonly search: JobSearch,
    private readonly byHand: ChangeByHand,
  ) {
    const { s } = context;
    this.#current = new CurrentClaim(context);
    // Of the jobs that are there. Who is about to insert one has a larger id or is not done with it: it came later.
    this.#lastJobId = new Statement<[], { id: number }>(`SELECT id FROM ${s}.jobs ORDER BY id DESC LIMIT 1`);
    this.#insert = new Statement<
      [
        preview: Buffer,
        action: BulkAction,
        query: string,
        queueGlobs: string | null,
        perSecond: number,
        reason: string | null,
        untilId: number,
        matched: number,
        now: Instant,
        createdBy: string,
      ],
      OperationRow
    >(
      `INSERT INTO ${s}.operations (preview, action, query, queue_globs, per_second, reason, state, until_id, matched,
         next_at, created_at, created_by)
       VALUES ($1, $2, $3, $4, $5, $6, 'running', $7, $8, $9, $9, $10) ON CONFLICT (preview) DO NOTHING RETURNING *`,
    );
    this.#byPreview = new Statement<[preview: Buffer], OperationRow>(
      `SELECT * FROM ${s}.operations WHERE preview = $1`,
    );
    this.#get = new Statement<[id: number], OperationRow>(`SELECT * FROM ${s}.operations WHERE id = $1`);
    this.#list = new Statement<[before: number, createdBy: string | null, limit: number], OperationRow>(
      `SELECT * FROM ${s}.operations WHERE id < $1 AND ($2::text IS NULL OR created_by = $2)
       ORDER BY id DESC LIMIT $3`,
    );
    this.#cancel = new Statement<[now: Instant, id: number], OperationRow>(
      `UPDATE ${s}.operations SET state = 'cancelled', finished_at = $1 WHERE id = $2 AND state = 'running'
       RETURNING *`,
    );
    this.#running = new Statement<[limit: number], OperationRow>(
      `SELECT * FROM ${s}.operations WHERE state = 'running' ORDER BY next_at LIMIT $1`,
    );
    this.#due = new Statement<[now: Instant, limit: number], { id: number }>(
      `SELECT id FROM ${s}.operations WHERE state = 'running' AND next_at <= $1 ORDER BY next_at LIMIT $2`,
    );
    this.#nextDue = new Statement<[], { next_at: Instant }>(
      `SELECT next_at FROM ${s}.operations WHERE state = 'running' ORDER BY next_at LIMIT 1`,
    );
    // One process at a time: whoever has the row takes the step, the others have something else to do.
    this.#lockDue = new Statement<[id: number, now: Instant], OperationRow>(
      `SELECT * FROM ${s}.operations WHERE id = $1 AND state = 'running' AND next_at <= $2 FOR UPDATE SKIP LOCKED`,
    );
    this.#advance = new Statement<
      [
        id: number,
        afterId: number,
        changed: number,
        nextAt: Instant,
        state: OperationState,
        finishedAt: Instant | null,
      ],
      OperationRow
    >(
      `UPDATE ${s}.operations SET after_id = $2, changed = changed + $3, next_at = $4, state = $5, finished_at = $6
       WHERE id = $1 RETURNING *`,
    );
  }

  lastJobId(): Promise<string> {
    return this.context.read(async (db) => String((await this.#lastJobId.get(db))?.id ?? 0));
  }

  start(operation: NewOperation): Promise<{ operation: Operation; repeated: boolean }> {
    const { preview, action, query, queueGlobs, perSecond, untilId, matched, createdBy } =
      columnsOf(operation);
    const reason = operation.reason === null ? null : JSON.stringify(operation.reason);
    return this.context.write(async (tx) => {
      const row = await this.#insert.get(
        tx,
        preview,
        action,
        query,
        queueGlobs,
        perSecond,
        reason,
        untilId,
        matched,
        tx.now,
        createdBy,
      );
      if (row === undefined) {
        const known = await this.#byPreview.get(tx, preview);
        // Removed in between.
        if (known === undefined) throw new TryAgain();
        return { operation: operationOf(known), repeated: true };
      }
      return { operation: reported(tx, row, "started"), repeated: false };
    });
  }

  async get(id: string): Promise<Operation | null> {
    const key = rowId(id);
    if (key === null) return null;
    return orNull(await this.context.read((db) => this.#get.get(db, key)));
  }

  async list(
    limit: number,
    beforeId: string | null,
    createdBy: string | null,
  ): Promise<readonly Operation[]> {
    const before = beforeId === null ? Number.MAX_SAFE_INTEGER : (rowId(beforeId) ?? 0);
    const rows = await this.context.read((db) => this.#list.all(db, before, createdBy, limit));
    return rows.map(operationOf);
  }

  async running(limit: number): Promise<readonly Operation[]> {
    return (await this.context.read((db) => this.#running.all(db, limit))).map(operationOf);
  }

  async cancel(id: string): Promise<Operation | null> {
    const key = rowId(id);
    if (key === null) return null;
    return this.context.write(async (tx) => {
      const row = await this.#cancel.get(tx, tx.now, key);
      return row === undefined ? orNull(await this.#get.get(tx, key)) : reported(tx, row, "cancelled");
    });
  }

  async due(limit: number): Promise<readonly string[]> {
    const rows = await this.context.look((db) => this.#due.all(db, this.context.clock.now(), limit));
    return rows.map(({ id }) => String(id));
  }

  nextDue(): Promise<Instant | null> {
    return this.context.look(async (db) => (await this.#nextDue.get(db))?.next_at ?? null);
  }

  async step(id: string): Promise<OperationStep | null> {
    const key = rowId(id);
    if (key === null) return null;
    return this.context.write(async (tx) => {
      const row = await this.#lockDue.get(tx, key, tx.now);
      if (row === undefined) return null;
      const { ids, afterId, isOver } = await this.#next(tx, row);
      // None when the job is gone or its state does not allow it.
      const jobs = (await this.#act(tx, row.action, ids)).flatMap((change) =>
        change.outcome === "changed" ? [change.job] : [],
      );
      const moved = await this.#advance.get(
        tx,
        row.id,
        afterId,
        jobs.length,
        tx.now + restAfter(row, jobs.length),
        isOver ? "completed" : "running",
        isOver ? tx.now : null,
      );
      if (moved === undefined) throw new Error(`Operation ${id} vanished inside a transaction`);
      return { operation: reported(tx, moved, isOver ? "completed" : "progressed"), jobs };
    });
  }

  /** The next jobs, and how far the walk is with them. Nobody else changes them until this transaction ends. */
  async #next(
    tx: Transaction,
    row: OperationRow,
  ): Promise<{ ids: readonly string[]; afterId: number; isOver: boolean }> {
    const { query, queueGlobs } = toOperation(row);
    const after = String(row.after_id);
    const { ids, lastExaminedId } = await this.search.matching(
      tx,
      query,
      queueGlobs,
      after,
      stepSize(row),
      MAX_EXAMINED,
    );
    const afterId = lastExaminedId === null ? row.until_id : Number(lastExaminedId);
    const meant = ids.filter((id) => Number(id) <= row.until_id);
    return {
      ids: await this.#stillMatching(tx, query, queueGlobs, meant),
      afterId,
      isOver: afterId >= row.until_id,
    };
  }

  /**
   * A job may have been claimed, or may have ended, since it was found: what was to cancel waiting jobs must not
   * cancel it. So it is asked again about those that are locked.
   */
  async #stillMatching(
    tx: Transaction,
    query: JobQuery,
    queueGlobs: readonly string[] | null,
    ids: readonly string[],
  ): Promise<readonly string[]> {
    const locked = [...(await this.#current.lock(tx, ids)).keys()];
    if (locked.length === 0) return [];
    const these: JobQuery = { terms: [{ kind: "text", field: "id", negated: false, values: locked }] };
    const both = bothQueries(these, query);
    const still: string[] = [];
    let place: string | null = null;
    do {
      // One answer is all there is, unless the search has run out of its time.
      const found: MatchingIds = await this.search.matching(
        tx,
        both,
        queueGlobs,
        place,
        locked.length,
        MAX_EXAMINED,
      );
      still.push(...found.ids);
      place = found.lastExaminedId;
    } while (place !== null && still.length < locked.length);
    return still;
  }

  #act(tx: Transaction, action: BulkAction, ids: readonly string[]): Promise<readonly JobChange[]> {
    switch (action) {
      case "retry":
        return this.byHand.revive(tx, ids);
      case "cancel":
        return this.byHand.cancel(tx, ids);
      case "delete":
        return this.byHand.delete(tx, ids, false);
    }
  }
}

/** Its reason is JSON text here: people may have put a NUL into it. */
function operationOf(row: OperationRow): Operation {
  return toOperation({
    ...row,
    reason: row.reason === null ? null : (JSON.parse(row.reason) as string),
  });
}

function orNull(row: OperationRow | undefined): Operation | null {
  return row === undefined ? null : operationOf(row);
}

/** The operation as it is after this action. */
function reported(tx: Transaction, row: OperationRow, action: OperationEvent["action"]): Operation {
  const operation = operationOf(row);
  const { id, changed } = operation;
  tx.ledger.journal.add({ type: "operation", id, action, changed });
  return operation;
}
