import type { Clock } from "../../../core/clock.js";
import type { Place } from "../../job-search/order.js";
import { nextSliceSize } from "../../job-search/slice-size.js";
import type { JobCursor } from "../../jobs.js";

/** A first slice is small: nobody knows how large the payloads are. */
export const FIRST_SLICE = 16;
/** Long beside the way to the database and back, short beside what people wait. */
const SLICE_MS = 25;

/** How far a walk goes. */
export interface Walk {
  readonly start: JobCursor | null;
  readonly firstSize: number;
  /** How long it may take; there is always one slice. */
  readonly budgetMs: number;
  /** Candidates that are looked at. */
  readonly examineAtMost: number;
}

/**
 * Walks over slices of candidates until their end, until the walk has gone far enough, or until nothing more is
 * wanted. One statement after the other, so this process and the database have time for others.
 *
 * @param read reads the slice of this size behind this place, and says where it ends, and whether to go on
 * @returns where it ended; `null` at the end of the candidates
 */
export async function walkSlices(
  clock: Pick<Clock, "monotonic">,
  { start, firstSize, budgetMs, examineAtMost }: Walk,
  read: (after: JobCursor | null, size: number) => Promise<{ last: Place | null; goOn: boolean }>,
): Promise<Place | null> {
  const deadline = clock.monotonic() + budgetMs;
  let after = start;
  let size = firstSize;
  let left = examineAtMost;
  for (;;) {
    const begun = clock.monotonic();
    const wanted = Math.min(size, left);
    const { last, goOn } = await read(after, wanted);
    left -= wanted;
    const now = clock.monotonic();
    if (last === null || !goOn || left === 0 || now >= deadline) return last;
    after = last;
    size = nextSliceSize(size, now - begun, SLICE_MS);
  }
}
