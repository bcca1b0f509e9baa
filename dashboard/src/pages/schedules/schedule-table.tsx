import type { ReactNode } from "react";
import { Link } from "wouter";
import { useTexts } from "../../i18n/text.js";
import { jobPath, queuePath, schedulePath } from "../../shell/routes.js";
import { useParameterLinks } from "../../shell/search-parameters.js";
import { Icon } from "../../ui/icon.js";
import { RelativeTime } from "../../ui/time.js";
import { visible } from "../../ui/visible.js";
import type { Listing } from "./listing.js";
import { NextRun } from "./next-run.js";
import type { ListedSchedule } from "./queries.js";
import { Rhythm } from "./rhythm.js";
import { RunBars } from "./run-bars.js";
import { kindOf } from "./run-kind.js";
import { statusOf } from "./status.js";
import { StatusBadge, StatusNote } from "./status-badge.js";

/** Rows change where they are; their order is that of the keys, or of the next runs if the reader wants it. */
export function ScheduleTable({
  schedules,
  sort,
}: {
  readonly schedules: readonly ListedSchedule[];
  readonly sort: Listing["sort"];
}): ReactNode {
  const { t } = useTexts();
  return (
    <div className="table-frame">
      <table className="stacks schedules">
        <caption className="visually-hidden">{t("schedules.caption")}</caption>
        <thead>
          <tr>
            <SortedHead
              by="key"
              sort={sort}
              title={t("schedules.column.key")}
              hint={t("schedules.sort.key")}
            />
            <th scope="col">{t("schedules.column.when")}</th>
            <SortedHead
              by="next"
              sort={sort}
              title={t("schedules.column.next")}
              hint={t("schedules.sort.next")}
            />
            <th scope="col">{t("schedules.column.runs")}</th>
            <th scope="col">{t("schedules.column.job")}</th>
          </tr>
        </thead>
        <tbody>
          {schedules.map((schedule) => (
            <Row key={schedule.key} schedule={schedule} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function SortedHead({
  by,
  sort,
  title,
  hint,
}: {
  readonly by: Listing["sort"];
  readonly sort: Listing["sort"];
  readonly title: string;
  readonly hint: string;
}): ReactNode {
  const linkWith = useParameterLinks();
  return (
    <th scope="col" aria-sort={by === sort ? "ascending" : undefined}>
      <Link className="sort-link" href={linkWith("sort", by === "key" ? null : by)} title={hint} replace>
        {title}
        {by === sort && <Icon name="down" />}
      </Link>
    </th>
  );
}

function Row({ schedule }: { readonly schedule: ListedSchedule }): ReactNode {
  const { t } = useTexts();
  const { key, job, source } = schedule;
  return (
    <tr>
      <th scope="row">
        <span className="cell-line">
          <Link href={schedulePath(key)} className="job-text row-link" translate="no" dir="auto">
            {visible(key)}
          </Link>
          {source === "code" && (
            <span className="tag" title={t("schedules.fromCode.title")}>
              {t("schedules.fromCode")}
            </span>
          )}
          {statusOf(schedule) !== "active" && <StatusBadge schedule={schedule} />}
        </span>
        <StatusNote schedule={schedule} />
      </th>
      <td data-label={t("schedules.column.when")}>
        <div className="lines">
          <Rhythm schedule={schedule} />
        </div>
      </td>
      <td data-label={t("schedules.column.next")}>
        <div className="lines">
          <NextRun schedule={schedule} />
        </div>
      </td>
      <td data-label={t("schedules.column.runs")}>
        <div className="lines">
          <Runs schedule={schedule} />
        </div>
      </td>
      <td data-label={t("schedules.column.job")}>
        <div className="lines job-cell">
          <span className="job-text" translate="no" dir="auto">
            {visible(job.name)}
          </span>
          <Link href={queuePath(job.queue)} className="job-text second-line" translate="no" dir="auto">
            {visible(job.queue)}
          </Link>
        </div>
      </td>
    </tr>
  );
}

function Runs({ schedule: { runs } }: { readonly schedule: ListedSchedule }): ReactNode {
  const { t } = useTexts();
  const last = runs?.[0];
  if (runs === undefined) return <span className="muted">–</span>;
  return (
    <>
      <RunBars runs={runs} />
      {last !== undefined && (
        <span className="second-line">
          {last.jobId === null ? (
            t(`scheduleRun.${kindOf(last)}`)
          ) : (
            <Link href={jobPath(last.jobId)}>{t(`scheduleRun.${kindOf(last)}`)}</Link>
          )}
          <RelativeTime at={last.firedAt} />
        </span>
      )}
    </>
  );
}
