import { KonveierError } from "../../core/errors.js";
import type { Enqueued } from "../../core/job.js";
import type { JobState } from "../../core/states.js";
import type { NewJob } from "../jobs.js";
import type { SqliteContext } from "./context.js";
import { toJob, type JobRow } from "../rows.js";

interface KeyRow {
  readonly fingerprint: string;
  readonly job_id: number;
}

const JOB_COLUMNS = ["id", "queue", "name", "state", "priority", "max_attempts", "created_at", "run_at"];
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
];

function insertInto(table: string, columns: readonly string[]): string {
  return `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`;
}

/** Inserts jobs. All statements of an enqueue are here. */
export class Enqueue {
  readonly #insertJob;
  readonly #insertFlowJob;
  readonly #insertSpec;
  readonly #insertFlowSpec;
  readonly #insertTag;
  readonly #insertKey;
  readonly #findKey;
  readonly #getJob;

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
  }

  /** Runs inside a write transaction. */
  insertAll(jobs: readonly NewJob[]): Enqueued[] {
    // Keys first: a refused one must be found before anything is written.
    this.#refuseReusedKeys(jobs);
    const now = this.context.clock.now();
    return jobs.map((job) => this.#known(job) ?? this.insert(job, now));
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

  #known(job: NewJob): Enqueued | null {
    if (job.idempotency === null) return null;
    const known = this.#findKey.get(job.idempotency.key);
    if (known === undefined) return null;
    const row = this.#getJob.get(known.job_id);
    if (row === undefined) throw new Error(`The key of job ${known.job_id} outlived it`);
    return { ...toJob(row), deduplicated: true };
  }

  /** Runs inside a write transaction. Without a look at the idempotency key. */
  insert(job: NewJob, now: number): Enqueued {
    const id = this.context.sequences.take("job", 1) + 1;
    const runAt = job.runAt ?? now + job.delayMs;
    const state = runAt <= now ? "pending" : "scheduled";
    this.#insertJob.run(id, job.queue, job.name, state, job.priority, job.maxAttempts, now, runAt);
    this.context.step("enqueue:job");
    this.#insertSpec.run(id, ...specOf(job));
    this.#inserted(job, id, state);
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
    const runAt = job.runAt ?? now + job.delayMs - delayMs;
    const state = waiting > 0 ? "blocked" : runAt <= now ? "pending" : "scheduled";
    this.#insertFlowJob.run(
      id,
      job.queue,
      job.name,
      state,
      job.priority,
      job.maxAttempts,
      now,
      runAt,
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
  ] as const;
}
