import { KonveierError } from "../core/errors.js";
import type { Instant } from "../core/job.js";
import type { OnFull } from "../core/queue-limits.js";
import type { JobState } from "../core/states.js";
import { scopedKey, type CheckedUnique } from "../core/unique.js";
import type { NewJob } from "./jobs.js";
import type { JobRow } from "./rows.js";

/** A row of `unique_keys`: who got the key last. */
export interface UniqueKeyRow {
  readonly key: string;
  readonly job_id: number;
  /** In which it has the key, separated by commas. */
  readonly states: string;
  /** When it has the key no more. */
  readonly expires_at: number | null;
}

/** Derived from the job as it is: nothing ever has to free a key. */
export function hasKey({ states, expires_at: until }: UniqueKeyRow, job: JobRow, now: Instant): boolean {
  return states.split(",").includes(job.state) && (until === null || until > now) && !hasExpired(job, now);
}

/** It has not started in time, and will be cancelled when somebody comes to it. */
function hasExpired({ state, token, expires_at: expiresAt }: JobRow, now: Instant): boolean {
  return token === 0 && expiresAt !== null && expiresAt <= now && REPLACEABLE.includes(state);
}

export function keyUntil({ ttlMs }: CheckedUnique, now: Instant): Instant | null {
  return ttlMs === null ? null : now + ttlMs;
}

export function expiryOf({ expiresAt, expiresInMs }: NewJob, now: Instant): Instant | null {
  return expiresInMs === null ? expiresAt : now + expiresInMs;
}

export function runAtOf({ runAt, delayMs }: NewJob, now: Instant): Instant {
  return runAt ?? now + delayMs;
}

export function stateAt(runAt: Instant, now: Instant): "pending" | "scheduled" {
  return runAt <= now ? "pending" : "scheduled";
}

/** The job that a request ends at, and what is to be written of it. Requests of one call with the same key share it. */
export interface Target {
  /** `null`: it is to be inserted. */
  readonly holder: JobRow | null;
  change: "insert" | "replace" | "reschedule" | "none";
  /** What is inserted, or takes the place of what the holder was. */
  job: NewJob | null;
  /** When the holder is to run, and until when it has to start, where only that changes. */
  runAt: Instant;
  expiresAt: Instant | null;
}

const REPLACEABLE: readonly JobState[] = ["blocked", "scheduled", "pending"];
const RESCHEDULABLE: readonly JobState[] = ["scheduled", "pending"];

/** Decides what becomes of the jobs of one call, as if they came one after another. */
export class Admission {
  readonly #byIdempotency = new Map<string, Target>();
  readonly #byUnique = new Map<string, Target>();

  /**
   * @param known the job that an idempotency key belongs to
   * @param holder the job that has a unique key, as `scopedKey` makes it
   */
  constructor(
    private readonly now: Instant,
    private readonly known: (idempotencyKey: string) => JobRow | undefined,
    private readonly holder: (uniqueKey: string) => JobRow | undefined,
  ) {}

  /** @throws KonveierError `unique_conflict` */
  admit(job: NewJob): Target {
    const idempotencyKey = job.idempotency?.key;
    if (idempotencyKey === undefined) return this.#unique(job);
    const row = this.known(idempotencyKey);
    const known = this.#byIdempotency.get(idempotencyKey) ?? (row && standing(row));
    if (known !== undefined) return known;
    const target = this.#unique(job);
    this.#byIdempotency.set(idempotencyKey, target);
    return target;
  }

  #unique(job: NewJob): Target {
    if (job.unique === null) return this.#fresh(job);
    const key = scopedKey(job.unique, job);
    const taken = this.#taken(key);
    if (taken === undefined) {
      const target = this.#fresh(job);
      this.#byUnique.set(key, target);
      return target;
    }
    this.#byUnique.set(key, taken);
    if (job.unique.onConflict === "reject") throw uniqueConflict(job.unique.key, taken.holder);
    return this.#conflict(taken, job, job.unique);
  }

  #taken(key: string): Target | undefined {
    const earlier = this.#byUnique.get(key);
    if (earlier === undefined) {
      const row = this.holder(key);
      return row && standing(row);
    }
    // A job of this very call may begin in a state in which it has no key.
    if (earlier.holder !== null || earlier.job?.unique?.states.includes(stateAt(earlier.runAt, this.now))) {
      return earlier;
    }
    return undefined;
  }

  #conflict(taken: Target, job: NewJob, { onConflict }: CheckedUnique): Target {
    const state = taken.holder?.state ?? stateAt(taken.runAt, this.now);
    const runAt = runAtOf(job, this.now);
    // What a flow is made of stays: jobs that depend on it have been told what it does.
    const isOfFlow = taken.holder !== null && taken.holder.flow_id !== null;
    if (onConflict === "replace" && REPLACEABLE.includes(state) && !isOfFlow) {
      // Whoever came first keeps the id, and so its idempotency key.
      taken.job = { ...job, idempotency: taken.job?.idempotency ?? null };
      taken.runAt = runAt;
      if (taken.holder !== null) taken.change = "replace";
    } else if (onConflict === "reschedule" && RESCHEDULABLE.includes(state)) {
      taken.runAt = runAt;
      taken.expiresAt = expiryOf(job, this.now);
      const { expiresAt, expiresInMs } = job;
      if (taken.job !== null) taken.job = { ...taken.job, expiresAt, expiresInMs };
      if (taken.change === "none") taken.change = "reschedule";
    }
    return taken;
  }

  #fresh(job: NewJob): Target {
    const runAt = runAtOf(job, this.now);
    return { holder: null, change: "insert", job, runAt, expiresAt: expiryOf(job, this.now) };
  }
}

function standing(holder: JobRow): Target {
  return { holder, change: "none", job: null, runAt: holder.run_at, expiresAt: holder.expires_at };
}

function uniqueConflict(key: string, holder: JobRow | null): KonveierError {
  const who = holder === null ? "An earlier job of the same call" : `Job ${String(holder.id)}`;
  return new KonveierError("unique_conflict", `${who} has the unique key ${JSON.stringify(key)}.`);
}

/** How many jobs may wait in a queue, and what happens with the next one. A row of `queues`. */
export interface BoundedQueueRow {
  readonly name: string;
  readonly max_length: number;
  readonly on_full: OnFull;
}

/** A queue with a limit, as it is before jobs are inserted. */
export interface Room extends BoundedQueueRow {
  /** Blocked, scheduled and pending jobs. */
  readonly waiting: number;
  readonly pending: number;
}

/**
 * More are not dropped for one call, besides one for each job that comes: where a limit is lowered far below what waits,
 * the queue shrinks with each call.
 */
const MOST_DROPPED = 1_000;

/** What a call brings into a queue. */
export interface Arrivals {
  readonly fresh: number;
  /** Jobs of the queue that get another definition or time: none of them is dropped for the others. */
  readonly changed: number;
}

/** How many of the oldest pending jobs have to go before the new ones come. @throws KonveierError `queue_full` */
export function dropsFor(room: Room, { fresh, changed }: Arrivals): number {
  const { name, max_length: max, on_full: onFull, waiting, pending } = room;
  const over = waiting + fresh - max;
  if (fresh === 0 || over <= 0) return 0;
  const drops = Math.min(over, fresh + MOST_DROPPED);
  if (onFull === "drop-oldest" && fresh <= max && drops <= pending - changed) return drops;
  if (fresh > max) {
    const detail = `${fresh} new jobs at once are more than the queue ${name} may hold: ${max}.`;
    throw new KonveierError("queue_full", detail);
  }
  throw new KonveierError(
    "queue_full",
    `${waiting} jobs wait in the queue ${name}, which may hold ${max}. Try again later.`,
  );
}

/** Jobs that get another definition or time: they are not dropped for others of the same call. */
export function changedJobs(targets: Iterable<Target>): number[] {
  return [...targets].flatMap(({ holder, change }) =>
    holder === null || change === "none" ? [] : [holder.id],
  );
}

/** What comes into each queue. */
export function arrivalsOf(targets: readonly Target[]): Map<string, Arrivals> {
  const arrivals = new Map<string, Arrivals>();
  for (const { holder, change, job } of new Set(targets)) {
    const queue = holder?.queue ?? job?.queue;
    if (queue === undefined || change === "none") continue;
    const { fresh, changed } = arrivals.get(queue) ?? { fresh: 0, changed: 0 };
    const isFresh = change === "insert" ? 1 : 0;
    arrivals.set(queue, { fresh: fresh + isFresh, changed: changed + 1 - isFresh });
  }
  return arrivals;
}
