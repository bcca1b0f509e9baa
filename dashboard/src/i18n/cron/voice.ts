import type { Rhythm, TimeOfDay } from "./rhythm.js";

export type IntervalUnit = "second" | "minute" | "hour" | "day";

/** How a language tells when something runs. Whole sentences: the word order is the language's own. */
export interface CronVoice {
  readonly sentence: (rhythm: Rhythm) => string;
  readonly interval: (n: number, unit: IntervalUnit) => string;
}

/** `02:00`, and the second where there is one. */
export function clockOf({ hour, minute, second }: TimeOfDay): string {
  const parts = second === 0 ? [hour, minute] : [hour, minute, second];
  return parts.map((part) => String(part).padStart(2, "0")).join(":");
}
