import type { BulkAction } from "../../core/bulk-action.js";
import type { Instant, Job } from "../../core/job.js";
import type { OperationEvent } from "../../core/journal.js";
import type { JobChange } from "../jobs.js";
import {
  columnsOf,
  MAX_EXAMINED,
  restAfter,
  stepSize,
  toOperation,
  type OperationRow,
} from "../operation-rows.js";
import type { NewOperation, Operation, OperationStep, OperationStore } from "../operations.js";
import type { ChangeByHand } from "./change-by-hand.js";
import type { SqliteContext } from "./context.js";
import type { JobSearch } from "./job-search/job-search.js";
import { rowId } from "../rows.js";

/** For the changes of one step: deleting large payloads takes its time. Then the next step goes on. */
const CHANGES_MS = 20;

export class SqliteOperations implements OperationStore {
  readonly #lastJobId;
  readonly #insert;
  readonly #byPreview;
  readonly #get;
  readonly #list;
  readonly #cancel;
  readonly #running;
  readonly #due;
  readonly #nextDue;
  readonly #advance;

  constructor(
    private readonly context: SqliteContext,
    private readonly search: JobSearch,
    private readonly byHand: ChangeByHand,
  ) {
    const { db } = context;
    this.#lastJobId = db.prepare<[], number>("SELECT value FROM sequences WHERE name = 'job'").pluck();
    this.#insert = db.prepare(
      `INSERT INTO operations (preview, action, query, queue_globs, per_second, reason, state, until_id, matched,
         next_at, created_at, created_by)
       VALUES (@preview, @action, @query, @queueGlobs, @perSecond, @reason, 'running', @untilId, @matched,
         @now, @now, @createdBy)`,
    );
    this.#byPreview = db.prepare<[Buffer], OperationRow>("SELECT * FROM operations WHERE preview = ?");
    this.#get = db.prepare<[number], OperationRow>("SELECT * FROM operations WHERE id = ?");
    this.#list = db.prepare<[{ before: number; createdBy: string | null; limit: number }], OperationRow>(
      `SELECT * FROM operations WHERE id < @before AND (@createdBy IS NULL OR created_by = @createdBy)
       ORDER BY id DESC LIMIT @limit`,
    );
    this.#cancel = db.prepare<[number, number]>(
      "UPDATE operations SET state = 'cancelled', finished_at = ? WHERE id = ? AND state = 'running'",
    );
    this.#running = db.prepare<[number], OperationRow>(
      "SELECT * FROM operations WHERE state = 'running' ORDER BY next_at LIMIT ?",
    );
    this.#due = db
      .prepare<[number, number], number>(
        "SELECT id FROM operations WHERE state = 'running' AND next_at <= ? ORDER BY next_at LIMIT ?",
      )
      .pluck();
    this.#nextDue = db
      .prepare<[], number>("SELECT next_at FROM operations WHERE state = 'running' ORDER BY next_at LIMIT 1")
      .pluck();
    this.#advance = db.prepare(
      `UPDATE operations SET after_id = @afterId, changed = changed + @changed, next_at = @nextAt,
         state = @state, finished_at = @finishedAt WHERE id = @id`,
    );
  }

  lastJobId(): Promise<string> {
    return this.context.read(() => String(this.#lastJobId.get() ?? 0));
  }

  start(operation: NewOperation): Promise<{ operation: Operation; repeated: boolean }> {
    return this.context.write(() => {
      const known = this.#byPreview.get(operation.preview);
      if (known !== undefined) return { operation: toOperation(known), repeated: true };
      const { lastInsertRowid } = this.#insert.run({
        ...columnsOf(operation),
        now: this.context.clock.now(),
      });
      const started = this.#existing(Number(lastInsertRowid));
      this.#report(started, "started");
      return { operation: started, repeated: false };
    });
  }

  get(id: string): Promise<Operation | null> {
    return this.context.read(() => {
      const row = this.#row(id);
      return row === undefined ? null : toOperation(row);
    });
  }

  list(limit: number, beforeId: string | null, createdBy: string | null): Promise<readonly Operation[]> {
    const before = beforeId === null ? Number.MAX_SAFE_INTEGER : (rowId(beforeId) ?? 0);
    return this.context.read(() => this.#list.all({ before, createdBy, limit }).map(toOperation));
  }

  running(limit: number): Promise<readonly Operation[]> {
    return this.context.read(() => this.#running.all(limit).map(toOperation));
  }

  cancel(id: string): Promise<Operation | null> {
    return this.context.write(() => {
      const row = this.#row(id);
      if (row === undefined) return null;
      const { changes } = this.#cancel.run(this.context.clock.now(), row.id);
      const operation = this.#existing(row.id);
      if (changes === 1) this.#report(operation, "cancelled");
      return operation;
    });
  }

  due(limit: number): Promise<readonly string[]> {
    return this.context.read(() => this.#due.all(this.context.clock.now(), limit).map(String));
  }

  nextDue(): Promise<Instant | null> {
    return this.context.read(() => this.#nextDue.get() ?? null);
  }

  step(id: string): Promise<OperationStep | null> {
    return this.context.write(() => {
      const row = this.#row(id);
      if (row?.state !== "running" || row.next_at > this.context.clock.now()) return null;
      const next = this.#next(row);
      const { jobs, lastId } = this.#changeSome(row.action, next.ids);
      const { afterId, isOver } =
        lastId === next.ids.at(-1) ? next : { afterId: Number(lastId), isOver: false };
      this.#move(row, jobs.length, afterId, isOver);
      const operation = this.#existing(row.id);
      this.#report(operation, isOver ? "completed" : "progressed");
      return { operation, jobs };
    });
  }

  /** The next jobs, and how far the walk is with them. */
  #next(row: OperationRow): { ids: readonly string[]; afterId: number; isOver: boolean } {
    const { query, queueGlobs } = toOperation(row);
    const after = String(row.after_id);
    const { ids, lastExaminedId } = this.search.matching(
      query,
      queueGlobs,
      after,
      stepSize(row),
      MAX_EXAMINED,
    );
    const afterId = lastExaminedId === null ? row.until_id : Number(lastExaminedId);
    const meant = ids.filter((id) => Number(id) <= row.until_id);
    return { ids: meant, afterId, isOver: afterId >= row.until_id };
  }

  /** As many as there is time for, and at least the first. `lastId`: how far that went. */
  #changeSome(action: BulkAction, ids: readonly string[]): { jobs: Job[]; lastId: string | undefined } {
    const { clock } = this.context;
    const deadline = clock.monotonic() + CHANGES_MS;
    const jobs: Job[] = [];
    for (const id of ids) {
      jobs.push(...this.#change(action, id));
      if (clock.monotonic() >= deadline) return { jobs, lastId: id };
    }
    return { jobs, lastId: ids.at(-1) };
  }

  /** None when the job is gone or its state does not allow it: the query is right about both at this very moment. */
  #change(action: BulkAction, id: string): Job[] {
    const change = this.#act(action, id);
    return change.outcome === "changed" ? [change.job] : [];
  }

  #act(action: BulkAction, id: string): JobChange {
    switch (action) {
      case "retry":
        return this.byHand.revive(id);
      case "cancel":
        return this.byHand.cancel(id);
      case "delete":
        return this.byHand.delete(id, false);
    }
  }

  #move(row: OperationRow, changed: number, afterId: number, isOver: boolean): void {
    const now = this.context.clock.now();
    this.#advance.run({
      id: row.id,
      afterId,
      changed,
      nextAt: now + restAfter(row, changed),
      state: isOver ? "completed" : "running",
      finishedAt: isOver ? now : null,
    });
    this.context.step("operation:move");
  }

  #report({ id, changed }: Operation, action: OperationEvent["action"]): void {
    this.context.journal.add({ type: "operation", id, action, changed });
  }

  #row(id: string): OperationRow | undefined {
    const key = rowId(id);
    return key === null ? undefined : this.#get.get(key);
  }

  #existing(id: number): Operation {
    const row = this.#get.get(id);
    if (row === undefined) throw new Error(`Operation ${id} vanished inside a transaction`);
    return toOperation(row);
  }
}
