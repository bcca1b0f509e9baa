import { useMemo, type ReactNode } from "react";
import { useIsLimited } from "../api/queries.js";
import { useTexts } from "../i18n/text.js";
import { serverNow } from "../live/clock.js";
import { ProblemNote } from "../ui/problem-note.js";
import type { RangeName } from "./ranges.js";
import { finishedPoints, useActivity, type SeriesOf } from "./series.js";
import type { Line } from "./chart-props.js";
import { TimeChart } from "./time-chart.js";

/** How many jobs were finished, and what failed. */
export function ActivityChart({
  of,
  range,
  children,
}: {
  readonly of: SeriesOf;
  readonly range: RangeName;
  readonly children?: ReactNode;
}): ReactNode {
  const { t, format } = useTexts();
  const { data, error, refetch } = useActivity(of, range);
  const points = useMemo(() => finishedPoints(data?.points ?? [], serverNow()), [data]);
  const times = useMemo(() => points.map(({ at }) => Date.parse(at)), [points]);
  const lines = useMemo<readonly Line[]>(
    () => [
      {
        label: t("chart.completed"),
        tone: "accent",
        filled: true,
        values: points.map(({ jobs }) => jobs.completed),
      },
      {
        label: t("chart.failed"),
        tone: "warn",
        dash: [5, 3],
        values: points.map(({ attempts }) => attempts.failed + attempts.timedOut + attempts.lost),
      },
      { label: t("chart.dead"), tone: "bad", dash: [2, 2], values: points.map(({ jobs }) => jobs.dead) },
    ],
    [points, t],
  );
  const isLimited = useIsLimited();
  if (isLimited === true && of.queue === undefined) return <p className="notice">{t("chart.limited")}</p>;
  if (error !== null && data === undefined) return <ProblemNote error={error} retry={() => void refetch()} />;
  return (
    <TimeChart title={t("chart.throughput")} times={times} lines={lines} show={format.axis}>
      {children}
    </TimeChart>
  );
}
