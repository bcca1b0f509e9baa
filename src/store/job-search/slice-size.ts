/** How many candidates the next slice of a scan should have, when one of `size` took so long. */
export function nextSliceSize(size: number, tookMs: number, wantedMs: number): number {
  const fitting = Math.floor((size * wantedMs) / Math.max(tookMs, 0.01));
  // At most twice as many, so that one quick slice does not bring a slow one.
  return Math.max(SMALLEST, Math.min(fitting, size * 2, LARGEST));
}

const SMALLEST = 1;
const LARGEST = 8_000;
