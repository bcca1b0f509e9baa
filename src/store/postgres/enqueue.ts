import { KonveierError } from "../../core/errors.js";
import type { Enqueued, Instant, Job } from "../../core/job.js";
import type { JobState } from "../../core/states.js";
import {
  Admission,
  arrivalsOf,
  changedJobs,
  dropsFor,
  expiryOf,
  runAtOf,
  stateAt,
  type Target,
} from "../admission.js";
import type { NewJob } from "../jobs.js";
import { toJob, type JobRow } from "../rows.js";
import type { PostgresContext } from "./context.js";
import { TryAgain } from "./errors.js";
import { InsertJobs, type FreshJob, type PlaceInFlow } from "./insert-jobs.js";
import { Redefine, type PrepareLanes } from "./redefine.js";
import { Room } from "./room.js";
import { Statement } from "./statement.js";
import type { Transaction } from "./transaction.js";
import { UniqueKeys } from "./unique-keys.js";

interface KeyRow extends JobRow {
  readonly key: string;
  readonly fingerprint: string;
}

type KnownJobs = ReadonlyMap<string, KeyRow>;

/** Inserts jobs. The statements of every enqueue are here. */
export class Enqueue {
  readonly #takeIds;
  readonly #reserveKeys;
  readonly #findKeys;
  readonly #freeKeys;
  readonly #inserts;
  readonly #uniqueKeys;
  readonly #room;
  readonly #redefine;

  /** Queues that had a limit when it was looked last. */
  readonly #limited = new Set<string>();

  /** @param prepare only in a transaction of a caller's */
  constructor(
    context: PostgresContext,
    private readonly prepare: PrepareLanes = null,
  ) {
    const { s } = context;
    this.#uniqueKeys = new UniqueKeys(context);
    this.#room = new Room(context);
    this.#redefine = new Redefine(context, prepare);
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
    this.#inserts = new InsertJobs(s);
  }

  /** All jobs or none. */
  async insertAll(tx: Transaction, jobs: readonly NewJob[]): Promise<Enqueued[]> {
    const firsts = firstOfEachKey(jobs);
    if (firsts.size === 0 && jobs.every((job) => this.#isPlain(job))) {
      return (await this.#insert(tx, jobs.map(fresh(tx)))).map((job) => ({ ...job, deduplicated: false }));
    }
    await this.lockRooms(tx, jobs);
    const { targets, written } = await this.#run(tx, jobs, firsts);
    return targets.map((target, index) => {
      const job = written.get(target);
      if (job === undefined) throw new Error("A job was neither inserted nor known");
      return { ...job, deduplicated: target.holder !== null || targets.indexOf(target) !== index };
    });
  }

  /**
   * The jobs of slots of schedules, without a look at idempotency keys, which they have none of.
   *
   * @returns `null` for those whose unique key another job has, or whose queue is full
   */
  async insertDue(tx: Transaction, jobs: readonly NewJob[]): Promise<(Job | null)[]> {
    if (jobs.every((job) => this.#isPlain(job))) return this.#insert(tx, jobs.map(fresh(tx)));
    await this.lockRooms(tx, jobs);
    const made: (Job | null)[] = [];
    for (const job of jobs) made.push(await this.#insertOneDue(tx, job));
    return made;
  }

  /**
   * Before the jobs of several calls are inserted, and before the rows of any jobs are locked. Not in a transaction of a
   * caller's, which may stay open for long: that one looks how many jobs wait, and keeps nobody from adding more.
   */
  async lockRooms(tx: Transaction, jobs: readonly NewJob[]): Promise<void> {
    if (this.prepare !== null) return;
    const queues = new Set(jobs.map(({ queue }) => queue).filter((queue) => this.#limited.has(queue)));
    if (queues.size > 0) await this.#room.lock(tx, [...queues]);
  }

  async #insertOneDue(tx: Transaction, job: NewJob): Promise<Job | null> {
    try {
      const { targets, written } = await this.#run(tx, [job], new Map());
      const [target] = targets;
      return target === undefined || target.change === "none" ? null : (written.get(target) ?? null);
    } catch (error) {
      // Nothing was written then.
      if (error instanceof KonveierError) return null;
      throw error;
    }
  }

  /** Whether nothing but an idempotency key could keep the job from being inserted, as far as is known. */
  #isPlain({ unique, queue }: NewJob): boolean {
    return unique === null && this.prepare === null && !this.#limited.has(queue);
  }

  /** @throws KonveierError after which nothing is written: who works in a transaction of the caller may go on */
  async #run(
    tx: Transaction,
    jobs: readonly NewJob[],
    firsts: ReadonlyMap<string, number>,
  ): Promise<{ targets: readonly Target[]; written: ReadonlyMap<Target, Job> }> {
    const rows = await this.#takeIds.all(tx, jobs.length);
    // In the order of the jobs, which is that of their ids.
    const asked = jobs.map((job, place): Asked => ({ job, place, id: rows[place]?.id ?? 0 }));
    const owners = new Map(asked.filter((each) => isFirst(each, firsts)).map((each) => [keyOf(each), each]));
    const known = await this.#reserve(tx, owners);
    const holders = await this.#uniqueKeys.holders(tx, jobs);
    const admission = new Admission(
      tx.now,
      (key) => known.get(key),
      (key) => holders.get(key),
    );
    const reserved = [...owners].filter(([key]) => key !== null && !known.has(key));
    let targets: readonly Target[];
    let room: RoomMade;
    try {
      targets = jobs.map((job) => admission.admit(job));
      room = await this.#makeRoom(tx, targets);
    } catch (error) {
      if (error instanceof KonveierError) await this.#giveUp(tx, jobs, reserved);
      throw error;
    }
    const firstAsked = new Map<Target, Asked>();
    for (const [index, each] of asked.entries()) {
      const target = targets[index];
      if (target !== undefined && !firstAsked.has(target)) firstAsked.set(target, each);
    }
    // Those of jobs that are not inserted, because another one has their unique key.
    const unused = reserved.filter(([, owner]) => {
      const target = targets[owner.place];
      return target?.change !== "insert" || firstAsked.get(target) !== owner;
    });
    await this.#free(tx, unused);
    return { targets, written: await this.#write(tx, targets, firstAsked, room) };
  }

  /** Nothing is kept of the call: who works in a transaction of the caller's may go on after this. */
  async #giveUp(tx: Transaction, jobs: readonly NewJob[], reserved: readonly Owner[]): Promise<void> {
    await this.#free(tx, reserved);
    await this.#uniqueKeys.free(tx, jobs);
  }

  async #free(tx: Transaction, owners: readonly Owner[]): Promise<void> {
    const keys = owners.flatMap(([key]) => (key === null ? [] : [key]));
    if (keys.length > 0) await this.#freeKeys.run(tx, keys);
  }

  /** Changes jobs that were there, makes room for the others, and inserts those. */
  async #write(
    tx: Transaction,
    targets: readonly Target[],
    firstAsked: ReadonlyMap<Target, Asked>,
    room: RoomMade,
  ): Promise<Map<Target, Job>> {
    const written = new Map<Target, Job>();
    const each = [...new Set(targets)];
    const owners: { job: NewJob; id: number }[] = [];
    for (const target of each) {
      const { holder, change, job, runAt, expiresAt } = target;
      if (holder === null) continue;
      let row = holder;
      if (change === "replace" && job !== null) {
        row = await this.#redefine.replace(tx, holder, job, runAt);
        owners.push({ job, id: holder.id });
      } else if (change === "reschedule") row = await this.#redefine.reschedule(tx, holder, runAt, expiresAt);
      written.set(target, toJob(row));
    }
    for (const [queue, count] of room.drops) await this.#room.drop(tx, queue, count, changedJobs(each));
    const inserts = each.flatMap((target) => {
      const id = firstAsked.get(target)?.id;
      const { change, job, runAt } = target;
      return change === "insert" && job !== null && id !== undefined ? [{ target, job, runAt, id }] : [];
    });
    const made = await this.#insert(
      tx,
      inserts.map(({ job, runAt, id }) => fresh(tx, runAt, id)(job)),
      room.guarded,
    );
    for (const [index, { target, job, id }] of inserts.entries()) {
      const one = made[index];
      if (one !== undefined) written.set(target, one);
      owners.push({ job, id });
    }
    await this.#uniqueKeys.give(tx, owners);
    return written;
  }

  /**
   * Finds out how many jobs of limited queues have to go.
   *
   * @throws KonveierError `queue_full`
   */
  async #makeRoom(tx: Transaction, targets: readonly Target[]): Promise<RoomMade> {
    const arrivals = arrivalsOf(targets);
    // A transaction of a caller's cannot be tried again, so there it is not found out by the insert.
    const guarded = [...arrivals.keys()].filter((queue) => this.prepare !== null || this.#limited.has(queue));
    const drops = new Map<string, number>();
    if (guarded.length === 0) return { drops, guarded: new Set() };
    const rooms = new Map((await this.#room.of(tx, guarded)).map((room) => [room.name, room]));
    for (const queue of guarded) {
      const room = rooms.get(queue);
      if (room === undefined) {
        this.#limited.delete(queue);
        continue;
      }
      drops.set(queue, dropsFor(room, arrivals.get(queue) ?? { fresh: 0, changed: 0 }));
    }
    // One that has no limit is not locked, and may get one before the insert.
    return { drops, guarded: this.prepare === null ? new Set(drops.keys()) : new Set(guarded) };
  }

  /**
   * Without a look at keys and limits. The delay of a job that waits begins when it no longer does.
   *
   * @returns ids in the order of the jobs
   */
  async insertIntoFlow(
    tx: Transaction,
    jobs: readonly { readonly job: NewJob; readonly place: PlaceInFlow }[],
  ): Promise<readonly number[]> {
    const fresh = jobs.map(({ job, place }): FreshJob => {
      const runAt = place.waiting > 0 ? (job.runAt ?? tx.now) : runAtOf(job, tx.now);
      const state = place.waiting > 0 ? "blocked" : stateAt(runAt, tx.now);
      return { job, runAt, state, expiresAt: expiryOf(job, tx.now), given: null, flow: place };
    });
    const queues = new Set(jobs.map(({ job }) => job.queue));
    return (await this.#insert(tx, fresh, queues)).map(({ id }) => Number(id));
  }

  /** @param guarded limited queues that have room */
  async #insert(
    tx: Transaction,
    jobs: readonly FreshJob[],
    guarded: ReadonlySet<string> = new Set(),
  ): Promise<Job[]> {
    if (jobs.length === 0) return [];
    const lanes = this.prepare === null ? "add lanes" : "lanes are there";
    const { ids, limited } = await this.#inserts.run(tx, jobs, tx.now, lanes, guarded);
    if (limited.length > 0) {
      // Undone, and tried again with a look at the limits first, from now on.
      for (const queue of limited) this.#limited.add(queue);
      throw new TryAgain();
    }
    return jobs.map(({ job, runAt, state }, index) => {
      const id = ids[index];
      if (id === undefined) throw new Error("A job was not inserted");
      tx.ledger.lane(job.queue, job.name).inserted(id, state);
      if (state === "pending") tx.madePending(job, runAt);
      if (state === "scheduled") tx.changes.scheduled();
      return newJob(job, id, state, tx.now, runAt);
    });
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

/** Of an idempotency key. */
type Owner = readonly [key: string | null, asked: Asked];

interface RoomMade {
  /** How many jobs have to go, by queue. */
  readonly drops: ReadonlyMap<string, number>;
  /** Queues whose limits are known until the transaction ends. */
  readonly guarded: ReadonlySet<string>;
}

function fresh(tx: Transaction, runAt?: Instant, given: number | null = null): (job: NewJob) => FreshJob {
  return (job) => {
    const at = runAt ?? runAtOf(job, tx.now);
    return {
      job,
      runAt: at,
      state: stateAt(at, tx.now),
      expiresAt: expiryOf(job, tx.now),
      given,
      flow: null,
    };
  };
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
