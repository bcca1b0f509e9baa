import type { Instant } from "../../core/job.js";
import { heldKey, parseKeys } from "../../core/job-keys.js";
import type { Settlement } from "../claims.js";
import type { JobRow } from "../rows.js";
import { Statement } from "./statement.js";
import type { Transaction } from "./transaction.js";

interface Ended {
  readonly row: Pick<JobRow, "queue" | "keys">;
  readonly settlement: Settlement;
}

/** Keeps the jobs of a queue, or of a key, from starting. A hold that ends later than a new one stays. */
export class Holds {
  readonly #holdQueue;
  readonly #holdKey;

  constructor(s: string) {
    this.#holdQueue = new Statement<[queue: string, until: Instant], never>(
      `INSERT INTO ${s}.queues AS queue (name, version, held_until) VALUES ($1, 0, $2)
       ON CONFLICT (name) DO UPDATE SET held_until = greatest(queue.held_until, excluded.held_until)`,
    );
    this.#holdKey = new Statement<[queue: string, key: string, until: Instant], never>(
      `INSERT INTO ${s}.holds AS hold (queue, key, until) VALUES ($1, $2, $3)
       ON CONFLICT (queue, key) DO UPDATE SET until = greatest(hold.until, excluded.until)`,
    );
  }

  /** In the order of names and keys, so that no two transactions wait for each other. */
  async apply(tx: Transaction, ended: readonly Ended[]): Promise<void> {
    const queues = new Map<string, Instant>();
    const keys = new Map<string, { queue: string; key: string; until: Instant }>();
    for (const { row, settlement } of ended) {
      if (settlement.verb !== "snooze" || settlement.hold === undefined) continue;
      const { queue } = row;
      const until = tx.now + settlement.delayMs;
      const key = heldKey(parseKeys(row.keys));
      if (settlement.hold === "queue") queues.set(queue, Math.max(until, queues.get(queue) ?? 0));
      else if (key !== null) {
        const place = `${queue}\n${key}`;
        keys.set(place, { queue, key, until: Math.max(until, keys.get(place)?.until ?? 0) });
      }
    }
    for (const queue of [...queues.keys()].sort())
      await this.#holdQueue.run(tx, queue, queues.get(queue) ?? 0);
    for (const place of [...keys.keys()].sort()) {
      const hold = keys.get(place);
      if (hold !== undefined) await this.#holdKey.run(tx, hold.queue, hold.key, hold.until);
    }
  }
}
