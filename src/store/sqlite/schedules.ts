import type { Enqueued, Instant } from "../../core/job.js";
import type { ScheduleEvent } from "../../core/journal.js";
import type { Schedule, ScheduleRun, Slot } from "../../core/schedule.js";
import type {
  Fired,
  Firing,
  NewJobOfSlot,
  SchedulePage,
  ScheduleStore,
  ScheduleWrite,
} from "../schedules.js";
import {
  columnsOf,
  toSchedule,
  toScheduleRun,
  type ScheduleRow,
  type ScheduleRunRow,
} from "../schedule-rows.js";
import type { SqliteContext } from "./context.js";
import { Enqueue } from "./enqueue.js";
import { Fire, unfinishedJobOf } from "./fire.js";

export class SqliteSchedules implements ScheduleStore {
  readonly #fire;
  readonly #get;
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

  constructor(private readonly context: SqliteContext) {
    const { db } = context;
    this.#fire = new Fire(context, new Enqueue(context));
    this.#get = db.prepare<[string], ScheduleRow>("SELECT * FROM schedules WHERE key = ?");
    this.#list = db.prepare<[string, number], ScheduleRow>(
      "SELECT * FROM schedules WHERE key > ? ORDER BY key LIMIT ?",
    );
    this.#insert = db.prepare(
      `INSERT INTO schedules (key, source, cron, every_ms, timezone, start_at, end_at, job, payload, missed,
         max_missed, overlap, jitter_ms, next_slot, next_at, created_at, updated_at, version)
       VALUES (@key, @source, @cron, @everyMs, @timezone, @startAt, @endAt, @job, @payload, @missed,
         @maxMissed, @overlap, @jitterMs, @nextSlot, @nextAt, @now, @now, @version)`,
    );
    this.#update = db.prepare(
      `UPDATE schedules SET source = @source, cron = @cron, every_ms = @everyMs, timezone = @timezone,
         start_at = @startAt, end_at = @endAt, job = @job, payload = @payload, missed = @missed,
         max_missed = @maxMissed, overlap = @overlap, jitter_ms = @jitterMs, problem = NULL,
         next_slot = iif(@keep, next_slot, @nextSlot), next_at = iif(@keep, next_at, @nextAt),
         updated_at = @now, version = @version
       WHERE key = @key`,
    );
    this.#deleteRuns = db.prepare<[string]>("DELETE FROM schedule_runs WHERE key = ?");
    this.#delete = db.prepare<[string]>("DELETE FROM schedules WHERE key = ?");
    this.#pause = db.prepare<[number, string | null, number, number, string]>(
      `UPDATE schedules SET paused_at = coalesce(paused_at, ?), pause_reason = ?, updated_at = ?, version = ?
       WHERE key = ?`,
    );
    this.#resume = db.prepare<[number | null, number | null, number, number, string, number]>(
      `UPDATE schedules SET paused_at = NULL, pause_reason = NULL, problem = NULL, next_slot = ?, next_at = ?, updated_at = ?,
         version = ? WHERE key = ? AND version = ?`,
    );
    this.#stop = db.prepare<[string, string, number]>(
      "UPDATE schedules SET next_slot = NULL, next_at = NULL, problem = ? WHERE key = ? AND version = ?",
    );
    this.#due = db.prepare<[number, number], ScheduleRow>(
      `SELECT * FROM schedules WHERE next_at <= ? AND paused_at IS NULL
       ORDER BY next_at LIMIT ?`,
    );
    this.#stopped = db.prepare<[number], ScheduleRow>(
      "SELECT * FROM schedules WHERE problem IS NOT NULL ORDER BY key LIMIT ?",
    );
    this.#nextDue = db
      .prepare<[], number>(
        `SELECT next_at FROM schedules WHERE next_at IS NOT NULL AND paused_at IS NULL ORDER BY next_at LIMIT 1`,
      )
      .pluck();
    this.#unblocked = db.prepare<[number], ScheduleRow>(
      `SELECT * FROM schedules WHERE waiting_slot IS NOT NULL AND paused_at IS NULL
         AND problem IS NULL AND NOT EXISTS (${unfinishedJobOf("schedules.key")}) ORDER BY key LIMIT ?`,
    );
    this.#runs = db.prepare<[string, number, number], ScheduleRunRow>(
      `SELECT schedule_runs.*, state FROM schedule_runs LEFT JOIN jobs ON jobs.id = job_id
       WHERE key = ? AND seq < ? ORDER BY seq DESC LIMIT ?`,
    );
    // The latest entries of a history are never removed, so their numbers follow one another.
    this.#latestRuns = db.prepare<[string, number], ScheduleRunRow & { readonly key: string }>(
      `SELECT schedule_runs.*, state FROM json_each(?) CROSS JOIN schedules ON schedules.key = value
         CROSS JOIN schedule_runs ON schedule_runs.key = schedules.key AND seq > last_seq - ?
         LEFT JOIN jobs ON jobs.id = job_id
       ORDER BY schedule_runs.key, seq DESC`,
    );
  }

  get(key: string): Promise<Schedule | null> {
    return this.context.read(() => this.#find(key));
  }

  list(limit: number, after: string | null): Promise<SchedulePage> {
    return this.context.read(() => {
      const rows = this.#list.all(after ?? "", limit + 1);
      const items = rows.slice(0, limit).map(toSchedule);
      return { items, next: rows.length > limit ? (items.at(-1)?.key ?? null) : null };
    });
  }

  write({ key, definition, source, next, expectedVersion }: ScheduleWrite): Promise<Schedule | null> {
    return this.context.write(() => {
      const row = this.#get.get(key);
      if ((row?.version ?? 0) !== expectedVersion) return null;
      const now = this.context.clock.now();
      const slot = next === "keep" ? null : next;
      if (slot !== null && slot.slot <= Math.max(now, row?.last_slot ?? 0)) return null;
      const values = {
        ...columnsOf(definition),
        key,
        source,
        nextSlot: slot?.slot ?? null,
        nextAt: slot?.at ?? null,
        now,
        version: this.#newVersion(),
      };
      if (expectedVersion === 0) this.#insert.run(values);
      else this.#update.run({ ...values, keep: next === "keep" ? 1 : 0 });
      if (definition.overlap !== "queue") this.#fire.dropWaiting(key);
      this.context.changes.schedules();
      this.#report(key, definition.job.queue, "written");
      return this.#find(key);
    });
  }

  delete(key: string, version: number | null = null): Promise<"deleted" | "missing" | "changed"> {
    return this.context.write(() => {
      const schedule = this.#find(key);
      if (schedule === null) return "missing";
      if (version !== null && schedule.version !== version) return "changed";
      this.#deleteRuns.run(key);
      this.#delete.run(key);
      this.#report(key, schedule.job.queue, "deleted");
      return "deleted";
    });
  }

  pause(key: string, reason: string | null): Promise<Schedule | null> {
    return this.context.write(() => {
      const now = this.context.clock.now();
      this.#pause.run(now, reason, now, this.#newVersion(), key);
      return this.#reported(key, "paused");
    });
  }

  resume(key: string, version: number, next: Slot | null): Promise<Schedule | null> {
    return this.context.write(() => {
      const now = this.context.clock.now();
      const { changes } = this.#resume.run(
        next?.slot ?? null,
        next?.at ?? null,
        now,
        this.#newVersion(),
        key,
        version,
      );
      if (changes === 0) return null;
      this.context.changes.schedules();
      return this.#reported(key, "resumed");
    });
  }

  due(limit: number): Promise<readonly Schedule[]> {
    return this.context.read(() => this.#due.all(this.context.clock.now(), limit).map(toSchedule));
  }

  stopped(limit: number): Promise<readonly Schedule[]> {
    return this.context.read(() => this.#stopped.all(limit).map(toSchedule));
  }

  nextDue(): Promise<Instant | null> {
    return this.context.read(() => this.#nextDue.get() ?? null);
  }

  unblocked(limit: number): Promise<readonly Schedule[]> {
    return this.context.read(() => this.#unblocked.all(limit).map(toSchedule));
  }

  fire(firings: readonly Firing[]): Promise<readonly (readonly Fired[] | null)[]> {
    // One write each: they share a transaction, unless they take too long for one.
    return Promise.all(firings.map((firing) => this.context.write(() => this.#fire.slots(firing))));
  }

  fireWaiting(key: string, waiting: NewJobOfSlot): Promise<Fired | null> {
    return this.context.write(() => this.#fire.startWaiting(key, waiting));
  }

  runNow(key: string, job: NewJobOfSlot): Promise<Enqueued | null> {
    return this.context.write(() => {
      const row = this.#get.get(key);
      return row === undefined ? null : this.#fire.byHand(key, job, row.overlap);
    });
  }

  stop(key: string, version: number, problem: string): Promise<boolean> {
    return this.context.write(() => {
      const stopped = this.#stop.run(problem, key, version).changes === 1;
      if (stopped) this.#reported(key, "stopped");
      return stopped;
    });
  }

  runs(key: string, limit: number, beforeSeq: number | null): Promise<readonly ScheduleRun[]> {
    return this.context.read(() =>
      this.#runs.all(key, beforeSeq ?? Number.MAX_SAFE_INTEGER, limit).map(toScheduleRun),
    );
  }

  latestRuns(keys: readonly string[], limit: number): Promise<ReadonlyMap<string, readonly ScheduleRun[]>> {
    return this.context.read(() => {
      const runs = new Map<string, ScheduleRun[]>();
      for (const row of this.#latestRuns.iterate(JSON.stringify(keys), limit)) {
        const ofKey = runs.get(row.key);
        if (ofKey === undefined) runs.set(row.key, [toScheduleRun(row)]);
        else ofKey.push(toScheduleRun(row));
      }
      return runs;
    });
  }

  #newVersion(): number {
    return this.context.sequences.take("schedule_version", 1) + 1;
  }

  /** The schedule as it is after this action. */
  #reported(key: string, action: ScheduleEvent["action"]): Schedule | null {
    const schedule = this.#find(key);
    if (schedule !== null) this.#report(key, schedule.job.queue, action);
    return schedule;
  }

  #report(key: string, queue: string, action: ScheduleEvent["action"]): void {
    this.context.journal.add({ type: "schedule", key, queue, action, slot: null, jobId: null });
  }

  #find(key: string): Schedule | null {
    const row = this.#get.get(key);
    return row === undefined ? null : toSchedule(row);
  }
}
