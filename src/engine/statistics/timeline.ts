import { MAX_INSTANT } from "../../core/defaults.js";
import type { Instant } from "../../core/job.js";
import { validationError } from "../../core/job-request.js";
import { STAT_STEP_NAMES, STAT_STEPS, type StatStepName } from "../../core/stat-steps.js";
import { STEP_MS, type DurationKind, type SeriesFilter, type SeriesPoint } from "../../store/stats.js";
import type { RollUps } from "./roll-ups.js";

/** How many points an answer may have. */
interface PointLimits {
  /** With a step that we choose. */
  readonly wanted: number;
  readonly most: number;
}

/** As many as a chart can show. */
const CHART: PointLimits = { wanted: 500, most: 2_000 };

export interface SpanRequest {
  readonly from: Instant;
  readonly to: Instant;
  /** `null`: the finest that gives few enough points. */
  readonly step: StatStepName | null;
}

export interface TimelineRequest extends SpanRequest {
  /** What is wanted; other figures of the answer are 0. */
  readonly metric: "activity" | DurationKind;
  readonly queue?: string;
  readonly name?: string;
}

export interface Timeline {
  /** Taken down to the step. */
  readonly from: Instant;
  /** Taken up to the step; exclusive. */
  readonly to: Instant;
  readonly step: StatStepName;
  /** One for each step, in order; `null` where nothing happened. */
  readonly points: readonly { readonly at: Instant; readonly figures: SeriesPoint | null }[];
}

/**
 * What happened over time, all that fits the request added up. Steps of an hour and more read the hour
 * roll-ups.
 *
 * @throws KonveierError `validation_failed` for a span without a length, with more than 2 000 points, or
 *   beyond the year 9999
 */
export async function timeline(rollUps: RollUps, request: TimelineRequest): Promise<Timeline> {
  const { metric, queue, name } = request;
  const { from, to, step, widthMs } = spanOf(request);
  const found = await rollUps.points(
    {
      from,
      to,
      widthMs,
      step: rollUpOf(widthMs),
      ...(metric === "activity" ? { kinds: [] } : { events: [], kinds: [metric] }),
      ...(queue !== undefined && { queue }),
      ...(name !== undefined && { name }),
    },
    "all",
  );
  const byTime = new Map(found.map((point) => [point.at, point]));
  const points = Array.from({ length: (to - from) / widthMs }, (_, index) => {
    const at = from + index * widthMs;
    return { at, figures: byTime.get(at) ?? null };
  });
  return { from, to, step, points };
}

/** The roll-ups that points of this width are read from. */
export function rollUpOf(widthMs: number): SeriesFilter["step"] {
  return widthMs < STEP_MS.hour ? "minute" : "hour";
}

/** A span in whole steps. @throws KonveierError `validation_failed`, see `timeline` */
export function spanOf({ from, to, step }: SpanRequest, { wanted, most }: PointLimits = CHART) {
  if (from >= to) {
    throw validationError([{ pointer: "/from", code: "out_of_range", detail: "must lie before to" }]);
  }
  const chosen = step ?? finest(from, to, wanted);
  const span = aligned(from, to, chosen);
  if (span.to > MAX_INSTANT) {
    const detail = "is too late: its step would end beyond the year 9999";
    throw validationError([{ pointer: "/to", code: "out_of_range", detail }]);
  }
  const points = pointsOf(span);
  if (points > most) {
    const detail = `gives ${points} points, and ${most} are the most; take a longer step or a shorter span`;
    throw validationError([{ pointer: step === null ? "/from" : "/step", code: "out_of_range", detail }]);
  }
  return span;
}

function finest(from: Instant, to: Instant, wanted: number): StatStepName {
  return STAT_STEP_NAMES.find((step) => pointsOf(aligned(from, to, step)) <= wanted) ?? "1d";
}

function aligned(from: Instant, to: Instant, step: StatStepName) {
  const widthMs = STAT_STEPS[step];
  return {
    from: Math.floor(from / widthMs) * widthMs,
    to: Math.ceil(to / widthMs) * widthMs,
    step,
    widthMs,
  };
}

function pointsOf({ from, to, widthMs }: ReturnType<typeof aligned>): number {
  return (to - from) / widthMs;
}
