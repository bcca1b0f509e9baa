import { shownAt } from "./local-clock.js";
import { eitherDayMatches, matches, matchesTime, type Model } from "./model.js";

const SECOND = 1_000;
const DAY = 86_400_000;

/** What the documented rules say about one instant, decided from `Intl` and the model alone. */
export interface Verdict {
  readonly runs: boolean;
  readonly because:
    | "its local time occurs once"
    | "its local time occurs twice, this is the first"
    | "its local time occurs twice, this is the second"
    | "it ends a gap with times of the rule"
    | "it ends a gap that a stepped rule skips"
    | "it ends a gap that leaves out the date"
    | "only one of the two days matches where both must"
    | "nothing names it";
}

export function verdictOn(model: Model, zone: string, instant: number): Verdict {
  const gap = gapEndingAt(zone, instant);
  if (gap !== null) {
    const times = secondsOf(gap).filter((local) => matches(model, local));
    const kept = times.filter((local) => !leavesOutDate(gap, local));
    if (kept.length > 0) {
      if (!model.stepped) return { runs: true, because: "it ends a gap with times of the rule" };
      if (!matches(model, gap.to)) return { runs: false, because: "it ends a gap that a stepped rule skips" };
    } else if (times.length > 0 && !matches(model, gap.to)) {
      return { runs: false, because: "it ends a gap that leaves out the date" };
    }
  }
  const local = shownAt(zone, instant);
  if (!matches(model, local)) {
    const times = gap === null || model.stepped ? [local] : [local, ...secondsOf(gap)];
    const one = times.some((time) => matchesTime(model, time) && eitherDayMatches(model, time));
    return {
      runs: false,
      because: one ? "only one of the two days matches where both must" : "nothing names it",
    };
  }
  switch (passOf(zone, instant)) {
    case "only":
      return { runs: true, because: "its local time occurs once" };
    case "first":
      return { runs: true, because: "its local time occurs twice, this is the first" };
    case "second":
      return { runs: model.stepped, because: "its local time occurs twice, this is the second" };
  }
}

/** Whether the clocks show the same a second time within a day, given by how far they are set back there. */
function passOf(zone: string, instant: number): "only" | "first" | "second" {
  const local = shownAt(zone, instant);
  const earlier = shownAt(zone, instant - DAY) + DAY - local;
  if (earlier > 0 && shownAt(zone, instant - earlier) === local) return "second";
  const later = local + DAY - shownAt(zone, instant + DAY);
  if (later > 0 && shownAt(zone, instant + later) === local) return "first";
  return "only";
}

interface Gap {
  readonly from: number;
  readonly to: number;
}

function gapEndingAt(zone: string, instant: number): Gap | null {
  const to = shownAt(zone, instant);
  const from = shownAt(zone, instant - SECOND) + SECOND;
  return to > from ? { from, to } : null;
}

function secondsOf(gap: Gap): number[] {
  return Array.from({ length: (gap.to - gap.from) / SECOND }, (_, index) => gap.from + index * SECOND);
}

function leavesOutDate(gap: Gap, local: number): boolean {
  const start = local - (local % DAY);
  return gap.from <= start && start + DAY <= gap.to;
}
