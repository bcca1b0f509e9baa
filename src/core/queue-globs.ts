/** A queue name in which `*` stands for any text, also none: `email`, `email.*`, `*`. */
export const QUEUE_GLOB_PATTERN = "^[A-Za-z0-9*][A-Za-z0-9._:*-]*$";

/** Whether one of the globs covers the queue. `null` covers every queue. */
export function coversQueue(globs: readonly string[] | null, queue: string): boolean {
  return globs === null || globs.some((glob) => covers(glob, queue));
}

/** Greedy, so its time is linear in the length of the name for each part of the glob. */
function covers(glob: string, queue: string): boolean {
  const [first = "", ...rest] = glob.split("*");
  if (!queue.startsWith(first)) return false;
  const last = rest.pop();
  if (last === undefined) return queue === first;
  let at = first.length;
  for (const part of rest) {
    const found = queue.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return queue.length - last.length >= at && queue.endsWith(last);
}
