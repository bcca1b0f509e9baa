import type { ReactNode } from "react";
import { Link } from "wouter";
import { read } from "../../api/request.js";
import type { JobPageView } from "../../api/types.js";
import { useTexts } from "../../i18n/text.js";
import { useLiveQuery } from "../../live/use-live-query.js";
import { jobPath, queuePath } from "../../shell/routes.js";
import { TableCard } from "../../ui/table-card.js";
import { RelativeTime } from "../../ui/time.js";
import { visible } from "../../ui/visible.js";

const SHOWN = 8;

/** What died last. */
export function LatestDead(): ReactNode {
  const { t } = useTexts();
  const { data, error, refetch } = useLiveQuery(
    ["jobs", "latest-dead"],
    (signal) => read<JobPageView>("/v1/jobs", { state: "dead", limit: SHOWN }, signal),
    { topics: ["jobs"], everyMs: 2_000 },
  );
  return (
    <TableCard
      title={t("overview.latestDead")}
      link={{ href: "/dead", text: t("overview.allDead") }}
      columns={[
        { title: t("overview.job") },
        { title: t("queues.name") },
        { title: t("overview.died"), isNumber: true },
      ]}
      rows={data?.items}
      row={({ id, name, queue, finishedAt }) => (
        <tr key={id}>
          <th scope="row">
            <Link href={jobPath(id)} className="job-text">
              {visible(name)} <span className="muted">#{id}</span>
            </Link>
          </th>
          <td data-label={t("queues.name")}>
            <Link href={queuePath(queue)} className="job-text">
              {visible(queue)}
            </Link>
          </td>
          <td className="number" data-label={t("overview.died")}>
            {finishedAt !== null && <RelativeTime at={finishedAt} />}
          </td>
        </tr>
      )}
      empty={t("overview.noDead")}
      error={error}
      retry={() => void refetch()}
    />
  );
}
