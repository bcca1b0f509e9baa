import type { Model } from "./model.js";

type Random = () => number;

interface Part {
  readonly text: string;
  readonly values: ReadonlySet<number>;
}

const MONTHS = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"];
const WEEKDAYS = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"];

/** An expression of five or six fields with every form of the grammar, some of them rarely. */
export function randomModel(random: Random): Model {
  const second = chance(random, 0.25) ? randomPart(random, 0, 59, 0.15) : null;
  const minute = randomPart(random, 0, 59, 0.2);
  const hour = randomPart(random, 0, 23, 0.35);
  const month = chance(random, 0.6) ? all(1, 12) : named(random, randomPart(random, 1, 12, 0), 1, MONTHS);
  const monthDay = randomMonthDay(random);
  const weekDay = randomWeekDay(random);
  const written = [minute, hour, monthDay, month, weekDay].map((part) => part.text);
  if (second !== null) written.unshift(second.text);
  return {
    text: written.join(" "),
    seconds: second?.values ?? new Set([0]),
    minutes: minute.values,
    hours: hour.values,
    months: month.values,
    monthDay: monthDay.names,
    weekDay: weekDay.names,
    anyMonthDay: /^[*?]/.test(monthDay.text),
    anyWeekDay: /^[*?]/.test(weekDay.text),
    stepped: [second?.text ?? "0", minute.text, hour.text].some((text) => /[*/]/.test(text)),
  };
}

function randomPart(random: Random, smallest: number, largest: number, star: number): Part {
  if (chance(random, star)) return all(smallest, largest);
  const items = [randomItem(random, smallest, largest)];
  const more = chance(random, 0.25) ? whole(random, 1, 2) : 0;
  for (let index = 0; index < more; index += 1) {
    const item = randomItem(random, smallest, largest);
    // cron-parser does not read a list that names a value twice.
    const fresh = items.every((other) => ![...item.values].some((value) => other.values.has(value)));
    if (fresh) items.push(item);
  }
  return {
    text: items.map((item) => item.text).join(","),
    values: new Set(items.flatMap((item) => [...item.values])),
  };
}

function randomItem(random: Random, smallest: number, largest: number): Part {
  const a = whole(random, smallest, largest);
  const b = whole(random, a, largest);
  const step = whole(random, 1, largest);
  const form = random();
  if (form < 0.55) return { text: String(a), values: new Set([a]) };
  if (form < 0.75) return { text: `${a}-${b}`, values: span(a, b, 1) };
  if (form < 0.85) return { text: `${a}-${b}/${step}`, values: span(a, b, step) };
  if (form < 0.9) return { text: `${a}/${step}`, values: span(a, largest, step) };
  return { text: `*/${step}`, values: span(smallest, largest, step) };
}

interface DayPart {
  readonly text: string;
  readonly names: (date: Date) => boolean;
}

function randomMonthDay(random: Random): DayPart {
  const form = random();
  if (form < 0.4) return { text: "*", names: () => true };
  if (form < 0.43) return { text: "?", names: () => true };
  if (form < 0.5) return { text: "L", names: (date) => date.getUTCDate() === lastDay(date) };
  if (form < 0.53) {
    const distance = whole(random, 1, 30);
    return { text: `L-${distance}`, names: (date) => date.getUTCDate() === lastDay(date) - distance };
  }
  if (form < 0.56) {
    return { text: "LW", names: (date) => date.getUTCDate() === workingDayNear(date, lastDay(date)) };
  }
  if (form < 0.6) {
    const day = whole(random, 1, 31);
    return { text: `${day}W`, names: (date) => date.getUTCDate() === workingDayNear(date, day) };
  }
  const part = randomPart(random, 1, 31, 0);
  return { text: part.text, names: (date) => part.values.has(date.getUTCDate()) };
}

function randomWeekDay(random: Random): DayPart {
  const form = random();
  if (form < 0.5) return { text: "*", names: () => true };
  if (form < 0.53) return { text: "?", names: () => true };
  const day = whole(random, 0, 7);
  const name = chance(random, 0.5) ? String(day) : WEEKDAYS[day % 7]!;
  const isDay = (date: Date) => date.getUTCDay() === day % 7;
  if (form < 0.6) {
    return { text: `${name}L`, names: (date) => isDay(date) && date.getUTCDate() > lastDay(date) - 7 };
  }
  if (form < 0.7) {
    const week = whole(random, 1, 5);
    return {
      text: `${name}#${week}`,
      names: (date) => isDay(date) && Math.ceil(date.getUTCDate() / 7) === week,
    };
  }
  if (form < 0.75) {
    const from = whole(random, 1, 6);
    const text = `${WEEKDAYS[from]!}-${chance(random, 0.5) ? "SUN" : "7"}`;
    return { text, names: (date) => date.getUTCDay() === 0 || date.getUTCDay() >= from };
  }
  const part = named(random, randomPart(random, 0, 6, 0), 0, WEEKDAYS);
  return { text: part.text, names: (date) => part.values.has(date.getUTCDay()) };
}

/** Puts names for values, but not for steps. */
function named(random: Random, part: Part, smallest: number, names: readonly string[]): Part {
  if (chance(random, 0.5)) return part;
  const text = part.text.replace(/(?<![/\d])\d+/g, (digits) => names[Number(digits) - smallest]!);
  // SUN-SUN is refused: it is one day or all.
  return text.includes("-SUN") ? part : { ...part, text };
}

function lastDay(date: Date): number {
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
}

/** The nearest Monday to Friday of the month; 0 when the month has no such day. */
function workingDayNear(date: Date, day: number): number {
  const last = lastDay(date);
  if (day > last) return 0;
  const distances = [0, -1, 1, -2, 2];
  for (const distance of distances) {
    const candidate = day + distance;
    const weekday = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), candidate)).getUTCDay();
    if (candidate >= 1 && candidate <= last && weekday !== 0 && weekday !== 6) return candidate;
  }
  return 0;
}

function all(smallest: number, largest: number): Part {
  return { text: "*", values: span(smallest, largest, 1) };
}

function span(from: number, to: number, step: number): Set<number> {
  const values = new Set<number>();
  for (let value = from; value <= to; value += step) values.add(value);
  return values;
}

function chance(random: Random, part: number): boolean {
  return random() < part;
}

export function whole(random: Random, from: number, to: number): number {
  return from + Math.floor(random() * (to - from + 1));
}
