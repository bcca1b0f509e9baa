import type { Language } from "../message.js";
import { cronInterval } from "./cron-fields.js";
import { english } from "./english.js";
import { rhythmOf } from "./rhythm.js";
import { russian } from "./russian.js";
import type { IntervalUnit } from "./voice.js";

const VOICES = { en: english, ru: russian };

/** When a cron expression runs, as a sentence: `At 02:00, Monday to Friday`. `null` when it is too odd for one. */
export function cronWords(cron: string, language: Language): string | null {
  const everyMs = cronInterval(cron);
  if (everyMs !== null) return intervalWords(everyMs, language);
  const rhythm = rhythmOf(cron);
  return rhythm === null ? null : VOICES[language].sentence(rhythm);
}

const UNITS: readonly (readonly [IntervalUnit, number])[] = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1_000],
];

/** `Every 5 minutes`, in the largest unit in which it is a whole number. */
export function intervalWords(everyMs: number, language: Language): string {
  const [unit, size] = UNITS.find(([, ms]) => everyMs % ms === 0) ?? (["second", 1_000] as const);
  return VOICES[language].interval(everyMs / size, unit);
}
