import type { JobState } from "../../core/states.js";

export interface LaneCountRow {
  readonly state: JobState;
  readonly total: number;
  readonly matching: number;
}

/** What the kept counters say of each state: all its jobs, and those of the queues, names and states asked for. */
export class LaneCounts {
  readonly #rows: readonly LaneCountRow[];

  constructor(rows: readonly LaneCountRow[]) {
    this.#rows = rows;
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
