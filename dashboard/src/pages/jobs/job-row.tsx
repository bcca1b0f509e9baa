import { memo, type ReactNode } from "react";
import { Link } from "wouter";
import type { JobView } from "../../api/types.js";
import { useTexts } from "../../i18n/text.js";
import { jobPath, queuePath } from "../../shell/routes.js";
import { StateBadge } from "../../ui/badge.js";
import { Age, Duration, RelativeTime } from "../../ui/time.js";
import { visible } from "../../ui/visible.js";
import { NUMBERS, type Column } from "./columns.js";
import { momentOf, ranMs } from "./job-times.js";
import { RowMenu, type RowActions } from "./row-menu.js";

/** One job. It is drawn again only when something of it changed: a page may have 200 of them. */
export const JobRow = memo(function JobRow({
  job,
  gone,
  selected,
  columns,
  onToggle,
  actions,
}: {
  readonly job: JobView;
  readonly gone: boolean;
  readonly selected: boolean;
  readonly columns: readonly Column[];
  readonly onToggle: (id: string, range: boolean) => void;
  readonly actions: RowActions;
}): ReactNode {
  const { t } = useTexts();
  return (
    <tr data-job={job.id} className={gone ? "gone" : undefined} aria-selected={selected}>
      <td className="tick">
        <label className="target">
          <input
            type="checkbox"
            checked={selected}
            aria-label={t("jobs.select", { id: job.id })}
            onChange={({ nativeEvent }) => {
              onToggle(job.id, nativeEvent instanceof MouseEvent && nativeEvent.shiftKey);
            }}
          />
        </label>
      </td>
      <th scope="row" className="job-name">
        <Link href={jobPath(job.id)} className="job-text" translate="no" dir="auto">
          {visible(job.name)}
        </Link>
      </th>
      {columns.map((column) => (
        <Cell key={column} column={column} job={job} />
      ))}
      <td className="row-menu">
        <RowMenu job={job} actions={actions} />
      </td>
    </tr>
  );
});

function Cell({ column, job }: { readonly column: Column; readonly job: JobView }): ReactNode {
  const { t } = useTexts();
  return (
    <td
      className={`column-${column} ${NUMBERS.includes(column) ? "number" : ""}`}
      data-label={t(`jobs.column.${column}`)}
    >
      <Content column={column} job={job} />
    </td>
  );
}

function Content({ column, job }: { readonly column: Column; readonly job: JobView }): ReactNode {
  const { t, format } = useTexts();
  switch (column) {
    case "id":
      return <span translate="no">{job.id}</span>;
    case "queue":
      return (
        <Link href={queuePath(job.queue)} className="job-text quiet-link" translate="no" dir="auto">
          {visible(job.queue)}
        </Link>
      );
    case "state":
      return <StateBadge state={job.state} />;
    case "attempt":
      return t("jobs.attempt", { number: job.attempt, of: job.maxAttempts });
    case "priority":
      return format.number(job.priority);
    case "when":
      return <When job={job} />;
    case "duration":
      if (job.state === "running" && job.startedAt !== null) return <Age since={job.startedAt} />;
      return <Duration ms={ranMs(job)} />;
    case "worker":
      return job.workerId === null ? (
        <span className="muted">–</span>
      ) : (
        <span className="job-text" translate="no" dir="auto">
          {visible(job.workerId)}
        </span>
      );
  }
}

function When({ job }: { readonly job: JobView }): ReactNode {
  const { t } = useTexts();
  const { kind, at } = momentOf(job);
  return (
    <span>
      <span className="muted">{t(`jobs.when.${kind}`)}</span> <RelativeTime at={at} due={kind === "due"} />
    </span>
  );
}
