import { MAX_INSTANT } from "../../core/defaults.js";
import type { Instant } from "../../core/job.js";
import { validationError } from "../../core/job-request.js";
import { STAT_STEP_NAMES, STAT_STEPS, type StatStepName } from "../../core/stat-steps.js";
import { STEP_MS, type SeriesPoint } from "../../store/stats.js";
import type { EngineContext } from "../context.js";

/** As many as a chart can show. */
const WANTED_POINTS = 500;
const MAX_POINTS = 2_000;

export interface TimelineRequest {
  readonly from: Instant;
  readonly to: Instant;
  /** `null`: the finest that gives 500 points at the most. */
  readonly step: StatStepName | null;
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
export async function timeline(context: EngineContext, request: TimelineRequest): Promise<Timeline> {
  const { queue, name } = request;
  const { from, to, step, widthMs } = spanOf(request);
  const found = await context.store.stats.series(
    {
      from,
      to,
      widthMs,
      step: widthMs < STEP_MS.hour ? "minute" : "hour",
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

/** @internal exported for its test */
export function spanOf({ from, to, step }: TimelineRequest) {
  if (from >= to) {
    throw validationError([{ pointer: "/from", code: "out_of_range", detail: "must lie before to" }]);
  }
  const chosen = step ?? finest(from, to);
  const span = aligned(from, to, chosen);
  if (span.to > MAX_INSTANT) {
    const detail = "is too late: its step would end beyond the year 9999";
    throw validationError([{ pointer: "/to", code: "out_of_range", detail }]);
  }
  const points = pointsOf(span);
  if (points > MAX_POINTS) {
    const detail = `gives ${points} points, and ${MAX_POINTS} are the most; take a longer step or a shorter span`;
    throw validationError([{ pointer: step === null ? "/from" : "/step", code: "out_of_range", detail }]);
  }
  return span;
}

function finest(from: Instant, to: Instant): StatStepName {
  return STAT_STEP_NAMES.find((step) => pointsOf(aligned(from, to, step)) <= WANTED_POINTS) ?? "1d";
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
