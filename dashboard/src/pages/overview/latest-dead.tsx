import type { ReactNode } from "react";
import { Link } from "wouter";
import { read } from "../../api/request.js";
import type { JobPageView } from "../../api/types.js";
import { useTexts } from "../../i18n/text.js";
import { useLiveQuery } from "../../live/use-live-query.js";
import { jobPath, queuePath } from "../../shell/routes.js";
import { ProblemNote } from "../../ui/problem-note.js";
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
    <section className="card">
      <div className="card-header">
        <h2>{t("overview.latestDead")}</h2>
        <Link href="/dead">{t("overview.allDead")}</Link>
      </div>
      {error !== null && data === undefined && <ProblemNote error={error} retry={() => void refetch()} />}
      {data?.items.length === 0 && <p className="empty">{t("overview.noDead")}</p>}
      {data !== undefined && data.items.length > 0 && (
        <div className="table-frame">
          <table className="stacks">
            <caption className="visually-hidden">{t("overview.latestDead")}</caption>
            <thead>
              <tr>
                <th scope="col">{t("overview.job")}</th>
                <th scope="col">{t("queues.name")}</th>
                <th scope="col" className="number">
                  {t("overview.died")}
                </th>
              </tr>
            </thead>
            <tbody>
              {data.items.map(({ id, name, queue, finishedAt }) => (
                <tr key={id}>
                  <th scope="row">
                    <Link href={jobPath(id)} className="job-text">
                      {name} <span className="muted">#{id}</span>
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
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}
