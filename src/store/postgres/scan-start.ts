import type { Instant } from "../../core/job.js";
import type { DatabaseClock } from "./database-clock.js";

/** A transaction that was open longer than this when its time was scanned is found by the next whole scan. */
const OVERLAP_MS = 30_000;

/**
 * Where a scan begins that looks again and again for rows whose time has come. What was due before is gone, and left
 * entries in the index that VACUUM cannot remove while an old transaction is open: each scan would pass over all of
 * them. Now and then one looks at everything, because a row may have been late, or the clock set back.
 */
export class ScanStart {
  #from: Instant = 0;
  #wholeDueAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly clock: DatabaseClock,
    private readonly wholeEveryMs: number,
  ) {}

  next(): Instant {
    if (this.clock.monotonic() >= this.#wholeDueAt || this.#from > this.clock.now()) return 0;
    return this.#from;
  }

  /** A scan that began there has come to this time. */
  came(from: Instant, to: Instant): void {
    this.#from = to - OVERLAP_MS;
    if (from === 0) this.#wholeDueAt = this.clock.monotonic() + this.wholeEveryMs;
  }
}
