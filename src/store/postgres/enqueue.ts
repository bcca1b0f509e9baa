import { KonveierError } from "../../core/errors.js";
import type { Enqueued, Instant, Job } from "../../core/job.js";
import type { JobState } from "../../core/states.js";
import type { NewJob } from "../jobs.js";
import { toJob, type JobRow } from "../rows.js";
import type { PostgresContext } from "./context.js";
import { TryAgain } from "./errors.js";
import { Statement } from "./statement.js";
import type { Transaction } from "./transaction.js";

interface KeyRow extends JobRow {
  readonly key: string;
  readonly fingerprint: string;
}

type KnownJobs = ReadonlyMap<string, KeyRow>;

/** Inserts jobs. All statements of an enqueue are here. */
export class Enqueue {
  readonly #takeIds;
  readonly #reserveKeys;
  readonly #findKeys;
  readonly #freeKeys;
  readonly #insert;

  constructor({ s }: PostgresContext) {
    this.#takeIds = new Statement<[count: number], { id: number }>(
      `SELECT nextval('${s}.job_ids') AS id FROM generate_series(1, $1::int)`,
    );
    // Waits for another transaction that is about to use the same key. In one order for all, so that no two wait for
    // each other.
    this.#reserveKeys = new Statement<
      [keys: readonly string[], fingerprints: readonly string[], ids: readonly number[]],
      { key: string }
    >(
      `INSERT INTO ${s}.idempotency_keys (key, fingerprint, job_id)
       SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[]) AS asked (key, fingerprint, id) ORDER BY key
       ON CONFLICT DO NOTHING RETURNING key`,
    );
    this.#findKeys = new Statement<[keys: readonly string[]], KeyRow>(
      `SELECT key, fingerprint, jobs.* FROM ${s}.idempotency_keys JOIN ${s}.jobs ON jobs.id = job_id
       WHERE key = ANY($1::text[])`,
    );
    this.#freeKeys = new Statement<[keys: readonly string[]], never>(
      `DELETE FROM ${s}.idempotency_keys WHERE key = ANY($1::text[])`,
    );
    this.#insert = new Statement<[jobs: string, now: Instant], { id: number }>(
      `WITH job AS MATERIALIZED (
         SELECT coalesce(given, nextval('${s}.job_ids')) AS id, asked.*
         FROM ROWS FROM (json_to_recordset($1::json) AS (
           given bigint, queue text, name text, state text, priority smallint, max_attempts int, run_at bigint,
           payload text, timeout_ms bigint, backoff text, tags text, idempotency_key text, schedule_key text,
           slot bigint, traceparent text, tracestate text
         )) WITH ORDINALITY AS asked (
           given, queue, name, state, priority, max_attempts, run_at, payload, timeout_ms, backoff, tags,
           idempotency_key, schedule_key, slot, traceparent, tracestate, place
         )
       ), lanes AS (
         INSERT INTO ${s}.lanes (queue, name, priority)
         SELECT DISTINCT queue, name, priority FROM job ORDER BY queue, name, priority ON CONFLICT DO NOTHING
       ), hot AS (
         INSERT INTO ${s}.jobs (id, queue, name, state, priority, max_attempts, created_at, run_at)
         SELECT id, queue, name, state, priority, max_attempts, $2, run_at FROM job
       ), specs AS (
         INSERT INTO ${s}.job_specs (job_id, payload, budget, timeout_ms, backoff, tags, idempotency_key, schedule_key,
           slot, traceparent, tracestate)
         SELECT id, payload, max_attempts, timeout_ms, backoff, tags, idempotency_key, schedule_key, slot, traceparent,
           tracestate FROM job
       ), tags AS (
         INSERT INTO ${s}.job_tags (tag, job_id)
         SELECT DISTINCT tag, id FROM job, json_array_elements_text(tags::json) AS tag WHERE tags IS NOT NULL
       )
       SELECT id FROM job ORDER BY place`,
    );
  }

  /** All jobs or none. */
  async insertAll(tx: Transaction, jobs: readonly NewJob[]): Promise<Enqueued[]> {
    const firsts = firstOfEachKey(jobs);
    if (firsts.size === 0)
      return (await this.insert(tx, jobs)).map((job) => ({ ...job, deduplicated: false }));
    // In the order of the jobs, which is that of their ids.
    const ids = (await this.#takeIds.all(tx, jobs.length)).map(({ id }) => id);
    const known = await this.#reserve(tx, firsts, new Map(jobs.map((job, index) => [job, ids[index] ?? 0])));
    const isNew = (job: NewJob) =>
      job.idempotency === null ||
      (firsts.get(job.idempotency.key) === job && !known.has(job.idempotency.key));
    const fresh = jobs.filter(isNew);
    const freshIds = ids.filter((_, index) => isNew(jobs[index] as NewJob));
    const inserted = new Map<NewJob, Job>();
    for (const [index, job] of (await this.insert(tx, fresh, freshIds)).entries()) {
      inserted.set(fresh[index] as NewJob, job);
    }
    return jobs.map((job) => {
      const own = inserted.get(job);
      if (own !== undefined) return { ...own, deduplicated: false };
      return { ...earlierOf(job, known, firsts, inserted), deduplicated: true };
    });
  }

  /**
   * Without a look at idempotency keys. Answers in the order of the jobs.
   *
   * @param ids of all jobs, or none of them
   */
  async insert(tx: Transaction, jobs: readonly NewJob[], ids: readonly number[] = []): Promise<Job[]> {
    if (jobs.length === 0) return [];
    const fresh = jobs.map((job, index): FreshJob => {
      const runAt = job.runAt ?? tx.now + job.delayMs;
      return { job, runAt, state: runAt <= tx.now ? "pending" : "scheduled", given: ids[index] ?? null };
    });
    const rows = await this.#insert.all(tx, JSON.stringify(fresh.map(columnsOf)), tx.now);
    return fresh.map(({ job, runAt, state }, index) => {
      const id = rows[index]?.id;
      if (id === undefined) throw new Error("A job was not inserted");
      tx.ledger.lane(job.queue, job.name).inserted(id, state);
      if (state === "pending") tx.changes.pending(job.queue);
      else tx.changes.scheduled();
      return newJob(job, id, state, tx.now, runAt);
    });
  }

  /** @returns the jobs that had their keys before, by key */
  async #reserve(
    tx: Transaction,
    firsts: ReadonlyMap<string, NewJob>,
    ids: ReadonlyMap<NewJob, number>,
  ): Promise<KnownJobs> {
    const keys = [...firsts.keys()];
    const jobs = [...firsts.values()];
    const fingerprints = jobs.map(({ idempotency }) => idempotency?.fingerprint ?? "");
    const rows = await this.#reserveKeys.all(
      tx,
      keys,
      fingerprints,
      jobs.map((job) => ids.get(job) ?? 0),
    );
    const reserved = new Set(rows.map(({ key }) => key));
    const taken = keys.filter((key) => !reserved.has(key));
    if (taken.length === 0) return new Map();
    const known = new Map((await this.#findKeys.all(tx, taken)).map((row) => [row.key, row]));
    for (const key of taken) {
      const row = known.get(key);
      // Its job was removed in between: a second try finds the key free.
      if (row === undefined) throw new TryAgain();
      if (row.fingerprint === firsts.get(key)?.idempotency?.fingerprint) continue;
      // Who works in a transaction of the caller may go on after this.
      await this.#freeKeys.run(tx, [...reserved]);
      throw reused(key);
    }
    return known;
  }
}

/** @throws KonveierError `idempotency_key_reused` */
function firstOfEachKey(jobs: readonly NewJob[]): Map<string, NewJob> {
  const firsts = new Map<string, NewJob>();
  for (const job of jobs) {
    if (job.idempotency === null) continue;
    const { key, fingerprint } = job.idempotency;
    const first = firsts.get(key);
    if (first === undefined) firsts.set(key, job);
    else if (first.idempotency?.fingerprint !== fingerprint) throw reused(key);
  }
  return firsts;
}

/** The job that a known key stands for. */
function earlierOf(
  job: NewJob,
  known: KnownJobs,
  firsts: ReadonlyMap<string, NewJob>,
  inserted: ReadonlyMap<NewJob, Job>,
): Job {
  const key = job.idempotency?.key ?? "";
  const row = known.get(key);
  if (row !== undefined) return toJob(row);
  const first = firsts.get(key);
  const earlier = first === undefined ? undefined : inserted.get(first);
  if (earlier === undefined) throw new Error("A job was neither inserted nor known");
  return earlier;
}

interface FreshJob {
  readonly job: NewJob;
  readonly runAt: Instant;
  readonly state: JobState;
  /** An id that was taken for it before. */
  readonly given: number | null;
}

function columnsOf({ job, runAt, state, given }: FreshJob) {
  return {
    given,
    queue: job.queue,
    name: job.name,
    state,
    priority: job.priority,
    max_attempts: job.maxAttempts,
    run_at: runAt,
    payload: job.payload,
    timeout_ms: job.timeoutMs,
    backoff: job.backoff === null ? null : JSON.stringify(job.backoff),
    tags: job.tags.length === 0 ? null : JSON.stringify(job.tags),
    idempotency_key: job.idempotency?.key ?? null,
    schedule_key: job.schedule?.key ?? null,
    slot: job.schedule?.slot ?? null,
    traceparent: job.trace?.traceparent ?? null,
    tracestate: job.trace?.tracestate ?? null,
  };
}

function newJob(job: NewJob, id: number, state: JobState, createdAt: Instant, runAt: Instant): Job {
  return {
    id: String(id),
    queue: job.queue,
    name: job.name,
    state,
    priority: job.priority,
    attempt: 0,
    maxAttempts: job.maxAttempts,
    createdAt,
    runAt,
    startedAt: null,
    finishedAt: null,
    workerId: null,
    token: null,
    leaseExpiresAt: null,
  };
}

function reused(key: string): KonveierError {
  return new KonveierError(
    "idempotency_key_reused",
    `The idempotency key ${JSON.stringify(key)} was used for a job with another definition. Use a new key for a new job.`,
  );
}
