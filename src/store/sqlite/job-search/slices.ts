import { setImmediate as nextTurn } from "node:timers/promises";
import type { Clock } from "../../../core/clock.js";
import type { JobCursor } from "../../jobs.js";
import type { Place } from "../../job-search/order.js";
import { nextSliceSize } from "../../job-search/slice-size.js";
import type { SqliteContext } from "../context.js";
import type { Candidates, Slice } from "./candidates.js";

/** A first slice is small: nobody knows how large the payloads are, and one alone can take milliseconds. */
const FIRST_SLICE = 4;
/** SQLite works in this process: nothing else runs meanwhile. */
const SLICE_MS = 6;
/** Of a walk that cannot be interrupted: about as long, since its last slice may begin just before. */
const AT_ONCE_MS = 10;

export interface ScannedSlice extends Slice {
  /** `null`: the slice reaches to the end of the candidates. */
  readonly last: Place | null;
  /** Candidates in the slice, when it does not reach to the end. */
  readonly size: number;
}

/**
 * Cuts the candidates behind a place into slices that each take a few milliseconds, with a turn of the event
 * loop between them, until the end or until the budget is spent; there is always one. The work of whoever
 * reads the slices is part of their time.
 */
export async function* slicesOf(
  { clock, read }: Pick<SqliteContext, "clock" | "read">,
  candidates: Candidates,
  start: JobCursor | null,
  budgetMs: number,
): AsyncGenerator<ScannedSlice, void> {
  const deadline = clock.monotonic() + budgetMs;
  let after = start;
  let size = FIRST_SLICE;
  for (;;) {
    const begun = clock.monotonic();
    const [from, wanted] = [after, size];
    const last = await read(() => candidates.nth(from, wanted));
    yield { after, last, size };
    const now = clock.monotonic();
    if (last === null || now >= deadline) return;
    after = last;
    size = nextSliceSize(size, now - begun, SLICE_MS);
    await nextTurn();
  }
}

/**
 * As `slicesOf`, but without turns between the slices: until the end, until so many candidates were looked at, or for
 * some milliseconds. There is always one.
 */
export function* slicesAtOnce(
  clock: Pick<Clock, "monotonic">,
  candidates: Candidates,
  start: JobCursor | null,
  examineAtMost: number,
): Generator<Pick<ScannedSlice, "after" | "last">, void> {
  const deadline = clock.monotonic() + AT_ONCE_MS;
  let after = start;
  let size = FIRST_SLICE;
  let left = examineAtMost;
  for (;;) {
    const begun = clock.monotonic();
    const wanted = Math.min(size, left);
    const last = candidates.nth(after, wanted);
    yield { after, last };
    left -= wanted;
    const now = clock.monotonic();
    if (last === null || left === 0 || now >= deadline) return;
    after = last;
    size = nextSliceSize(size, now - begun, SLICE_MS);
  }
}
