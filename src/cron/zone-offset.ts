/** Before this no zone had its first change, so that its local mean time goes back without an end. */
const EARLIEST = Date.UTC(1800, 0, 1);
/** After this nothing is asked for, and text with longer years needs no reading. */
const LATEST = Date.UTC(10_000, 0, 2);

const PATTERN = /^(\d+)\/(\d+)\/(\d+), (\d+):(\d+):(\d+)$/;

/** Tells a zone's offset at an instant, in milliseconds east of UTC. */
export type OffsetReader = (instant: number) => number;

/** `Intl` tells no offsets, only local times: the offset is the difference. */
export function offsetReader(timeZone: string): OffsetReader {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone,
    calendar: "gregory",
    numberingSystem: "latn",
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  return (instant) => {
    const second = Math.floor(Math.min(Math.max(instant, EARLIEST), LATEST) / 1_000) * 1_000;
    const text = format.format(second);
    const parts = PATTERN.exec(text);
    if (parts === null) throw new Error(`Intl wrote a local time in a form that is not known: ${text}`);
    const [, month, day, year, hour, minute, secondOfMinute] = parts;
    const local = Date.UTC(
      Number(year),
      Number(month) - 1,
      Number(day),
      Number(hour),
      Number(minute),
      Number(secondOfMinute),
    );
    return local - second;
  };
}
