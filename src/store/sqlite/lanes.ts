import type { Statement } from "better-sqlite3";
import type { Connection } from "./connection.js";

type Candidate = [id: number, priority: number, runAt: number];
type Pick = Statement<unknown[], Candidate>;

/** SQLite merges at most 500 ordered selects in one statement; far fewer keep its compilation short. */
const LANES_PER_PICK = 64;

/** The lanes of a queue: its pending jobs of one name each, in claim order, but for those with keys. */
export class Lanes {
  readonly #pendingNames;
  /** By number of lanes, made when first needed. */
  readonly #picks = new Map<number, Pick>();

  constructor(private readonly db: Connection) {
    this.#pendingNames = db
      .prepare<[string], string>("SELECT name FROM counts WHERE queue = ? AND state = 'pending' AND n > 0")
      .pluck();
  }

  /** Names with pending jobs among those that a worker serves; `null` means all. */
  pending(queue: string, served: readonly string[] | null): string[] {
    const names = this.#pendingNames.all(queue);
    return served === null ? names : names.filter((name) => served.includes(name));
  }

  /**
   * Ids of the first `max` jobs over several lanes. Each lane is an ordered index range and the ranges
   * are merged lazily, so this reads little more than `max` rows, however long the lanes are.
   */
  pick(queue: string, names: readonly string[], max: number): number[] {
    const candidates: Candidate[] = [];
    for (let from = 0; from < names.length; from += LANES_PER_PICK) {
      const some = names.slice(from, from + LANES_PER_PICK);
      candidates.push(...this.#pickFrom(some.length).all(...some.flatMap((name) => [queue, name]), max));
    }
    return candidates
      .sort(
        ([idA, priorityA, runAtA], [idB, priorityB, runAtB]) =>
          priorityB - priorityA || runAtA - runAtB || idA - idB,
      )
      .slice(0, max)
      .map(([id]) => id);
  }

  #pickFrom(lanes: number): Pick {
    let pick = this.#picks.get(lanes);
    if (pick === undefined) {
      pick = this.db.prepare<unknown[], Candidate>(pickStatement(lanes)).raw();
      this.#picks.set(lanes, pick);
    }
    return pick;
  }
}

/** @internal exported for the test that looks at its query plan */
export function pickStatement(lanes: number): string {
  const lane = `SELECT id, priority, run_at FROM jobs
    WHERE state = 'pending' AND keys IS NULL AND queue = ? AND name = ?`;
  return `${Array.from({ length: lanes }, () => lane).join(" UNION ALL ")}
    ORDER BY priority DESC, run_at, id LIMIT ?`;
}
