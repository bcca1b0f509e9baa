import type { Enqueued, Instant } from "../../core/job.js";
import type { ScheduleEvent } from "../../core/journal.js";
import type { Schedule, ScheduleRun, Slot } from "../../core/schedule.js";
import {
  columnsOf,
  toSchedule,
  toScheduleRun,
  type ScheduleRow,
  type ScheduleRunRow,
} from "../schedule-rows.js";
import type {
  Fired,
  Firing,
  NewJobOfSlot,
  SchedulePage,
  ScheduleStore,
  ScheduleWrite,
} from "../schedules.js";
import type { PostgresContext } from "./context.js";
import { Enqueue } from "./enqueue.js";
import { Fire, unfinishedJobOf } from "./fire.js";
import { Statement } from "./statement.js";
import type { Transaction } from "./transaction.js";

export class PostgresSchedules implements ScheduleStore {
  readonly #fire;
  readonly #get;
  readonly #lock;
  readonly #list;
  readonly #insert;
  readonly #update;
  readonly #deleteRuns;
  readonly #delete;
  readonly #pause;
  readonly #resume;
  readonly #stop;
  readonly #due;
  readonly #stopped;
  readonly #nextDue;
  readonly #unblocked;
  readonly #runs;
  readonly #latestRuns;

  constructor(private readonly context: PostgresContext) {
    const { s } = context;
    this.#fire = new Fire(context, new Enqueue(context));
    this.#get = new Statement<[key: string], ScheduleRow>(`SELECT * FROM ${s}.schedules WHERE key = $1`);
    this.#lock = new Statement<[key: string], ScheduleRow>(
      `SELECT * FROM ${s}.schedules WHERE key = $1 FOR UPDATE`,
    );
    this.#list = new Statement<[after: string, limit: number], ScheduleRow>(
      `SELECT * FROM ${s}.schedules WHERE key > $1 ORDER BY key LIMIT $2`,
    );
    const version = `nextval('${s}.schedule_versions')`;
    // Nothing where somebody else has made it meanwhile.
    this.#insert = new Statement<[written: string], ScheduleRow>(
      `INSERT INTO ${s}.schedules (key, source, cron, every_ms, timezone, start_at, end_at, job, payload, missed,
         max_missed, overlap, jitter_ms, next_slot, next_at, created_at, updated_at, version)
       SELECT key, source, cron, "everyMs", timezone, "startAt", "endAt", job, payload, missed,
         "maxMissed", overlap, "jitterMs", "nextSlot", "nextAt", now, now, ${version} FROM ${WRITTEN}
       ON CONFLICT DO NOTHING RETURNING *`,
    );
    this.#update = new Statement<[written: string], ScheduleRow>(
      `UPDATE ${s}.schedules SET source = written.source, cron = written.cron, every_ms = "everyMs",
         timezone = written.timezone, start_at = "startAt", end_at = "endAt", job = written.job,
         payload = written.payload, missed = written.missed, max_missed = "maxMissed", overlap = written.overlap,
         jitter_ms = "jitterMs", problem = NULL,
         next_slot = CASE WHEN keep THEN next_slot ELSE "nextSlot" END,
         next_at = CASE WHEN keep THEN next_at ELSE "nextAt" END, updated_at = now, version = ${version}
       FROM ${WRITTEN} WHERE schedules.key = written.key RETURNING schedules.*`,
    );
    this.#deleteRuns = new Statement<[key: string], never>(`DELETE FROM ${s}.schedule_runs WHERE key = $1`);
    this.#delete = new Statement<[key: string], never>(`DELETE FROM ${s}.schedules WHERE key = $1`);
    this.#pause = new Statement<[now: Instant, reason: string | null, key: string], ScheduleRow>(
      `UPDATE ${s}.schedules SET paused_at = coalesce(paused_at, $1), pause_reason = $2, updated_at = $1,
         version = ${version} WHERE key = $3 RETURNING *`,
    );
    this.#resume = new Statement<
      [slot: Instant | null, at: Instant | null, now: Instant, key: string, version: number],
      ScheduleRow
    >(
      `UPDATE ${s}.schedules SET paused_at = NULL, pause_reason = NULL, problem = NULL, next_slot = $1, next_at = $2,
         updated_at = $3, version = ${version} WHERE key = $4 AND version = $5 RETURNING *`,
    );
    this.#stop = new Statement<[problem: string, key: string, version: number], ScheduleRow>(
      `UPDATE ${s}.schedules SET next_slot = NULL, next_at = NULL, problem = $1
       WHERE key = $2 AND version = $3 RETURNING *`,
    );
    this.#due = new Statement<[now: Instant, limit: number], ScheduleRow>(
      `SELECT * FROM ${s}.schedules WHERE next_at <= $1 AND paused_at IS NULL ORDER BY next_at LIMIT $2`,
    );
    this.#stopped = new Statement<[limit: number], ScheduleRow>(
      `SELECT * FROM ${s}.schedules WHERE problem IS NOT NULL ORDER BY key LIMIT $1`,
    );
    this.#nextDue = new Statement<[], { next_at: Instant }>(
      `SELECT next_at FROM ${s}.schedules WHERE next_at IS NOT NULL AND paused_at IS NULL ORDER BY next_at LIMIT 1`,
    );
    this.#unblocked = new Statement<[limit: number], ScheduleRow>(
      `SELECT * FROM ${s}.schedules WHERE waiting_slot IS NOT NULL AND paused_at IS NULL
         AND problem IS NULL AND NOT EXISTS (${unfinishedJobOf(s, "schedules.key")}) ORDER BY key LIMIT $1`,
    );
    const run =
      "schedule_runs.key, seq, slot, through, manual::int AS manual, fired_at, outcome, job_id, state";
    this.#runs = new Statement<[key: string, before: number, limit: number], ScheduleRunRow>(
      `SELECT ${run} FROM ${s}.schedule_runs LEFT JOIN ${s}.jobs ON jobs.id = job_id
       WHERE key = $1 AND seq < $2 ORDER BY seq DESC LIMIT $3`,
    );
    // The latest entries of a history are never removed, so their numbers follow one another.
    this.#latestRuns = new Statement<
      [keys: readonly string[], limit: number],
      ScheduleRunRow & { readonly key: string }
    >(
      `SELECT ${run} FROM ${s}.schedules
         JOIN ${s}.schedule_runs ON schedule_runs.key = schedules.key AND seq > last_seq - $2
         LEFT JOIN ${s}.jobs ON jobs.id = job_id
       WHERE schedules.key = ANY($1::text[]) ORDER BY schedule_runs.key, seq DESC`,
    );
  }

  get(key: string): Promise<Schedule | null> {
    return this.context.read(async (db) => orNull(await this.#get.get(db, key)));
  }

  async list(limit: number, after: string | null): Promise<SchedulePage> {
    const rows = await this.context.read((db) => this.#list.all(db, after ?? "", limit + 1));
    const items = rows.slice(0, limit).map(scheduleOf);
    return { items, next: rows.length > limit ? (items.at(-1)?.key ?? null) : null };
  }

  write({ key, definition, source, next, expectedVersion }: ScheduleWrite): Promise<Schedule | null> {
    return this.context.write(async (tx) => {
      const before = await this.#lock.get(tx, key);
      if ((before?.version ?? 0) !== expectedVersion) return null;
      const slot = next === "keep" ? null : next;
      if (slot !== null && slot.slot <= Math.max(tx.now, before?.last_slot ?? 0)) return null;
      const written = {
        ...columnsOf(definition),
        key,
        source,
        nextSlot: slot?.slot ?? null,
        nextAt: slot?.at ?? null,
        keep: next === "keep",
        now: tx.now,
      };
      const statement = before === undefined ? this.#insert : this.#update;
      const row = await statement.get(tx, JSON.stringify(written));
      if (row === undefined) return null;
      if (definition.overlap !== "queue") await this.#fire.dropWaiting(tx, key);
      tx.changes.schedules();
      report(tx, scheduleOf(row), "written");
      return orNull(await this.#get.get(tx, key));
    });
  }

  delete(key: string, version: number | null = null): Promise<"deleted" | "missing" | "changed"> {
    return this.context.write(async (tx) => {
      const schedule = orNull(await this.#lock.get(tx, key));
      if (schedule === null) return "missing";
      if (version !== null && schedule.version !== version) return "changed";
      await this.#deleteRuns.run(tx, key);
      await this.#delete.run(tx, key);
      report(tx, schedule, "deleted");
      return "deleted";
    });
  }

  pause(key: string, reason: string | null): Promise<Schedule | null> {
    const text = reason === null ? null : JSON.stringify(reason);
    return this.context.write(async (tx) =>
      reported(tx, await this.#pause.get(tx, tx.now, text, key), "paused"),
    );
  }

  resume(key: string, version: number, next: Slot | null): Promise<Schedule | null> {
    return this.context.write(async (tx) => {
      const row = await this.#resume.get(tx, next?.slot ?? null, next?.at ?? null, tx.now, key, version);
      if (row !== undefined) tx.changes.schedules();
      return reported(tx, row, "resumed");
    });
  }

  due(limit: number): Promise<readonly Schedule[]> {
    return this.context.look(async (db) =>
      (await this.#due.all(db, this.context.clock.now(), limit)).map(scheduleOf),
    );
  }

  stopped(limit: number): Promise<readonly Schedule[]> {
    return this.context.read(async (db) => (await this.#stopped.all(db, limit)).map(scheduleOf));
  }

  nextDue(): Promise<Instant | null> {
    return this.context.look(async (db) => (await this.#nextDue.get(db))?.next_at ?? null);
  }

  unblocked(limit: number): Promise<readonly Schedule[]> {
    return this.context.look(async (db) => (await this.#unblocked.all(db, limit)).map(scheduleOf));
  }

  async fire(firings: readonly Firing[]): Promise<readonly (readonly Fired[] | null)[]> {
    if (firings.length === 0) return [];
    // Of several firings of one schedule the later ones come too late.
    const firsts = new Map(firings.map(({ key }, index) => [key, index] as const).toReversed());
    const isFirst = ({ key }: Firing, index: number) => firsts.get(key) === index;
    const fired = await this.context.write((tx) => this.#fire.slots(tx, firings.filter(isFirst)));
    return firings.map((firing, index) => (isFirst(firing, index) ? (fired.get(firing.key) ?? null) : null));
  }

  fireWaiting(key: string, waiting: NewJobOfSlot): Promise<Fired | null> {
    return this.context.write((tx) => this.#fire.startWaiting(tx, key, waiting));
  }

  runNow(key: string, job: NewJobOfSlot): Promise<Enqueued | null> {
    return this.context.write((tx) => this.#fire.byHand(tx, key, job));
  }

  stop(key: string, version: number, problem: string): Promise<boolean> {
    return this.context.write(async (tx) => {
      const row = await this.#stop.get(tx, JSON.stringify(problem), key, version);
      return reported(tx, row, "stopped") !== null;
    });
  }

  async runs(key: string, limit: number, beforeSeq: number | null): Promise<readonly ScheduleRun[]> {
    const rows = await this.context.read((db) =>
      this.#runs.all(db, key, beforeSeq ?? Number.MAX_SAFE_INTEGER, limit),
    );
    return rows.map(toScheduleRun);
  }

  async latestRuns(
    keys: readonly string[],
    limit: number,
  ): Promise<ReadonlyMap<string, readonly ScheduleRun[]>> {
    const rows = await this.context.read((db) => this.#latestRuns.all(db, keys, limit));
    const runs = new Map<string, ScheduleRun[]>();
    for (const row of rows) {
      const ofKey = runs.get(row.key);
      if (ofKey === undefined) runs.set(row.key, [toScheduleRun(row)]);
      else ofKey.push(toScheduleRun(row));
    }
    return runs;
  }
}

/** What is written, as a table of one row with the names of `columnsOf`. */
const WRITTEN = `json_to_record($1::json) AS written (key text, source text, cron text, "everyMs" bigint,
  timezone text, "startAt" bigint, "endAt" bigint, job text, payload text, missed text, "maxMissed" int,
  overlap text, "jitterMs" bigint, "nextSlot" bigint, "nextAt" bigint, keep boolean, now bigint)`;

/** Two columns hold JSON text here: what people and programs write may have a NUL in it. */
function scheduleOf(row: ScheduleRow): Schedule {
  const { pauseReason, problem, ...schedule } = toSchedule(row);
  return { ...schedule, pauseReason: textOf(pauseReason), problem: textOf(problem) };
}

function textOf(json: string | null): string | null {
  return json === null ? null : (JSON.parse(json) as string);
}

function orNull(row: ScheduleRow | undefined): Schedule | null {
  return row === undefined ? null : scheduleOf(row);
}

/** The schedule as it is after this action. */
function reported(
  tx: Transaction,
  row: ScheduleRow | undefined,
  action: ScheduleEvent["action"],
): Schedule | null {
  const schedule = orNull(row);
  if (schedule !== null) report(tx, schedule, action);
  return schedule;
}

function report(tx: Transaction, { key, job: { queue } }: Schedule, action: ScheduleEvent["action"]): void {
  tx.ledger.journal.add({ type: "schedule", key, queue, action, slot: null, jobId: null });
}
