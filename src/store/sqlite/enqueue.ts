import { KonveierError } from "../../core/errors.js";
import type { Enqueued } from "../../core/job.js";
import { scopedKey } from "../../core/unique.js";
import { Admission, arrivalsOf, changedJobs, expiryOf, runAtOf, stateAt, type Target } from "../admission.js";
import type { JobState } from "../../core/states.js";
import type { NewJob } from "../jobs.js";
import type { SqliteContext } from "./context.js";
import { toJob, type JobRow } from "../rows.js";
import { Redefine } from "./redefine.js";
import { Room } from "./room.js";
import { UniqueKeys } from "./unique-keys.js";

interface KeyRow {
  readonly fingerprint: string;
  readonly job_id: number;
}

const JOB_COLUMNS = [
  "id",
  "queue",
  "name",
  "state",
  "priority",
  "max_attempts",
  "created_at",
  "run_at",
  "expires_at",
  "keys",
];
/** In the order of `specOf`. */
const SPEC_COLUMNS = [
  "job_id",
  "payload",
  "budget",
  "timeout_ms",
  "backoff",
  "tags",
  "idempotency_key",
  "schedule_key",
  "slot",
  "traceparent",
  "tracestate",
  "unique_key",
];

function insertInto(table: string, columns: readonly string[]): string {
  return `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`;
}

/** Inserts jobs. The statements of every enqueue are here. */
export class Enqueue {
  readonly #insertJob;
  readonly #insertFlowJob;
  readonly #insertSpec;
  readonly #insertFlowSpec;
  readonly #insertTag;
  readonly #insertKey;
  readonly #findKey;
  readonly #getJob;
  readonly #uniqueKeys;
  readonly #room;
  readonly #redefine;

  constructor(private readonly context: SqliteContext) {
    const { db } = context;
    this.#insertJob = db.prepare(insertInto("jobs", JOB_COLUMNS));
    this.#insertFlowJob = db.prepare(insertInto("jobs", [...JOB_COLUMNS, "flow_id", "waiting"]));
    this.#insertSpec = db.prepare(insertInto("job_specs", SPEC_COLUMNS));
    this.#insertFlowSpec = db.prepare(insertInto("job_specs", [...SPEC_COLUMNS, "flow_ref", "delay_ms"]));
    this.#insertTag = db.prepare("INSERT INTO job_tags (tag, job_id) VALUES (?, ?) ON CONFLICT DO NOTHING");
    this.#insertKey = db.prepare("INSERT INTO idempotency_keys (key, fingerprint, job_id) VALUES (?, ?, ?)");
    this.#findKey = db.prepare<[string], KeyRow>(
      "SELECT fingerprint, job_id FROM idempotency_keys WHERE key = ?",
    );
    this.#getJob = db.prepare<[number], JobRow>("SELECT * FROM jobs WHERE id = ?");
    this.#uniqueKeys = new UniqueKeys(context);
    this.#room = new Room(context);
    this.#redefine = new Redefine(context);
  }

  /** Runs inside a write transaction. */
  insertAll(jobs: readonly NewJob[]): Enqueued[] {
    // Keys first: a refused one must be found before anything is written.
    this.#refuseReusedKeys(jobs);
    const now = this.context.clock.now();
    if (jobs.every((job) => this.#isPlain(job))) {
      return jobs.map((job) => this.#known(job) ?? this.insert(job, now));
    }
    const targets = this.#admit(jobs, now);
    const written = this.#writeAll(targets, now);
    return targets.map((target, index) => {
      const job = written.get(target);
      if (job === undefined) throw new Error("A job was neither inserted nor known");
      return targets.indexOf(target) === index ? job : { ...job, deduplicated: true };
    });
  }

  /**
   * The job of a schedule's slot. Runs inside a write transaction.
   *
   * @returns `null` when another job has its unique key, or its queue is full
   */
  insertDue(job: NewJob): Enqueued | null {
    const now = this.context.clock.now();
    if (this.#isPlain(job)) return this.insert(job, now);
    try {
      const [target] = this.#admit([job], now);
      if (target === undefined || target.change === "none") return null;
      return this.#writeAll([target], now).get(target) ?? null;
    } catch (error) {
      if (error instanceof KonveierError) return null;
      throw error;
    }
  }

  /** Whether nothing but an idempotency key could keep the job from being inserted. */
  #isPlain({ unique, queue }: NewJob): boolean {
    return unique === null && !this.context.bounded.all().has(queue);
  }

  #admit(jobs: readonly NewJob[], now: number): Target[] {
    const admission = new Admission(
      now,
      (key) => this.#jobOfKey(key),
      (key) => this.#uniqueKeys.holder(key, now),
    );
    return jobs.map((job) => admission.admit(job));
  }

  /**
   * Writes what becomes of each, with room made for those that are new.
   *
   * @throws KonveierError `queue_full`, before anything is written
   */
  #writeAll(targets: readonly Target[], now: number): Map<Target, Enqueued> {
    const drops = this.#drops(targets);
    const written = new Map<Target, Enqueued>();
    const each = [...new Set(targets)];
    for (const target of each) {
      if (target.holder !== null) written.set(target, this.#change(target, target.holder, now));
    }
    for (const [queue, count] of drops) this.#room.drop(queue, count, changedJobs(each));
    for (const target of each) {
      const { change, job, runAt } = target;
      if (change === "insert" && job !== null) written.set(target, this.insert(job, now, runAt));
    }
    return written;
  }

  /** How many jobs have to go, by queue. @throws KonveierError `queue_full` */
  #drops(targets: readonly Target[]): Map<string, number> {
    const drops = new Map<string, number>();
    for (const [name, arrivals] of arrivalsOf(targets)) {
      const bounded = this.context.bounded.all().get(name);
      if (bounded !== undefined) drops.set(name, this.#room.drops(bounded, arrivals));
    }
    return drops;
  }

  #change({ change, job, runAt, expiresAt }: Target, holder: JobRow, now: number): Enqueued {
    let row = holder;
    if (change === "replace" && job !== null) {
      row = this.#redefine.replace(holder, job, runAt, now);
      this.#uniqueKeys.give(job, holder.id, now);
    } else if (change === "reschedule") row = this.#redefine.reschedule(holder, runAt, expiresAt, now);
    return { ...toJob(row), deduplicated: true };
  }

  #refuseReusedKeys(jobs: readonly NewJob[]): void {
    const inThisCall = new Map<string, string>();
    for (const { idempotency } of jobs) {
      if (idempotency === null) continue;
      const { key } = idempotency;
      const known = inThisCall.get(key) ?? this.#findKey.get(key)?.fingerprint;
      if (known !== undefined && known !== idempotency.fingerprint) {
        throw new KonveierError(
          "idempotency_key_reused",
          `The idempotency key ${JSON.stringify(key)} was used for a job with another definition. Use a new key for a new job.`,
        );
      }
      inThisCall.set(key, idempotency.fingerprint);
    }
  }

  #known({ idempotency }: NewJob): Enqueued | null {
    const row = idempotency === null ? undefined : this.#jobOfKey(idempotency.key);
    return row === undefined ? null : { ...toJob(row), deduplicated: true };
  }

  #jobOfKey(key: string): JobRow | undefined {
    const known = this.#findKey.get(key);
    if (known === undefined) return undefined;
    const row = this.#getJob.get(known.job_id);
    if (row === undefined) throw new Error(`The key of job ${known.job_id} outlived it`);
    return row;
  }

  /** Runs inside a write transaction. Without a look at keys and limits. */
  insert(job: NewJob, now: number, runAt = runAtOf(job, now)): Enqueued {
    const id = this.context.sequences.take("job", 1) + 1;
    const state = stateAt(runAt, now);
    const expiresAt = expiryOf(job, now);
    this.#insertJob.run(
      id,
      job.queue,
      job.name,
      state,
      job.priority,
      job.maxAttempts,
      now,
      runAt,
      expiresAt,
      job.keys,
    );
    this.context.step("enqueue:job");
    this.#insertSpec.run(id, ...specOf(job));
    this.#inserted(job, id, state);
    this.#uniqueKeys.give(job, id, now);
    return {
      id: String(id),
      queue: job.queue,
      name: job.name,
      state,
      priority: job.priority,
      attempt: 0,
      maxAttempts: job.maxAttempts,
      createdAt: now,
      runAt,
      startedAt: null,
      finishedAt: null,
      workerId: null,
      token: null,
      leaseExpiresAt: null,
      deduplicated: false,
    };
  }

  /** Runs inside a write transaction. The delay of a job that waits begins when it no longer does. @returns its id */
  insertIntoFlow(job: NewJob, now: number, { flowId, ref, waiting }: PlaceInFlow): number {
    const id = this.context.sequences.take("job", 1) + 1;
    const delayMs = waiting > 0 ? job.delayMs : 0;
    const runAt = waiting > 0 ? (job.runAt ?? now) : runAtOf(job, now);
    const state = waiting > 0 ? "blocked" : stateAt(runAt, now);
    this.#insertFlowJob.run(
      id,
      job.queue,
      job.name,
      state,
      job.priority,
      job.maxAttempts,
      now,
      runAt,
      expiryOf(job, now),
      job.keys,
      flowId,
      waiting,
    );
    this.context.step("enqueue:job");
    this.#insertFlowSpec.run(id, ...specOf(job), ref, delayMs);
    this.#inserted(job, id, state);
    return id;
  }

  #inserted(job: NewJob, id: number, state: JobState): void {
    const { ledger, changes, step } = this.context;
    step("enqueue:spec");
    for (const tag of job.tags) this.#insertTag.run(tag, id);
    if (job.idempotency !== null) {
      this.#insertKey.run(job.idempotency.key, job.idempotency.fingerprint, id);
      step("enqueue:key");
    }
    ledger.lane(job.queue, job.name).inserted(id, state);
    if (state === "pending") changes.pending(job.queue);
    if (state === "scheduled") changes.scheduled();
  }
}

/** Where a job belongs in its flow, and how much it waits for. */
export interface PlaceInFlow {
  readonly flowId: number;
  readonly ref: string;
  readonly waiting: number;
}

function specOf(job: NewJob) {
  return [
    job.payload,
    job.maxAttempts,
    job.timeoutMs,
    job.backoff === null ? null : JSON.stringify(job.backoff),
    job.tags.length === 0 ? null : JSON.stringify(job.tags),
    job.idempotency?.key ?? null,
    job.schedule?.key ?? null,
    job.schedule?.slot ?? null,
    job.trace?.traceparent ?? null,
    job.trace?.tracestate ?? null,
    job.unique === null ? null : scopedKey(job.unique, job),
  ] as const;
}
