import { InvalidArgumentError } from "commander";
import { parseInstant } from "../../core/instant.js";

const UNIT_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const WHOLE = /^(?:\d{1,9}(?:ms|s|m|h|d))+$/;
const PART = /(\d+)(ms|s|m|h|d)/g;

/** Milliseconds of `30s`, `5m`, `1h30m`; `null` for what is no duration. */
export function parseDuration(text: string): number | null {
  if (!WHOLE.test(text)) return null;
  let ms = 0;
  for (const [, count, unit] of text.matchAll(PART))
    ms += Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS];
  return ms;
}

/** For an option. @throws InvalidArgumentError */
export function durationOption(text: string): number {
  const ms = parseDuration(text);
  if (ms === null) throw new InvalidArgumentError("It must be a duration such as 500ms, 30s, 5m, 2h or 7d.");
  return ms;
}

/** For an option: how many in how long. @throws InvalidArgumentError */
export function rateOption(text: string): { readonly max: number; readonly perMs: number } {
  const [, max, time = ""] = /^(\d{1,9})\/(.+)$/.exec(text) ?? [];
  const perMs = parseDuration(/^\d/.test(time) ? time : `1${time}`);
  if (max !== undefined && perMs !== null) return { max: Number(max), perMs };
  throw new InvalidArgumentError("It must be a number of starts in a time, such as 100/s or 5/10m.");
}

/** For an option: an instant with an offset. @throws InvalidArgumentError */
export function instantOption(text: string): string {
  const instant = parseInstant(text);
  if (typeof instant === "number") return text;
  throw new InvalidArgumentError(`It ${instant.problem}.`);
}

/** For an option: an instant, or how far away it is. @throws InvalidArgumentError */
export function laterOption(text: string): string {
  const ms = parseDuration(text);
  if (ms !== null) return new Date(Date.now() + ms).toISOString();
  if (typeof parseInstant(text) === "number") return text;
  throw new InvalidArgumentError(
    "It must be a duration such as 90d, or an instant such as 2026-12-31T00:00:00Z.",
  );
}
