import type { Clock } from "../../core/clock.js";
import type { Instant } from "../../core/job.js";

/**
 * The database's own time, which decides what is due and what has expired. A transaction asks for it when it begins;
 * where nothing is asked, it is reckoned from the latest answer by a clock that nobody can set.
 */
export class DatabaseClock {
  #ahead: number;

  constructor(
    private readonly clock: Clock,
    now: Instant,
    /** For tests: time that passes only when they say so, instead of the database's. */
    private readonly fixed: boolean,
  ) {
    this.#ahead = now - clock.monotonic();
  }

  /** An expression that gives the time in a statement that is about to be sent. */
  get sql(): string {
    // A number cannot carry anything but itself into a statement.
    return this.fixed ? `${String(this.clock.now())}::bigint` : NOW;
  }

  /** The database has just said this. */
  told(now: Instant): void {
    this.#ahead = now - this.clock.monotonic();
  }

  /** For durations: of this process, not of the database. */
  monotonic(): number {
    return this.clock.monotonic();
  }

  now(): Instant {
    return this.fixed ? this.clock.now() : Math.floor(this.#ahead + this.clock.monotonic());
  }
}

/** In milliseconds since the epoch, as of the statement and not of the begin of its transaction. */
const NOW = "floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint";
