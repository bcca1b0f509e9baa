import { MAX_INSTANT } from "../../core/defaults.js";
import type { Instant } from "../../core/job.js";
import type { FinishedState } from "../../core/states.js";
import type { MaintenanceStore, RecordAges, Retention } from "../maintenance.js";
import type { RemovedRow } from "../removal.js";
import type { StatStep } from "../stats.js";
import type { Queryable } from "./connection.js";
import type { PostgresContext } from "./context.js";
import { FoldAll } from "./fold.js";
import type { Remove } from "./remove.js";
import { Statement } from "./statement.js";

const ROW = "id, queue, name, state, attempt, flow_id";

export class PostgresMaintenance implements MaintenanceStore {
  readonly #fold;
  readonly #finishedBefore;
  readonly #lockFinishedBefore;
  readonly #beyondCount;
  readonly #lockBeyondCount;
  readonly #prune;

  constructor(
    private readonly context: PostgresContext,
    private readonly remove: Remove,
  ) {
    const { s } = context;
    this.#fold = new FoldAll(s);
    // What others of its flow may still read of a job stays until all of them have ended, and as long after that.
    const keptByNoFlow = (before: string | number) =>
      `(flow_id IS NULL OR coalesce(
         (SELECT coalesce(finished_at, ${MAX_INSTANT}) < ${before} FROM ${s}.flows WHERE flows.id = flow_id), true
       ))`;
    const finishedBefore = (state: FinishedState, lock: string) =>
      new Statement<[before: Instant, limit: number], RemovedRow>(
        `SELECT ${ROW} FROM ${s}.jobs WHERE state = '${state}' AND finished_at < $1 AND ${keptByNoFlow("$1::bigint")}
         ORDER BY finished_at, id LIMIT $2 ${lock}`,
      );
    const ofEachState = (lock: string) => ({
      completed: finishedBefore("completed", lock),
      dead: finishedBefore("dead", lock),
      cancelled: finishedBefore("cancelled", lock),
    });
    this.#finishedBefore = ofEachState("");
    // Another process that does the same takes the ones behind.
    this.#lockFinishedBefore = ofEachState("FOR UPDATE SKIP LOCKED");
    // By the kept counter: ids have gaps, so their difference says nothing about how many there are.
    const oldestBeyond = `SELECT id FROM ${s}.jobs WHERE state = 'completed' AND ${keptByNoFlow(MAX_INSTANT)}
      ORDER BY finished_at, id LIMIT (SELECT least($2::bigint, greatest(sum(n) - $1::bigint, 0))::bigint FROM ${s}.counts WHERE state = 'completed')`;
    const beyondCount = (lock: string) =>
      new Statement<[max: number, limit: number], RemovedRow>(
        `SELECT ${ROW} FROM ${s}.jobs WHERE state = 'completed' AND id IN (${oldestBeyond}) ORDER BY id ${lock}`,
      );
    this.#beyondCount = beyondCount("");
    // The surplus is counted and found at one moment, and only then is that passed over which another process removes:
    // nobody takes those behind, which are to stay.
    this.#lockBeyondCount = beyondCount("FOR UPDATE SKIP LOCKED");
    const rollUps = (step: StatStep) =>
      [`folded_${step}_events`, `folded_${step}_durations`].map((table) => [table, step] as const);
    const older = (table: string, column: string) =>
      new Statement<[before: Instant], never>(`DELETE FROM ${s}.${table} WHERE ${column} < $1`);
    this.#prune = {
      minutes: rollUps("minute").map(([table, step]) => older(table, step)),
      hours: rollUps("hour").map(([table, step]) => older(table, step)),
      workers: [older("workers", "seen_at")],
      sessions: [older("sessions", "created_at")],
      operations: [older("operations", "finished_at")],
      audit: [older("audit", "at")],
    };
  }

  async prune(retention: Retention, limit: number): Promise<number> {
    // Found first without a lock: most of the time there is nothing.
    const { clock } = this.context;
    const found = await this.context.read((db) => this.#outdated(db, clock.now(), retention, limit, false));
    if (found.length === 0) return 0;
    return this.context.write(async (tx) => {
      const rows = await this.#outdated(tx, tx.now, retention, limit, true);
      await this.remove.rows(tx, rows);
      return rows.length;
    });
  }

  async pruneRecords(ages: RecordAges): Promise<void> {
    // What is old and not added up yet would be added to what has gone.
    await this.context.write((tx) => this.#fold.run(tx));
    await this.context.write(async (tx) => {
      // A statement for each table, once in a while.
      for (const kind of KINDS) {
        for (const statement of this.#prune[kind]) await statement.run(tx, tx.now - ages[kind]);
      }
    });
  }

  async #outdated(
    db: Queryable,
    now: Instant,
    retention: Retention,
    limit: number,
    lock: boolean,
  ): Promise<RemovedRow[]> {
    const statements = lock ? this.#lockFinishedBefore : this.#finishedBefore;
    const rows: RemovedRow[] = [];
    const ages = [
      ["completed", retention.completedMs],
      ["cancelled", retention.cancelledMs],
      ["dead", retention.deadMs],
    ] as const;
    for (const [state, age] of ages) {
      const room = limit - rows.length;
      if (age !== null && room > 0) rows.push(...(await statements[state].all(db, now - age, room)));
    }
    if (rows.length > 0 || retention.maxCompleted === null) return rows;
    const beyondCount = lock ? this.#lockBeyondCount : this.#beyondCount;
    return beyondCount.all(db, retention.maxCompleted, limit);
  }
}

const KINDS = ["minutes", "hours", "workers", "sessions", "operations", "audit"] as const;
