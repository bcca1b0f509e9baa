import { KonveierError } from "../../core/errors.js";
import type { Enqueued } from "../../core/job.js";
import type { NewJob } from "../jobs.js";
import type { SqliteContext } from "./context.js";
import { toJob, type JobRow } from "../rows.js";

interface KeyRow {
  readonly fingerprint: string;
  readonly job_id: number;
}

/** Inserts jobs. All statements of an enqueue are here. */
export class Enqueue {
  readonly #insertJob;
  readonly #insertSpec;
  readonly #insertTag;
  readonly #insertKey;
  readonly #findKey;
  readonly #getJob;

  constructor(private readonly context: SqliteContext) {
    const { db } = context;
    this.#insertJob = db.prepare(
      `INSERT INTO jobs (id, queue, name, state, priority, max_attempts, created_at, run_at, keys)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#insertSpec = db.prepare(
      `INSERT INTO job_specs (job_id, payload, budget, timeout_ms, backoff, tags, idempotency_key, schedule_key, slot,
         traceparent, tracestate)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
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
    const { ledger, sequences, changes, step } = this.context;
    const id = sequences.take("job", 1) + 1;
    const runAt = job.runAt ?? now + job.delayMs;
    const state = runAt <= now ? "pending" : "scheduled";
    const { queue, name, priority, maxAttempts, keys } = job;
    this.#insertJob.run(id, queue, name, state, priority, maxAttempts, now, runAt, keys);
    step("enqueue:job");
    this.#insertSpec.run(
      id,
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
    );
    step("enqueue:spec");
    for (const tag of job.tags) this.#insertTag.run(tag, id);
    if (job.idempotency !== null) {
      this.#insertKey.run(job.idempotency.key, job.idempotency.fingerprint, id);
      step("enqueue:key");
    }
    ledger.lane(job.queue, job.name).inserted(id, state);
    if (state === "pending") changes.pending(job.queue);
    else changes.scheduled();
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
}
