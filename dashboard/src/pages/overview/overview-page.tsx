import type { ReactNode } from "react";
import { useWorkersQuery } from "../../api/queries.js";
import { read } from "../../api/request.js";
import type { OverviewView } from "../../api/types.js";
import { ActivityChart } from "../../charts/activity-chart.js";
import { RangePicker, useRange } from "../../charts/range-picker.js";
import { useActivity } from "../../charts/series.js";
import { useTexts } from "../../i18n/text.js";
import { useLiveQuery } from "../../live/use-live-query.js";
import { useDeadCount } from "../../shell/dead-count.js";
import { usePageTitle } from "../../shell/page-title.js";
import { FirstRun } from "../../ui/first-run.js";
import { useFirstRun } from "../../ui/first-run-state.js";
import { OperationsStrip } from "../../ui/operations-strip.js";
import { ProblemNote } from "../../ui/problem-note.js";
import { Findings } from "./findings.js";
import { LatestDead } from "./latest-dead.js";
import { NextSchedules } from "./next-schedules.js";
import { Tiles } from "./tiles.js";
import { WorstQueues } from "./worst-queues.js";

/** Whether anything is wrong, and where to look, at a glance. For a new server, what to do first. */
export function OverviewPage(): ReactNode {
  const { t } = useTexts();
  const dead = useDeadCount();
  const firstRun = useFirstRun();
  usePageTitle([t("nav.overview")], dead > 0 ? t("title.dead", { count: dead }) : null);
  return (
    <div className="page">
      <h1 className="visually-hidden">{t("nav.overview")}</h1>
      {firstRun === "unknown" && <div className="skeleton findings-skeleton" />}
      {firstRun === "shown" && <FirstRun />}
      {firstRun !== "unknown" && <Figures isNew={firstRun === "shown"} />}
    </div>
  );
}

/** What a server with jobs has to show. Below the first steps it comes with the first job, and so moves nothing. */
function Figures({ isNew }: { readonly isNew: boolean }): ReactNode {
  const range = useRange();
  const { data, error, refetch } = useLiveQuery(
    ["overview"],
    (signal) => read<OverviewView>("/v1/stats/overview", {}, signal),
    { topics: ["jobs", "queues"], everyMs: 1_000 },
  );
  const { data: workers } = useWorkersQuery();
  const { data: activity } = useActivity({}, "1h");
  if (isNew && (data?.queues.length ?? 0) === 0) return null;
  return (
    <>
      <OperationsStrip />
      <Findings />
      {error !== null && data === undefined && <ProblemNote error={error} retry={() => void refetch()} />}
      {data === undefined ? (
        <div className="skeleton tiles-skeleton" />
      ) : (
        <Tiles overview={data} activity={activity} workers={workers?.items} />
      )}
      <ActivityChart of={{}} range={range}>
        <RangePicker />
      </ActivityChart>
      <div className="columns">
        <WorstQueues queues={data?.queues ?? []} />
        <LatestDead />
        <NextSchedules />
      </div>
    </>
  );
}
