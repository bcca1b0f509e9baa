import { useState, type ReactNode } from "react";
import { Link } from "wouter";
import type { ScheduleRunView, ScheduleView } from "../../api/types.js";
import { useTexts } from "../../i18n/text.js";
import { filterValue, jobPath, jobsPath } from "../../shell/routes.js";
import { ProblemNote } from "../../ui/problem-note.js";
import { Duration } from "../../ui/time.js";
import { useScheduleRuns } from "./queries.js";
import { RunBars, RunKindLabel, RunLegend } from "./run-bars.js";
import { kindOf } from "./run-kind.js";
import { zonedTexts } from "./zoned.js";

const SHOWN_AT_FIRST = 20;

/** What became of the runs, newest first. */
export function RunHistory({ schedule }: { readonly schedule: ScheduleView }): ReactNode {
  const { t } = useTexts();
  const { key, timezone } = schedule;
  const { data, error, refetch } = useScheduleRuns(key);
  const [all, setAll] = useState(false);
  const items = data?.items ?? [];
  const shown = all ? items : items.slice(0, SHOWN_AT_FIRST);
  return (
    <section className="card" aria-labelledby="history-title">
      <header className="card-header">
        <h2 id="history-title">{t("schedule.history")}</h2>
        <Link href={jobsPath(`schedule:${filterValue(key)}`)}>{t("schedule.allJobs")}</Link>
      </header>
      {error !== null && <ProblemNote error={error} retry={() => void refetch()} />}
      {data !== undefined && items.length === 0 && (
        <p className="card-body muted">{t("schedule.history.none")}</p>
      )}
      {items.length > 0 && (
        <>
          <div className="card-body history-head">
            <RunBars runs={items} />
            <RunLegend />
          </div>
          <HistoryTable runs={shown} timezone={timezone} />
          <footer className="card-footer">
            <span className="muted">{t("schedule.history.kept")}</span>
            {shown.length < items.length && (
              <button
                type="button"
                className="button"
                onClick={() => {
                  setAll(true);
                }}
              >
                {t("schedule.history.all", { count: items.length })}
              </button>
            )}
          </footer>
        </>
      )}
    </section>
  );
}

function HistoryTable({
  runs,
  timezone,
}: {
  readonly runs: readonly ScheduleRunView[];
  readonly timezone: string;
}): ReactNode {
  const { t } = useTexts();
  return (
    <div className="table-frame">
      <table className="stacks">
        <caption className="visually-hidden">{t("schedule.history.caption")}</caption>
        <thead>
          <tr>
            <th scope="col">{t("schedule.history.slot")}</th>
            <th scope="col">{t("schedule.history.result")}</th>
            <th scope="col" className="number">
              {t("schedule.history.delay")}
            </th>
            <th scope="col" className="number">
              {t("schedule.history.job")}
            </th>
          </tr>
        </thead>
        <tbody>
          {runs.map((run) => (
            <HistoryRow key={`${run.slot} ${run.firedAt} ${run.outcome}`} run={run} timezone={timezone} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function HistoryRow({
  run,
  timezone,
}: {
  readonly run: ScheduleRunView;
  readonly timezone: string;
}): ReactNode {
  const texts = useTexts();
  const { t } = texts;
  const from = zonedTexts(run.slot, timezone, texts).there;
  const to = zonedTexts(run.through, timezone, texts).there;
  const made = run.outcome === "enqueued" && !run.manual;
  return (
    <tr>
      <td data-label={t("schedule.history.slot")}>
        <span className="cell-line">
          {run.slot === run.through ? from : t("schedule.history.through", { from, to })}
          {run.manual && <span className="tag">{t("schedule.history.manual")}</span>}
        </span>
      </td>
      <td data-label={t("schedule.history.result")}>
        <RunKindLabel kind={kindOf(run)} />
      </td>
      <td className="number" data-label={t("schedule.history.delay")}>
        <Duration ms={made ? Date.parse(run.firedAt) - Date.parse(run.slot) : null} />
      </td>
      <td className="number" data-label={t("schedule.history.job")}>
        {run.jobId === null ? (
          <span className="muted">–</span>
        ) : (
          <Link href={jobPath(run.jobId)}>{run.jobId}</Link>
        )}
      </td>
    </tr>
  );
}
