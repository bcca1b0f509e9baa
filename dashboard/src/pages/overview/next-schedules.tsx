import type { ReactNode } from "react";
import { Link } from "wouter";
import { read } from "../../api/request.js";
import type { ScheduleView } from "../../api/types.js";
import { useTexts } from "../../i18n/text.js";
import { useLiveQuery } from "../../live/use-live-query.js";
import { schedulePath } from "../../shell/routes.js";
import { TableCard } from "../../ui/table-card.js";
import { RelativeTime } from "../../ui/time.js";
import { visible } from "../../ui/visible.js";

const READ = 500;
const SHOWN = 8;
type Planned = ScheduleView & { readonly nextRunAt: string };

/** What the schedules do next. */
export function NextSchedules(): ReactNode {
  const { t } = useTexts();
  const { data, error, refetch } = useLiveQuery(
    ["schedules", "next"],
    (signal) => read<{ items: ScheduleView[] }>("/v1/schedules", { limit: READ }, signal),
    { topics: ["schedules"], everyMs: 5_000 },
  );
  const next = data?.items
    .filter((schedule): schedule is Planned => schedule.nextRunAt !== null)
    .sort((a, b) => a.nextRunAt.localeCompare(b.nextRunAt))
    .slice(0, SHOWN);
  return (
    <TableCard
      title={t("overview.next")}
      link={{ href: "/schedules", text: t("overview.allSchedules") }}
      columns={[
        { title: t("overview.schedule") },
        { title: t("overview.job") },
        { title: t("overview.nextRun"), isNumber: true },
      ]}
      rows={next}
      row={({ key, job, nextRunAt }) => (
        <tr key={key}>
          <th scope="row">
            <Link href={schedulePath(key)} className="job-text">
              {visible(key)}
            </Link>
          </th>
          <td className="job-text" data-label={t("overview.job")}>
            {visible(job.name)}
          </td>
          <td className="number" data-label={t("overview.nextRun")}>
            <RelativeTime at={nextRunAt} due />
          </td>
        </tr>
      )}
      empty={t("overview.noSchedules")}
      error={error}
      retry={() => void refetch()}
    />
  );
}
