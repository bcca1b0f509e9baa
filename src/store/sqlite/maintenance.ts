import { MAX_INSTANT } from "../../core/defaults.js";
import type { FinishedState } from "../../core/states.js";
import type { MaintenanceStore, RecordAges, Retention } from "../maintenance.js";
import type { StatStep } from "../stats.js";
import type { SqliteContext } from "./context.js";
import type { RemovedRow } from "../removal.js";
import type { Remove } from "./remove.js";

export class SqliteMaintenance implements MaintenanceStore {
  readonly #finishedBefore;
  readonly #oldestCompleted;
  readonly #completedCount;
  readonly #pruneMinutes;
  readonly #pruneHours;
  readonly #pruneWorkers;
  readonly #pruneSessions;
  readonly #pruneOperations;
  readonly #pruneAudit;

  constructor(
    private readonly context: SqliteContext,
    private readonly remove: Remove,
  ) {
    const { db } = context;
    const finishedBefore = (state: FinishedState) =>
      db.prepare<[number, number, number], RemovedRow>(
        `SELECT id, queue, name, state, attempt, flow_id FROM jobs WHERE state = '${state}' AND finished_at < ?
           AND ${isKeptByNoFlow("?")}
         ORDER BY finished_at, id LIMIT ?`,
      );
    this.#finishedBefore = {
      completed: finishedBefore("completed"),
      dead: finishedBefore("dead"),
      cancelled: finishedBefore("cancelled"),
    };
    this.#oldestCompleted = db.prepare<[number], RemovedRow>(
      `SELECT id, queue, name, state, attempt, flow_id FROM jobs WHERE state = 'completed'
         AND ${isKeptByNoFlow(MAX_INSTANT)} ORDER BY finished_at, id LIMIT ?`,
    );
    this.#completedCount = db
      .prepare<[], number>("SELECT coalesce(sum(n), 0) FROM counts WHERE state = 'completed'")
      .pluck();
    const pruneStatements = (step: StatStep) =>
      [`${step}_events`, `${step}_durations`].map((table) =>
        db.prepare<[number]>(`DELETE FROM ${table} WHERE ${step} < ?`),
      );
    this.#pruneMinutes = pruneStatements("minute");
    this.#pruneHours = pruneStatements("hour");
    this.#pruneWorkers = db.prepare<[number]>("DELETE FROM workers WHERE seen_at < ?");
    this.#pruneSessions = db.prepare<[number]>("DELETE FROM sessions WHERE created_at < ?");
    this.#pruneOperations = db.prepare<[number]>("DELETE FROM operations WHERE finished_at < ?");
    this.#pruneAudit = db.prepare<[number]>("DELETE FROM audit WHERE at < ?");
  }

  async prune(retention: Retention, limit: number): Promise<number> {
    // Found first without the write lock: most of the time there is nothing.
    const found = await this.context.read(() => this.#outdated(retention, limit));
    if (found.length === 0) return 0;
    return this.context.write(() => {
      // The counters have to know what was removed before in the same transaction.
      this.context.ledger.flushCounts();
      const rows = this.#outdated(retention, limit);
      if (rows.length > 0) this.remove.rows(rows);
      return rows.length;
    });
  }

  async pruneRecords(ages: RecordAges): Promise<void> {
    await this.context.write(() => {
      const now = this.context.clock.now();
      for (const statement of this.#pruneMinutes) statement.run(now - ages.minutes);
      for (const statement of this.#pruneHours) statement.run(now - ages.hours);
      this.#pruneWorkers.run(now - ages.workers);
      this.#pruneSessions.run(now - ages.sessions);
      this.#pruneOperations.run(now - ages.operations);
      this.#pruneAudit.run(now - ages.audit);
    });
  }

  #outdated(retention: Retention, limit: number): RemovedRow[] {
    const now = this.context.clock.now();
    const rows: RemovedRow[] = [];
    const ages = [
      ["completed", retention.completedMs],
      ["cancelled", retention.cancelledMs],
      ["dead", retention.deadMs],
    ] as const;
    for (const [state, age] of ages) {
      const room = limit - rows.length;
      if (age !== null && room > 0) rows.push(...this.#finishedBefore[state].all(now - age, now - age, room));
    }
    return rows.length > 0 ? rows : this.#beyondCount(retention.maxCompleted, limit);
  }

  /** By the kept counter: ids have gaps, so their difference says nothing about how many there are. */
  #beyondCount(max: number | null, limit: number): RemovedRow[] {
    if (max === null) return [];
    const excess = (this.#completedCount.get() ?? 0) - max;
    return excess <= 0 ? [] : this.#oldestCompleted.all(Math.min(excess, limit));
  }
}

/** What others of its flow may still read of a job stays until all of them have ended, and as long after that. */
function isKeptByNoFlow(before: string | number): string {
  return `(flow_id IS NULL OR coalesce(
    (SELECT coalesce(flows.finished_at, ${MAX_INSTANT}) < ${before} FROM flows WHERE flows.id = flow_id), 1
  ))`;
}
