import type { Instant } from "../../core/job.js";
import { parseKeys } from "../../core/job-keys.js";
import type { QueueLimits } from "../../core/queue-limits.js";
import type { Share } from "../limits/fair-shares.js";
import type { HeldBack } from "../../core/held-back.js";
import { firstLimit } from "../limits/first-limit.js";
import { LIMIT_COLUMNS, limitsOfRow, type LimitRow } from "../limit-rows.js";
import { LimitedClaim, type KeyUsage, type Member, type Usage } from "../limits/limited-claim.js";
import { windowStart } from "../limits/rate-window.js";
import type { Queryable } from "./connection.js";
import type { PostgresContext } from "./context.js";
import { KEYED, pendingOfLane } from "./lane-floors.js";
import { lockNumber } from "./lock-number.js";
import { RateStarts } from "./rate-starts.js";
import { Statement } from "./statement.js";
import type { Transaction } from "./transaction.js";

type StateRow = LimitRow & Usage & { readonly queue: string };

/** Of a pending job that a claim may take. */
interface Chosen {
  readonly id: number;
  readonly place: number;
}

type WalkValues = [
  queue: string,
  counts: boolean,
  since: Instant | null,
  now: Instant,
  after: string,
  upTo: string | null,
  limit: number,
  names: readonly string[] | null,
];

/** Chooses the jobs of a claim in a queue that has limits, or jobs with keys. All statements of that are here. */
export class LimitedClaims {
  readonly #lock;
  readonly #states;
  readonly #walk;
  readonly #usage;
  readonly #ofKeys;
  readonly #withoutKeys;
  readonly #job;
  readonly #starts;
  readonly #endHolds;
  readonly #moveCursor;

  constructor(private readonly context: PostgresContext) {
    const { s } = context;
    // Not the rows of the queues: a transaction of a caller's may hold those for long.
    this.#lock = new Statement<[queues: readonly string[]], never>(
      `SELECT pg_advisory_xact_lock(number)::text FROM (
         SELECT DISTINCT hashtextextended(name, ${lockNumber("limited claim", s)}) AS number
         FROM unnest($1::text[]) AS queue (name) ORDER BY 1
       ) AS queues`,
    );
    const counting = "until > $2::bigint - rate_per_ms AND at <= $2::bigint";
    const ofQueue = `FROM ${s}.rate_buckets AS bucket WHERE bucket.queue = asked.name AND key = '' AND ${counting}`;
    this.#states = new Statement<[queues: readonly string[], now: Instant], StateRow>(
      `SELECT asked.name AS queue, ${LIMIT_COLUMNS.join(", ")}, held_until, key_cursor,
         (SELECT coalesce(sum(n), 0)::bigint FROM ${s}.counts
          WHERE counts.queue = asked.name AND state = 'running') AS running,
         (SELECT coalesce(sum(n), 0)::bigint ${ofQueue}) AS starts, (SELECT min(until) ${ofQueue}) AS first_until
       FROM unnest($1::text[]) AS asked (name) LEFT JOIN ${s}.queues ON queues.name = asked.name`,
    );
    // Each step jumps to the next keys in the index, so it costs the same however many jobs have the same ones, or other
    // names.
    const next = (after: string) =>
      `SELECT min(first.keys) AS keys FROM ${s}.lanes AS lane CROSS JOIN LATERAL (
         SELECT keys FROM ${s}.jobs WHERE state = 'pending' AND keys IS NOT NULL AND jobs.queue = lane.queue
           AND jobs.name = lane.name AND keys > ${after} AND ($6::text IS NULL OR keys <= $6) ORDER BY keys LIMIT 1
       ) AS first
       WHERE lane.queue = $1 AND lane.priority = ${String(KEYED)} AND ($8::text[] IS NULL OR lane.name = ANY($8))`;
    this.#walk = new Statement<WalkValues, KeyUsage>(
      `WITH RECURSIVE walk (keys, place) AS (
         SELECT first.keys, 1 FROM (${next("$5::text")}) AS first WHERE first.keys IS NOT NULL
         UNION ALL
         SELECT next.keys, place + 1 FROM walk CROSS JOIN LATERAL (${next("walk.keys")}) AS next
         WHERE place < $7::int AND next.keys IS NOT NULL
       )
       ${usageOf(s, "SELECT keys, place FROM walk")} ORDER BY place`,
    );
    this.#usage = new Statement<
      [queue: string, counts: boolean, since: Instant | null, now: Instant, keys: string],
      KeyUsage
    >(usageOf(s, "SELECT $5::text AS keys, 1 AS place"));
    const served = "queue = $1 AND ($5::text[] IS NULL OR name = ANY($5))";
    this.#ofKeys = new Statement<PickValues, Chosen>(
      firstOf(
        `(SELECT queue, name, level AS priority FROM ${s}.lanes CROSS JOIN generate_series(0, 9) AS level
          WHERE ${served} AND priority = ${String(KEYED)}) AS lane`,
        `FROM ${s}.jobs WHERE state = 'pending' AND jobs.keys IS NOT NULL AND jobs.queue = lane.queue
           AND jobs.keys = share.keys AND jobs.name = lane.name AND jobs.priority = lane.priority
           AND ${NOT_EXPIRED}`,
      ),
    );
    this.#withoutKeys = new Statement<PickValues, Chosen>(
      firstOf(
        `(SELECT * FROM ${s}.lanes WHERE ${served} AND priority >= 0) AS lane`,
        `${pendingOfLane(s, "$7::bigint")} AND ${NOT_EXPIRED}`,
      ),
    );
    this.#job = new Statement<[id: number], { queue: string; keys: string | null }>(
      `SELECT queue, keys FROM ${s}.jobs WHERE id = $1 AND CASE state WHEN 'pending' THEN true END`,
    );
    this.#starts = new RateStarts(s);
    this.#endHolds = new Statement<[queue: string, now: Instant], never>(
      `DELETE FROM ${s}.holds WHERE queue = $1 AND until <= $2`,
    );
    // A queue that only has jobs, and was never edited, has no row yet.
    this.#moveCursor = new Statement<[queue: string, cursor: string, now: Instant], never>(
      `INSERT INTO ${s}.queues AS queue (name, version, key_cursor) VALUES ($1, 0, $2)
       ON CONFLICT (name) DO UPDATE SET key_cursor = excluded.key_cursor,
         held_until = CASE WHEN queue.held_until > $3::bigint THEN queue.held_until END`,
    );
  }

  /**
   * Claims of a queue with limits come one after the other. All at once and in one order, so that no two wait for each other.
   *
   * @returns the time now: the transaction may have begun long before those whose starts it has to count
   */
  async lock(tx: Transaction, queues: readonly string[]): Promise<Instant> {
    await this.#lock.all(tx, queues);
    const { rows } = await tx.query(`SELECT ${this.context.clock.sql} AS now`);
    return (rows as { now: Instant }[])[0]?.now ?? tx.now;
  }

  /** A look without a lock: queues whose own limits let in any job. Who waits for those of the others is woken in time. */
  async withRoom(db: Queryable, queues: readonly string[]): Promise<ReadonlySet<string>> {
    const now = this.context.clock.now();
    const open = new Set<string>();
    for (const state of queues.length === 0 ? [] : await this.#states.all(db, queues, now)) {
      const claim = this.#claimIn(state, 1, now);
      if (claim.hasRoom) open.add(state.queue);
      else this.lookAgain(state.queue, claim, now);
    }
    return open;
  }

  async begin(db: Queryable, queue: string, max: number, now: Instant): Promise<LimitedClaim> {
    return this.#claimIn(await this.#stateOf(db, queue, now), max, now);
  }

  #claimIn(state: StateRow, max: number, now: Instant): LimitedClaim {
    this.context.limited.remember(state.queue);
    return new LimitedClaim(limitsOfRow(state), state.key_cursor ?? "", state.held_until, state, max, now);
  }

  /** Ids of jobs that the claim may take. They are locked; those that others have locked are passed over. */
  async choose(
    tx: Transaction,
    queue: string,
    names: readonly string[] | null,
    claim: LimitedClaim,
    now: Instant,
  ): Promise<number[]> {
    const ids: number[] = [];
    for (;;) {
      await this.#findGroups(tx, queue, names, claim, now);
      const shares = claim.deal();
      if (shares.length === 0) return ids;
      const chosen = await this.#chosen(tx, queue, names, shares, claim.limits.ageingMs, now);
      for (const [index, share] of shares.entries()) {
        const own = chosen.filter(({ place }) => place === index);
        claim.took(share, own.length);
        ids.push(...own.map(({ id }) => id));
      }
    }
  }

  /** @param taken the keys of the jobs that were taken */
  async record(
    tx: Transaction,
    queue: string,
    claim: LimitedClaim,
    taken: readonly (string | null)[],
    now: Instant,
  ): Promise<void> {
    const byKey = new Map([["", taken.length]]);
    for (const keys of taken) {
      const { rateKey } = parseKeys(keys);
      if (rateKey !== null) byKey.set(rateKey, (byKey.get(rateKey) ?? 0) + 1);
    }
    await this.#starts.add(tx, queue, claim.limits, byKey, now);
    // The queue before its keys, as who holds them does.
    if (claim.cursor !== claim.from || claim.heldUntil !== null) {
      await this.#moveCursor.run(tx, queue, claim.cursor, now);
    }
    await this.#endHolds.run(tx, queue, now);
  }

  lookAgain(queue: string, claim: LimitedClaim, now: Instant): void {
    const at = claim.lookAgainAt;
    if (at !== null) this.context.limited.wakeAt(queue, at, now);
  }

  /** The limit that keeps a pending job from being claimed. */
  async heldBack(db: Queryable, id: number): Promise<HeldBack | null> {
    const job = await this.#job.get(db, id);
    if (job === undefined) return null;
    const { queue, keys } = job;
    const now = this.context.clock.now();
    const state = await this.#stateOf(db, queue, now);
    const limits = limitsOfRow(state);
    const ofKeys =
      keys === null ? undefined : await this.#usage.get(db, ...usageValues(queue, limits, now), keys);
    return firstLimit(limits, state.held_until, state, ofKeys ?? null, now);
  }

  async #stateOf(db: Queryable, queue: string, now: Instant): Promise<StateRow> {
    const state = await this.#states.get(db, [queue], now);
    if (state === undefined) throw new Error("The limits of a queue were read without an answer");
    return state;
  }

  async #findGroups(
    tx: Transaction,
    queue: string,
    names: readonly string[] | null,
    claim: LimitedClaim,
    now: Instant,
  ): Promise<void> {
    const values = usageValues(queue, claim.limits, now);
    for (let range = claim.range; range !== null; range = claim.range) {
      if (range === "without keys") claim.addWithoutKeys();
      else claim.add(await this.#walk.all(tx, ...values, range.after, range.upTo, range.limit, names), range);
    }
  }

  /** The first of each group behind those that were chosen before, with the place of its share. */
  async #chosen(
    tx: Transaction,
    queue: string,
    names: readonly string[] | null,
    shares: readonly Share<Member>[],
    ageingMs: number | null,
    now: Instant,
  ): Promise<Chosen[]> {
    const chosen: Chosen[] = [];
    for (const statement of [this.#ofKeys, this.#withoutKeys]) {
      const own = [...shares.entries()].filter(
        ([, { group }]) => (group.keys === "") === (statement === this.#withoutKeys),
      );
      if (own.length === 0) continue;
      const rows = await statement.all(
        tx,
        queue,
        own.map(([, { group }]) => group.keys),
        own.map(([, { group }]) => group.taken),
        own.map(([, { n }]) => n),
        names,
        ageingMs,
        now,
      );
      chosen.push(...rows.map(({ id, place }) => ({ id, place: own[place - 1]?.[0] ?? 0 })));
    }
    return chosen;
  }
}

/** What has expired is cancelled by a loop, and counts as no start. */
const NOT_EXPIRED = "(expires_at IS NULL OR expires_at > $7::bigint)";

type PickValues = [
  queue: string,
  keys: readonly string[],
  skips: readonly number[],
  ns: readonly number[],
  names: readonly string[] | null,
  ageingMs: number | null,
  now: Instant,
];

/**
 * Each lane gives its first jobs, from which the first of all are taken: whatever the priorities grew to, nobody reads a
 * lane further than that.
 */
function firstOf(lanes: string, pending: string): string {
  return `SELECT place, job.id FROM unnest($2::text[], $3::int[], $4::int[]) WITH ORDINALITY AS share (keys, skip, n, place)
    CROSS JOIN LATERAL (
      SELECT first.id, first.priority, first.run_at FROM ${lanes} CROSS JOIN LATERAL (
        SELECT id, jobs.priority, run_at ${pending} ORDER BY run_at, id LIMIT share.skip + share.n
        FOR UPDATE SKIP LOCKED
      ) AS first
      ORDER BY CASE WHEN $6::bigint IS NULL THEN first.priority
        ELSE least(9, first.priority + greatest(0, $7::bigint - first.run_at) / $6) END DESC, first.run_at, first.id
      OFFSET share.skip LIMIT share.n
    ) AS job`;
}

function usageValues(
  queue: string,
  { perKey }: QueueLimits,
  now: Instant,
): [queue: string, counts: boolean, since: Instant | null, now: Instant] {
  const { concurrency, rateLimit } = perKey;
  return [queue, concurrency !== null, rateLimit === null ? null : windowStart(now, rateLimit), now];
}

/** What keys use of the limits per key. */
function usageOf(s: string, keys: string): string {
  const counting = `FROM ${s}.rate_buckets WHERE queue = $1 AND key = rate_key AND key <> ''
    AND until > $3::bigint AND at <= $4::bigint`;
  return `SELECT keys,
      CASE WHEN $2::boolean AND concurrency_key <> '' THEN (
        SELECT count(*) FROM ${s}.jobs WHERE state = 'running' AND jobs.keys IS NOT NULL AND queue = $1
          AND jobs.keys >= concurrency_key || chr(10) AND jobs.keys < concurrency_key || chr(11)
      ) END AS running,
      (SELECT sum(n)::bigint ${counting}) AS starts, (SELECT min(until) ${counting}) AS first_until,
      (SELECT until FROM ${s}.holds WHERE queue = $1 AND key = 'concurrency ' || concurrency_key) AS held_until,
      (SELECT until FROM ${s}.holds WHERE queue = $1 AND key = 'rate ' || rate_key) AS rate_held_until
    FROM (
      SELECT keys, place, split_part(keys, chr(10), 1) AS concurrency_key, split_part(keys, chr(10), 2) AS rate_key
      FROM (${keys}) AS found
    ) AS parted`;
}
