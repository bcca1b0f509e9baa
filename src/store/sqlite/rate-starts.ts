import type { Instant } from "../../core/job.js";
import type { QueueLimits } from "../../core/queue-limits.js";
import { bucketOf } from "../limits/rate-window.js";
import type { SqliteContext } from "./context.js";

/** Rows of past windows that a claim removes beyond those that it adds, so that the table shrinks again. */
const REMOVED_PER_CLAIM = 8;

/** Keeps the starts that the rates of a queue and of its keys count. Every method runs inside a write transaction. */
export class RateStarts {
  readonly #removeFuture;
  readonly #add;
  readonly #removeOld;
  readonly #forgetOfQueue;
  readonly #forgetOfKeys;
  readonly #cutOfQueue;
  readonly #cutOfKeys;

  constructor({ db }: SqliteContext) {
    this.#removeFuture = db.prepare<[string, string, Instant]>(
      "DELETE FROM rate_buckets WHERE queue = ? AND key = ? AND at > ?",
    );
    this.#add = db.prepare<[string, string, Instant, Instant, number]>(
      `INSERT INTO rate_buckets (queue, key, at, until, n) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET n = n + excluded.n, until = max(until, excluded.until)`,
    );
    this.#removeOld = db.prepare<[string, Instant, number]>(
      `DELETE FROM rate_buckets WHERE (queue, key, at) IN
         (SELECT queue, key, at FROM rate_buckets WHERE queue = ? AND until <= ? ORDER BY until LIMIT ?)`,
    );
    const forget = (keys: string) =>
      db.prepare<[string]>(`DELETE FROM rate_buckets WHERE queue = ? AND key ${keys}`);
    this.#forgetOfQueue = forget("= ''");
    this.#forgetOfKeys = forget("> ''");
    const cut = (keys: string) =>
      db.prepare<[Instant, string, Instant]>(
        `UPDATE rate_buckets SET until = ? WHERE queue = ? AND key ${keys} AND until > ?`,
      );
    this.#cutOfQueue = cut("= ''");
    this.#cutOfKeys = cut("> ''");
  }

  /** @param byKey starts now, by rate key; those of the queue under the empty text */
  add(
    queue: string,
    { rateLimit, perKey }: QueueLimits,
    byKey: ReadonlyMap<string, number>,
    now: Instant,
  ): void {
    let added = 0;
    for (const [key, n] of byKey) {
      const rate = key === "" ? rateLimit : perKey.rateLimit;
      if (rate === null || n === 0) continue;
      const { at, until } = bucketOf(now, rate);
      // Of a time when the clock was ahead: nothing that counts.
      this.#removeFuture.run(queue, key, now);
      this.#add.run(queue, key, at, until, n);
      added += 1;
    }
    if (added === 0) return;
    const longest = Math.max(rateLimit?.perMs ?? 0, perKey.rateLimit?.perMs ?? 0);
    this.#removeOld.run(queue, now - longest, added + REMOVED_PER_CLAIM);
  }

  /** A limit that is set again later begins anew; of another window, starts count from when they were at the latest. */
  edited(queue: string, before: QueueLimits, after: QueueLimits, now: Instant): void {
    if (after.rateLimit === null) this.#forgetOfQueue.run(queue);
    if (after.perKey.rateLimit === null) this.#forgetOfKeys.run(queue);
    if (after.rateLimit?.perMs !== before.rateLimit?.perMs) this.#cutOfQueue.run(now, queue, now);
    if (after.perKey.rateLimit?.perMs !== before.perKey.rateLimit?.perMs)
      this.#cutOfKeys.run(now, queue, now);
  }
}
