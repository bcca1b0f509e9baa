/** Longer names are no slips of the finger, and comparing takes quadratic time. */
const LONGEST = 40;

/** The known name that a misspelt one most likely stands for; `null` when none is near. */
export function nearestName(name: string, known: readonly string[]): string | null {
  if (name.length > LONGEST) return null;
  let nearest: string | null = null;
  // A third of the letters may differ, but never all of a short name.
  let limit = Math.max(1, Math.floor(name.length / 3));
  for (const candidate of known) {
    // So many letters are inserted or deleted at least.
    if (Math.abs(candidate.length - name.length) > limit) continue;
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase());
    if (distance > limit || (nearest !== null && distance === limit)) continue;
    nearest = candidate;
    limit = distance;
  }
  return nearest;
}

/** Letters to insert, delete or replace until both are the same (Levenshtein). */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
