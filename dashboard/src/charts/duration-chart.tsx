import { useMemo, type ReactNode } from "react";
import { useTexts } from "../i18n/text.js";
import { serverNow } from "../live/clock.js";
import { ProblemNote } from "../ui/problem-note.js";
import type { RangeName } from "./ranges.js";
import { finishedPoints, useDurations, type SeriesOf } from "./series.js";
import type { Line } from "./chart-props.js";
import { TimeChart } from "./time-chart.js";

/** Percentiles of a duration over time, as the server estimates them from its histograms. */
export function DurationChart({
  metric,
  of,
  range,
}: {
  readonly metric: "wait" | "run" | "lag";
  readonly of: SeriesOf;
  readonly range: RangeName;
}): ReactNode {
  const { t, duration, briefly } = useTexts();
  const { data, error, refetch } = useDurations(metric, of, range);
  const points = useMemo(() => finishedPoints(data?.points ?? [], serverNow()), [data]);
  const times = useMemo(() => points.map(({ at }) => Date.parse(at)), [points]);
  const lines = useMemo<readonly Line[]>(
    () => [
      { label: t("chart.p50"), tone: "accent", values: points.map(({ p50Ms }) => p50Ms) },
      { label: t("chart.p95"), tone: "warn", dash: [5, 3], values: points.map(({ p95Ms }) => p95Ms) },
      { label: t("chart.p99"), tone: "bad", dash: [2, 2], values: points.map(({ p99Ms }) => p99Ms) },
    ],
    [points, t],
  );
  if (error !== null && data === undefined) return <ProblemNote error={error} retry={() => void refetch()} />;
  return (
    <TimeChart
      title={t(`chart.${metric}`)}
      times={times}
      lines={lines}
      show={duration}
      showOnAxis={briefly}
      logarithmic
    />
  );
}
