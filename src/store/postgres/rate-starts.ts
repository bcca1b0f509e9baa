import type { Instant } from "../../core/job.js";
import type { QueueLimits, RateLimit } from "../../core/queue-limits.js";
import { bucketOf, type Bucket } from "../limits/rate-window.js";
import type { Queryable } from "./connection.js";
import { Statement } from "./statement.js";

/** Rows of past windows that a claim removes beyond those that it adds, so that the table shrinks again. */
const REMOVED_PER_CLAIM = 8;

/** Keeps the starts that the rates of a queue and of its keys count. */
export class RateStarts {
  readonly #removeFuture;
  readonly #add;
  readonly #removeOld;
  readonly #forget;
  readonly #cut;

  constructor(s: string) {
    this.#removeFuture = new Statement<[queue: string, keys: readonly string[], now: Instant], never>(
      `DELETE FROM ${s}.rate_buckets WHERE queue = $1 AND key = ANY($2::text[]) AND at > $3`,
    );
    this.#add = new Statement<
      [
        queue: string,
        keys: readonly string[],
        ats: readonly Instant[],
        untils: readonly Instant[],
        ns: readonly number[],
      ],
      never
    >(
      `INSERT INTO ${s}.rate_buckets AS bucket (queue, key, at, until, n)
       SELECT $1, * FROM unnest($2::text[], $3::bigint[], $4::bigint[], $5::int[])
       ON CONFLICT (queue, key, at) DO UPDATE SET n = bucket.n + excluded.n,
         until = greatest(bucket.until, excluded.until)`,
    );
    this.#removeOld = new Statement<[queue: string, until: Instant, limit: number], never>(
      `DELETE FROM ${s}.rate_buckets WHERE (queue, key, at) IN
         (SELECT queue, key, at FROM ${s}.rate_buckets WHERE queue = $1 AND until <= $2 ORDER BY until LIMIT $3)`,
    );
    const scope = "queue = $1 AND CASE key WHEN '' THEN $2::boolean ELSE $3::boolean END";
    this.#forget = new Statement<[queue: string, ofQueue: boolean, ofKeys: boolean], never>(
      `DELETE FROM ${s}.rate_buckets WHERE ${scope}`,
    );
    this.#cut = new Statement<[queue: string, ofQueue: boolean, ofKeys: boolean, now: Instant], never>(
      `UPDATE ${s}.rate_buckets SET until = $4::bigint WHERE ${scope} AND until > $4::bigint`,
    );
  }

  /** @param byKey starts now, by rate key; those of the queue under the empty text */
  async add(
    db: Queryable,
    queue: string,
    { rateLimit, perKey }: QueueLimits,
    byKey: ReadonlyMap<string, number>,
    now: Instant,
  ): Promise<void> {
    const starts = [...byKey].flatMap(([key, n]): (Bucket & { key: string; n: number })[] => {
      const rate = key === "" ? rateLimit : perKey.rateLimit;
      return rate === null || n === 0 ? [] : [{ key, n, ...bucketOf(now, rate) }];
    });
    if (starts.length === 0) return;
    const keys = starts.map(({ key }) => key);
    // Of a time when the clock was ahead: nothing that counts.
    await this.#removeFuture.run(db, queue, keys, now);
    await this.#add.run(
      db,
      queue,
      keys,
      starts.map(({ at }) => at),
      starts.map(({ until }) => until),
      starts.map(({ n }) => n),
    );
    const longest = Math.max(rateLimit?.perMs ?? 0, perKey.rateLimit?.perMs ?? 0);
    await this.#removeOld.run(db, queue, now - longest, starts.length + REMOVED_PER_CLAIM);
  }

  /** A limit that is set again later begins anew; of another window, starts count from when they were at the latest. */
  async edited(
    db: Queryable,
    queue: string,
    before: QueueLimits,
    after: QueueLimits,
    now: Instant,
  ): Promise<void> {
    await this.#forget.run(db, queue, after.rateLimit === null, after.perKey.rateLimit === null);
    const [ofQueue, ofKeys] = [
      isOtherWindow(before.rateLimit, after.rateLimit),
      isOtherWindow(before.perKey.rateLimit, after.perKey.rateLimit),
    ] as const;
    if (ofQueue || ofKeys) await this.#cut.run(db, queue, ofQueue, ofKeys, now);
  }
}

function isOtherWindow(before: RateLimit | null, after: RateLimit | null): boolean {
  return before?.perMs !== after?.perMs;
}
