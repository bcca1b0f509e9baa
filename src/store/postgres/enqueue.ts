import { KonveierError } from "../../core/errors.js";
import type { Enqueued, Instant, Job } from "../../core/job.js";
import type { JobState } from "../../core/states.js";
import type { NewJob } from "../jobs.js";
import { toJob, type JobRow } from "../rows.js";
import type { PostgresContext } from "./context.js";
import { TryAgain } from "./errors.js";
import { InsertJobs, type FreshJob, type LanesToWrite, type PlaceInFlow } from "./insert-jobs.js";
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

  constructor(
    { s }: PostgresContext,
    private readonly lanes: LanesToWrite = "add lanes",
  ) {
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
    this.#insert = new InsertJobs(s);
  }

  /** All jobs or none. */
  async insertAll(tx: Transaction, jobs: readonly NewJob[]): Promise<Enqueued[]> {
    const firsts = firstOfEachKey(jobs);
    if (firsts.size === 0)
      return (await this.insert(tx, jobs)).map((job) => ({ ...job, deduplicated: false }));
    const rows = await this.#takeIds.all(tx, jobs.length);
    // In the order of the jobs, which is that of their ids.
    const asked = jobs.map((job, place): Asked => ({ job, place, id: rows[place]?.id ?? 0 }));
    const owners = new Map(asked.filter((each) => isFirst(each, firsts)).map((each) => [keyOf(each), each]));
    const known = await this.#reserve(tx, owners);
    const fresh = asked.filter((each) => {
      const key = keyOf(each);
      return key === null || (isFirst(each, firsts) && !known.has(key));
    });
    const made = await this.insert(
      tx,
      fresh.map(({ job }) => job),
      fresh.map(({ id }) => id),
    );
    const inserted = new Map(made.map((job) => [job.id, job]));
    return asked.map((each) => {
      const own = inserted.get(String(each.id));
      if (own !== undefined) return { ...own, deduplicated: false };
      const row = known.get(keyOf(each) ?? "");
      const earlier = row === undefined ? inserted.get(String(owners.get(keyOf(each))?.id)) : toJob(row);
      if (earlier === undefined) throw new Error("A job was neither inserted nor known");
      return { ...earlier, deduplicated: true };
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
      const state = runAt <= tx.now ? "pending" : "scheduled";
      return { job, runAt, state, given: ids[index] ?? null, flow: null };
    });
    const made = await this.#insertFresh(tx, fresh);
    return fresh.map(({ job, runAt, state }, index) => newJob(job, made[index] ?? 0, state, tx.now, runAt));
  }

  /** The delay of a job that waits begins when it no longer does. @returns ids in the order of the jobs */
  insertIntoFlow(
    tx: Transaction,
    jobs: readonly { readonly job: NewJob; readonly place: PlaceInFlow }[],
  ): Promise<readonly number[]> {
    const fresh = jobs.map(({ job, place }): FreshJob => {
      const delayMs = place.waiting > 0 ? 0 : job.delayMs;
      const runAt = job.runAt ?? tx.now + delayMs;
      const state = place.waiting > 0 ? "blocked" : runAt <= tx.now ? "pending" : "scheduled";
      return { job, runAt, state, given: null, flow: place };
    });
    return this.#insertFresh(tx, fresh);
  }

  async #insertFresh(tx: Transaction, fresh: readonly FreshJob[]): Promise<readonly number[]> {
    const made = await this.#insert.run(tx, fresh, tx.now, this.lanes);
    for (const [index, { job, runAt, state }] of fresh.entries()) {
      const id = made[index];
      if (id === undefined) throw new Error("A job was not inserted");
      tx.ledger.lane(job.queue, job.name).inserted(id, state);
      if (state === "pending") tx.madePending(job, runAt);
      if (state === "scheduled") tx.changes.scheduled();
    }
    return made;
  }

  /**
   * @param owners the first job of each key
   * @returns the jobs that had their keys before, by key
   */
  async #reserve(tx: Transaction, owners: ReadonlyMap<string | null, Asked>): Promise<KnownJobs> {
    const keyed = [...owners.values()].flatMap(({ job, id }) =>
      job.idempotency === null ? [] : [{ ...job.idempotency, id }],
    );
    const fingerprints = new Map(keyed.map(({ key, fingerprint }) => [key, fingerprint]));
    const rows = await this.#reserveKeys.all(
      tx,
      keyed.map(({ key }) => key),
      keyed.map(({ fingerprint }) => fingerprint),
      keyed.map(({ id }) => id),
    );
    const reserved = new Set(rows.map(({ key }) => key));
    const taken = [...fingerprints.keys()].filter((key) => !reserved.has(key));
    if (taken.length === 0) return new Map();
    const known = new Map((await this.#findKeys.all(tx, taken)).map((row) => [row.key, row]));
    for (const key of taken) {
      const row = known.get(key);
      // Its job was removed in between: a second try finds the key free.
      if (row === undefined) throw new TryAgain();
      if (row.fingerprint === fingerprints.get(key)) continue;
      // Who works in a transaction of the caller may go on after this.
      await this.#freeKeys.run(tx, [...reserved]);
      throw reused(key);
    }
    return known;
  }
}

/** A job of one call with the id that it gets if it is new. */
interface Asked {
  readonly job: NewJob;
  readonly place: number;
  readonly id: number;
}

function keyOf({ job }: Asked): string | null {
  return job.idempotency?.key ?? null;
}

function isFirst(asked: Asked, firsts: ReadonlyMap<string, number>): boolean {
  const key = keyOf(asked);
  return key !== null && firsts.get(key) === asked.place;
}

/** By key, where the first job with it stands. @throws KonveierError `idempotency_key_reused` */
function firstOfEachKey(jobs: readonly NewJob[]): Map<string, number> {
  const firsts = new Map<string, number>();
  for (const [place, { idempotency }] of jobs.entries()) {
    if (idempotency === null) continue;
    const { key, fingerprint } = idempotency;
    const first = firsts.get(key);
    if (first === undefined) firsts.set(key, place);
    else if (jobs[first]?.idempotency?.fingerprint !== fingerprint) throw reused(key);
  }
  return firsts;
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
