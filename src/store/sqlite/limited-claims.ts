import { MAX_PRIORITY } from "../../core/defaults.js";
import type { Instant } from "../../core/job.js";
import { inAgeingOrder, type Candidate } from "../limits/ageing.js";
import type { QueueLimits } from "../../core/queue-limits.js";
import type { Share } from "../limits/fair-shares.js";
import type { HeldBack } from "../../core/held-back.js";
import { firstLimit } from "../limits/first-limit.js";
import { LIMIT_COLUMNS, limitsOfRow, type LimitRow } from "../limit-rows.js";
import {
  LimitedClaim,
  type KeyRange,
  type KeyUsage,
  type Member,
  type Usage,
} from "../limits/limited-claim.js";
import { windowStart } from "../limits/rate-window.js";
import type { SqliteContext } from "./context.js";
import { RateStarts } from "./rate-starts.js";

const PRIORITIES = Array.from({ length: MAX_PRIORITY + 1 }, (_, priority) => priority);

const USED = "queue = @queue AND until > @since AND at <= @now";

interface UsageParameters {
  readonly queue: string;
  /** Whether running jobs of each concurrency key are counted. */
  readonly counts: number;
  /** Since when the starts of each rate key count; `null`: none do. */
  readonly since: Instant | null;
  readonly now: Instant;
}

interface LaneOfKeys {
  readonly queue: string;
  /** Empty: of the jobs without keys. */
  readonly keys: string;
  readonly name: string;
  readonly now: Instant;
}

/** Chooses the jobs of a claim in a queue that has limits, or jobs with keys. All statements of that are here. */
export class LimitedClaims {
  readonly #row;
  readonly #running;
  readonly #starts;
  readonly #walk;
  readonly #usage;
  readonly #job;
  readonly #withoutKeys;
  readonly #withoutKeysByPriority;
  readonly #ofKeys;
  readonly #ofKeysByPriority;
  readonly #rateStarts;
  readonly #endHold;
  readonly #endHolds;
  readonly #moveCursor;

  constructor(private readonly context: SqliteContext) {
    const { db } = context;
    this.#row = db.prepare<[string], LimitRow>(
      `SELECT ${LIMIT_COLUMNS.join(", ")}, held_until, key_cursor FROM queues WHERE name = ?`,
    );
    this.#running = db
      .prepare<[string], number>(
        "SELECT coalesce(sum(n), 0) FROM counts WHERE queue = ? AND state = 'running'",
      )
      .pluck();
    this.#starts = db.prepare<
      [{ queue: string; since: Instant; now: Instant }],
      Pick<Usage, "starts" | "first_until">
    >(
      `SELECT coalesce(sum(n), 0) AS starts, min(until) AS first_until FROM rate_buckets WHERE key = '' AND ${USED}`,
    );
    // Each step jumps to the next keys in the index, so it costs the same however many jobs have the same ones, or other
    // names.
    this.#walk = db.prepare<[UsageParameters & KeyRange & { names: string }], KeyUsage>(
      `WITH RECURSIVE walk (keys) AS (
         SELECT (${nextKeys("@after")})
         UNION ALL
         SELECT (${nextKeys("walk.keys")}) FROM walk WHERE walk.keys IS NOT NULL
         LIMIT @limit
       )
       ${usageOf("SELECT keys FROM walk WHERE keys IS NOT NULL")}`,
    );
    this.#usage = db.prepare<[UsageParameters & { keys: string }], KeyUsage>(usageOf("SELECT @keys AS keys"));
    this.#job = db.prepare<[number], { queue: string; keys: string | null }>(
      "SELECT queue, keys FROM jobs WHERE id = ? AND state = 'pending'",
    );
    // What has expired is cancelled by a loop, and counts as no start.
    const pick = (keys: string, priority: string) =>
      `SELECT id, priority, run_at FROM jobs WHERE state = 'pending' AND queue = ? AND keys ${keys} AND name = ?
       AND (expires_at IS NULL OR expires_at > ?) ${priority} run_at, id LIMIT ?`;
    this.#withoutKeys = db.prepare<[string, string, Instant, number], Candidate>(
      pick("IS NULL", "ORDER BY priority DESC,"),
    );
    this.#withoutKeysByPriority = db.prepare<[string, string, Instant, number, number], Candidate>(
      pick("IS NULL", "AND priority = ? ORDER BY"),
    );
    this.#ofKeys = db.prepare<[string, string, string, Instant, number], Candidate>(
      pick("= ?", "ORDER BY priority DESC,"),
    );
    this.#ofKeysByPriority = db.prepare<[string, string, string, Instant, number, number], Candidate>(
      pick("= ?", "AND priority = ? ORDER BY"),
    );
    this.#rateStarts = new RateStarts(context);
    this.#endHold = db.prepare<[string, Instant]>(
      "UPDATE queues SET held_until = NULL WHERE name = ? AND held_until <= ?",
    );
    this.#endHolds = db.prepare<[string, Instant]>("DELETE FROM holds WHERE queue = ? AND until <= ?");
    // A queue that only has jobs, and was never edited, has no row yet.
    this.#moveCursor = db.prepare<[string, string]>(
      `INSERT INTO queues (name, version, key_cursor) VALUES (?, 0, ?)
       ON CONFLICT DO UPDATE SET key_cursor = excluded.key_cursor`,
    );
  }

  /** A look without a lock: whether the limits of the queue itself let in any job. Else who waits is woken in time. */
  hasRoom(queue: string): boolean {
    const claim = this.#begin(queue, 1);
    if (!claim.hasRoom) this.#lookAgain(queue, claim);
    return claim.hasRoom;
  }

  /**
   * Runs inside a write transaction, with the counters written.
   *
   * @param names those with pending jobs that the worker serves
   * @returns the ids of the jobs that the claim must take now: their starts are counted
   */
  choose(queue: string, names: readonly string[], max: number): number[] {
    const claim = this.#begin(queue, max);
    const ids: number[] = [];
    for (;;) {
      this.#findGroups(queue, names, claim);
      const shares = claim.deal();
      if (shares.length === 0) break;
      for (const share of shares) {
        const chosen = this.#chosen(queue, names, share, claim.limits.ageingMs);
        claim.took(share, chosen.length);
        ids.push(...chosen.map(({ id }) => id));
      }
    }
    this.#record(queue, claim);
    this.#lookAgain(queue, claim);
    return ids;
  }

  /** The limit that keeps a pending job from being claimed. */
  heldBack(id: number): HeldBack | null {
    const job = this.#job.get(id);
    if (job === undefined) return null;
    const { queue, keys } = job;
    const now = this.context.clock.now();
    const row = this.#row.get(queue);
    const limits = limitsOfRow(row);
    const ofKeys = keys === null ? null : this.#usage.get({ ...usageParameters(queue, limits, now), keys });
    return firstLimit(
      limits,
      row?.held_until ?? null,
      this.#usageOf(queue, limits, now),
      ofKeys ?? null,
      now,
    );
  }

  #begin(queue: string, max: number): LimitedClaim {
    const now = this.context.clock.now();
    const row = this.#row.get(queue);
    const limits = limitsOfRow(row);
    this.context.changes.limited.remember(queue);
    const usage = this.#usageOf(queue, limits, now);
    return new LimitedClaim(limits, row?.key_cursor ?? "", row?.held_until ?? null, usage, max, now);
  }

  #usageOf(queue: string, { rateLimit }: QueueLimits, now: Instant): Usage {
    const starts =
      rateLimit === null ? undefined : this.#starts.get({ queue, since: windowStart(now, rateLimit), now });
    return {
      running: this.#running.get(queue) ?? 0,
      starts: starts?.starts ?? 0,
      first_until: starts?.first_until ?? null,
    };
  }

  #findGroups(queue: string, names: readonly string[], claim: LimitedClaim): void {
    const now = this.context.clock.now();
    const parameters = { ...usageParameters(queue, claim.limits, now), names: JSON.stringify(names) };
    for (let range = claim.range; range !== null; range = claim.range) {
      if (range === "without keys") {
        claim.addWithoutKeys();
        continue;
      }
      claim.add(this.#walk.all({ ...parameters, ...range }), range);
    }
  }

  /** The first of the group behind those that were chosen before. */
  #chosen(
    queue: string,
    names: readonly string[],
    { group, n }: Share<Member>,
    ageingMs: number | null,
  ): readonly Candidate[] {
    const upTo = group.taken + n;
    const now = this.context.clock.now();
    const candidates = names.flatMap((name) => {
      const lane = { queue, keys: group.keys, name, now };
      return ageingMs === null
        ? this.#inOrder(lane, upTo)
        : PRIORITIES.flatMap((priority) => this.#ofPriority(lane, priority, upTo));
    });
    return candidates.sort(inAgeingOrder(now, ageingMs)).slice(group.taken, upTo);
  }

  #inOrder({ queue, keys, name, now }: LaneOfKeys, limit: number): Candidate[] {
    return keys === ""
      ? this.#withoutKeys.all(queue, name, now, limit)
      : this.#ofKeys.all(queue, keys, name, now, limit);
  }

  #ofPriority({ queue, keys, name, now }: LaneOfKeys, priority: number, limit: number): Candidate[] {
    return keys === ""
      ? this.#withoutKeysByPriority.all(queue, name, now, priority, limit)
      : this.#ofKeysByPriority.all(queue, keys, name, now, priority, limit);
  }

  #record(queue: string, claim: LimitedClaim): void {
    const now = this.context.clock.now();
    this.#rateStarts.add(queue, claim.limits, new Map([["", claim.taken], ...claim.starts]), now);
    if (!claim.hasRoom && claim.taken === 0) return;
    this.#endHold.run(queue, now);
    this.#endHolds.run(queue, now);
    if (claim.cursor !== claim.from) this.#moveCursor.run(queue, claim.cursor);
    this.context.step("claim:limits");
  }

  #lookAgain(queue: string, claim: LimitedClaim): void {
    const at = claim.lookAgainAt;
    if (at !== null) this.context.changes.limited.wakeAt(queue, at, this.context.clock.now());
  }
}

function usageParameters(queue: string, { perKey }: QueueLimits, now: Instant): UsageParameters {
  const { concurrency, rateLimit } = perKey;
  const since = rateLimit === null ? null : windowStart(now, rateLimit);
  return { queue, counts: concurrency === null ? 0 : 1, since, now };
}

/** What keys use of the limits per key. */
function usageOf(keys: string): string {
  return `SELECT keys,
      CASE WHEN @counts AND concurrency_key <> '' THEN (
        SELECT count(*) FROM jobs WHERE state = 'running' AND jobs.queue = @queue
          AND jobs.keys >= concurrency_key || char(10) AND jobs.keys < concurrency_key || char(11)
      ) END AS running,
      (SELECT sum(n) FROM rate_buckets WHERE key = rate_key AND key <> '' AND ${USED}) AS starts,
      (SELECT min(until) FROM rate_buckets WHERE key = rate_key AND key <> '' AND ${USED}) AS first_until,
      (SELECT until FROM holds WHERE queue = @queue AND key = 'concurrency ' || concurrency_key) AS held_until,
      (SELECT until FROM holds WHERE queue = @queue AND key = 'rate ' || rate_key) AS rate_held_until
    FROM (
      SELECT keys, substr(keys, 1, instr(keys, char(10)) - 1) AS concurrency_key,
        substr(keys, instr(keys, char(10)) + 1) AS rate_key FROM (${keys})
    )`;
}

/** The first keys behind others, of the queue's pending jobs with one of the names. */
function nextKeys(after: string): string {
  return `SELECT min((
      SELECT jobs.keys FROM jobs WHERE state = 'pending' AND jobs.queue = @queue AND jobs.name = served.value
        AND jobs.keys IS NOT NULL AND jobs.keys > ${after} AND (@upTo IS NULL OR jobs.keys <= @upTo)
      ORDER BY jobs.keys LIMIT 1
    )) FROM json_each(@names) AS served`;
}
