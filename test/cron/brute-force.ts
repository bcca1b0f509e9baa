import { shownAt } from "./local-clock.js";
import { matches, type Model } from "./model.js";

const MINUTE = 60_000;
const DAY = 86_400_000;

/** One minute of a zone's history. */
interface Step {
  readonly instant: number;
  readonly local: number;
  /** Whether the same local time occurred before. */
  readonly again: boolean;
}

/** Every minute between two instants. Zones of our days change their clocks at whole minutes, by whole minutes. */
export function minutesBetween(zone: string, from: number, to: number): Step[] {
  const steps: Step[] = [];
  const seen = new Set<number>();
  for (let instant = from - DAY; instant < to; instant += MINUTE) {
    const local = shownAt(zone, instant);
    if (instant >= from) steps.push({ instant, local, again: seen.has(local) });
    seen.add(local);
  }
  return steps;
}

/** All runs within the minutes, in order, by the rules as they are documented. */
export function runsIn(model: Model, steps: readonly Step[]): number[] {
  const runs = new Set<number>();
  let expected = steps[0]!.local;
  for (const { instant, local, again } of steps) {
    if (!model.stepped) {
      for (let missing = expected; missing < local; missing += MINUTE) {
        const start = missing - (missing % DAY);
        const dateExists = expected > start || local < start + DAY;
        if (dateExists && secondsIn(model, missing).length > 0) runs.add(instant);
      }
    }
    if (model.stepped || !again) {
      for (const second of secondsIn(model, local)) runs.add(instant + second * 1_000);
    }
    expected = local + MINUTE;
  }
  return [...runs].sort((a, b) => a - b);
}

function secondsIn(model: Model, minute: number): number[] {
  if (!matches(model, minute + Math.min(...model.seconds) * 1_000)) return [];
  return [...model.seconds];
}
