import type { Texts } from "../../i18n/text.js";
import { countOutcomes, type Outcome } from "./outcome.js";

/** In this order they are told. */
const TOLD = [
  "completed",
  "dead",
  "again",
  "running",
  "waiting",
  "cancelled",
  "gone",
  "untouched",
] as const satisfies readonly Outcome[];

/** How many jobs ended in which way: `1 completed, 2 died again`. */
export function outcomeWords({ t }: Texts, outcomes: readonly Outcome[]): string {
  const counts = countOutcomes(outcomes);
  return TOLD.flatMap((outcome) => {
    const count = counts.get(outcome) ?? 0;
    return count === 0 ? [] : [t(`became.${outcome}`, { count })];
  }).join(", ");
}
