import type { JobState } from "../../../core/states.js";
import type { Connection } from "../connection.js";
import { allOf, type Condition } from "./condition.js";

interface CountRow {
  readonly state: JobState;
  readonly total: number;
  readonly matching: number;
}

/** What the kept counters say of each state: all its jobs, and those of the queues, names and states asked for. */
export class LaneCounts {
  readonly #rows: readonly CountRow[];

  constructor(db: Connection, lanes: readonly Condition[]) {
    const { sql, values } = allOf(lanes);
    this.#rows = db
      .prepare<unknown[], CountRow>(
        `SELECT state, sum(n) AS total, sum(iif(${sql}, n, 0)) AS matching FROM counts GROUP BY state`,
      )
      .all(...values);
  }

  /** How many jobs match. */
  get matching(): number {
    return this.#rows.reduce((sum, { matching }) => sum + matching, 0);
  }

  /** States that have jobs which match. */
  get states(): readonly JobState[] {
    return this.#rows.filter(({ matching }) => matching > 0).map(({ state }) => state);
  }

  totalOf(state: JobState): number {
    return this.#rows.find((row) => row.state === state)?.total ?? 0;
  }

  matchingOf(state: JobState): number {
    return this.#rows.find((row) => row.state === state)?.matching ?? 0;
  }

  /** Whether every job matches; every job of `state`, when one is given. */
  holdForAll(state: JobState | null): boolean {
    return this.#rows.every((row) => row.matching === row.total || (state !== null && row.state !== state));
  }
}
