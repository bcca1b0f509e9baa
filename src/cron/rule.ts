import type { NextTable } from "./next-table.js";

/**
 * A parsed cron expression. It says which local times match; `nextRun` says which instants those are.
 */
export interface CronRule {
  readonly kind: "cron";
  readonly seconds: NextTable;
  readonly minutes: NextTable;
  readonly hours: NextTable;
  readonly months: NextTable;
  /** The days that match, for every shape a month can have: see `monthShape`. Bit 0 is the 1st. */
  readonly days: readonly number[];
  /**
   * Whether the second, minute or hour field contains `*` or a step. Such a rule follows the elapsed time
   * when clocks change: nothing runs in a gap, and a repeated hour runs twice. Any other rule names times of
   * the day, each of which runs once a day.
   */
  readonly stepped: boolean;
}

/** A rule of `@every`: runs are this far apart in elapsed time, whatever the clocks do. */
export interface IntervalRule {
  readonly kind: "interval";
  /** Whole seconds, in milliseconds: 1 s to 366 days. */
  readonly everyMs: number;
}
