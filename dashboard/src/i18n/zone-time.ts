import type { Language } from "./message.js";

/** Writes points in time as the clocks of one zone show them. */
export interface ZoneTime {
  /** Weekday, date, time and zone: `Mon, 30 Nov 2026, 03:00 EST`. */
  readonly full: (at: number) => string;
  /** The same without the year, for times that are less than a year away. Both have seconds where there are some. */
  readonly brief: (at: number) => string;
  /** The same without the zone, to compare what two zones show. */
  readonly wall: (at: number) => string;
}

const made = new Map<string, ZoneTime | null>();

/** @param zone IANA name, or `local`. `null`: this browser does not know the zone. */
export function zoneTime(language: Language, zone: string): ZoneTime | null {
  const key = `${language} ${zone}`;
  let known = made.get(key);
  if (known === undefined) made.set(key, (known = make(language, zone)));
  return known;
}

function make(language: Language, zone: string): ZoneTime | null {
  const locale = language === "en" ? "en-GB" : "ru-RU";
  const minute = {
    weekday: "short",
    day: "numeric",
    month: "short",
    hour: "2-digit",
    minute: "2-digit",
    timeZone: zone === "local" ? undefined : zone,
  } as const;
  const year = { year: "numeric" } as const;
  const writer = (parts: Intl.DateTimeFormatOptions): ((at: number) => string) => {
    const zoned = { ...minute, ...parts, timeZoneName: "short" } as const;
    const toMinute = new Intl.DateTimeFormat(locale, zoned);
    const toSecond = new Intl.DateTimeFormat(locale, { ...zoned, second: "2-digit" });
    return (at) => (at % 60_000 === 0 ? toMinute : toSecond).format(at);
  };
  try {
    const wall = new Intl.DateTimeFormat(locale, { ...minute, ...year });
    return { wall: (at) => wall.format(at), full: writer(year), brief: writer({}) };
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** Whether the browser knows the zone. */
export function isZone(zone: string): boolean {
  return zone !== "" && zoneTime("en", zone) !== null;
}

/** Zones whose city is what was typed, or begins with it: `Moscow` is `Europe/Moscow`. The closest come first. */
export function zonesLike(typed: string): readonly string[] {
  const city = typed.trim().toLowerCase().replaceAll(/\s+/g, "_");
  if (city.length < 3) return [];
  const cityOf = (zone: string): string => zone.slice(zone.lastIndexOf("/") + 1).toLowerCase();
  return zoneNames()
    .filter((zone) => cityOf(zone).startsWith(city))
    .sort((a, b) => cityOf(a).length - cityOf(b).length)
    .slice(0, SUGGESTED);
}

const SUGGESTED = 3;

let zones: readonly string[] | null = null;

/** The names of all zones that the browser knows. */
export function zoneNames(): readonly string[] {
  return (zones ??= ["UTC", ...Intl.supportedValuesOf("timeZone").filter((name) => name !== "UTC")]);
}
