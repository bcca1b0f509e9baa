import type { Instant } from "../../core/job.js";
import { heldKey, parseKeys } from "../../core/job-keys.js";
import type { Settlement } from "../claims.js";
import type { JobRow } from "../rows.js";
import type { SqliteContext } from "./context.js";

/** Keeps the jobs of a queue, or of a key, from starting. A hold that ends later than a new one stays. */
export class Holds {
  readonly #holdQueue;
  readonly #holdKey;

  constructor(private readonly context: SqliteContext) {
    const { db } = context;
    this.#holdQueue = db.prepare<[string, Instant]>(
      `INSERT INTO queues (name, version, held_until) VALUES (?, 0, ?)
       ON CONFLICT DO UPDATE SET held_until = max(coalesce(held_until, 0), excluded.held_until)`,
    );
    this.#holdKey = db.prepare<[string, string, Instant]>(
      `INSERT INTO holds (queue, key, until) VALUES (?, ?, ?)
       ON CONFLICT DO UPDATE SET until = max(until, excluded.until)`,
    );
  }

  /** Runs inside a write transaction. */
  apply(
    { queue, keys }: Pick<JobRow, "queue" | "keys">,
    { hold, delayMs }: Extract<Settlement, { verb: "snooze" }>,
    now: Instant,
  ): void {
    if (hold === undefined) return;
    const key = heldKey(parseKeys(keys));
    if (hold === "queue") this.#holdQueue.run(queue, now + delayMs);
    else if (key !== null) this.#holdKey.run(queue, key, now + delayMs);
    this.context.step("settle:hold");
  }
}
