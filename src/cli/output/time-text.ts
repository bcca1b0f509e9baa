const UNITS = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1_000],
] as const;

/** The largest unit that fits: `340ms`, `12s`, `5m`, `3h`, `2d`. */
export function durationText(ms: number): string {
  const found = UNITS.find(([, unit]) => ms >= unit);
  return found === undefined ? `${Math.round(ms)}ms` : `${Math.floor(ms / found[1])}${found[0]}`;
}

/** All of it, as the options take it: `1h30m`. */
export function exactDuration(ms: number): string {
  let left = ms;
  let text = "";
  for (const [name, unit] of UNITS) {
    const count = Math.floor(left / unit);
    if (count > 0) text += `${count}${name}`;
    left -= count * unit;
  }
  return left > 0 || text === "" ? `${text}${left}ms` : text;
}

/** `3m ago`, `in 5m`, `now`. The clocks of server and terminal may differ by a little. */
export function relative(instant: string, now: number): string {
  const ms = Date.parse(instant) - now;
  if (Math.abs(ms) < 1_000) return "now";
  return ms > 0 ? `in ${durationText(ms)}` : `${durationText(-ms)} ago`;
}

export function relativeOr(none: string, instant: string | null, now: number): string {
  return instant === null ? none : relative(instant, now);
}

/** For a single thing: when exactly, and how far away that is. */
export function instantText(instant: string | null, now: number): string | null {
  return instant === null ? null : `${instant} (${relative(instant, now)})`;
}
