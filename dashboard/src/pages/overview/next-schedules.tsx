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

/** As many as the server tells at once. */
const PAGE = 500;
const SHOWN = 8;
interface SchedulePage {
  readonly items: readonly ScheduleView[];
  readonly nextCursor: string | null;
}
type Planned = ScheduleView & { readonly nextRunAt: string };

/** They come by their key: the next one to run may be the last of them. */
async function allSchedules(signal: AbortSignal): Promise<readonly ScheduleView[]> {
  const all: ScheduleView[] = [];
  let cursor: string | null = null;
  do {
    const page: SchedulePage = await read("/v1/schedules", { limit: PAGE, cursor }, signal);
    all.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return all;
}

/** What the schedules do next. */
export function NextSchedules(): ReactNode {
  const { t } = useTexts();
  const { data, error, refetch } = useLiveQuery(["schedules", "next"], allSchedules, {
    topics: ["schedules"],
    everyMs: 5_000,
  });
  const next = data
    ?.filter((schedule): schedule is Planned => schedule.nextRunAt !== null)
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
