const MINUTE = 60_000;
const PATTERN = /^(\d+)\/(\d+)\/(\d+), (\d+):(\d+):(\d+)$/;

const formats = new Map<string, Intl.DateTimeFormat>();

/** What the clocks of a zone show, read from `Intl` alone and without a cache: milliseconds of a UTC clock. */
export function shownAt(zone: string, instant: number): number {
  let format = formats.get(zone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat("en-US", {
      timeZone: zone,
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
    formats.set(zone, format);
  }
  const [, month, day, year, hour, minute, second] = PATTERN.exec(format.format(instant))!.map(Number);
  return Date.UTC(year!, month! - 1, day, hour, minute, second);
}

/** The instants after `from` and up to `to` at which the clocks change: the day, then the hour, then the minute. */
export function changesBetween(zone: string, from: number, to: number): number[] {
  const changes: number[] = [];
  for (const day of unevenSteps(zone, from, to, 24 * 60 * MINUTE)) {
    for (const hour of unevenSteps(zone, day, day + 24 * 60 * MINUTE, 60 * MINUTE)) {
      for (const minute of unevenSteps(zone, hour, hour + 60 * MINUTE, MINUTE)) {
        if (minute + MINUTE <= to) changes.push(minute + MINUTE);
      }
    }
  }
  return changes;
}

/** Where steps begin at whose end the clocks show another time than the step is long. */
function unevenSteps(zone: string, from: number, to: number, step: number): number[] {
  const starts: number[] = [];
  let before = shownAt(zone, from);
  for (let start = from; start < to; start += step) {
    const after = shownAt(zone, start + step);
    if (after - before !== step) starts.push(start);
    before = after;
  }
  return starts;
}
