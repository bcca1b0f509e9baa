import type { ReactNode } from "react";
import { Link } from "wouter";
import { useTexts } from "../../i18n/text.js";
import { jobPath, jobsPath } from "../../shell/routes.js";
import { ProblemNote } from "../../ui/problem-note.js";
import { RelativeTime } from "../../ui/time.js";
import { visible } from "../../ui/visible.js";
import { useDeadJobs, type DeadFilter } from "./dead-queries.js";

/** The newest dead jobs one by one, for a server that does not group them. */
export function FlatList({ filter }: { readonly filter: DeadFilter }): ReactNode {
  const { t } = useTexts();
  const { data, error, refetch } = useDeadJobs(filter);
  if (error !== null) return <ProblemNote error={error} retry={() => void refetch()} />;
  if (data === undefined) return <div className="card skeleton dead-loading" />;
  return (
    <section className="card">
      <div className="card-header">
        <p className="muted">{t("dead.flat")}</p>
        <Link href={jobsPath("", "dead")}>{t("dead.flat.all")}</Link>
      </div>
      <table className="stacks">
        <caption className="visually-hidden">{t("dead.flat.table")}</caption>
        <thead>
          <tr>
            <th scope="col">{t("dead.flat.job")}</th>
            <th scope="col">{t("dead.name")}</th>
            <th scope="col">{t("dead.queue")}</th>
            <th scope="col" className="number">
              {t("dead.flat.attempts")}
            </th>
            <th scope="col">{t("dead.flat.died")}</th>
          </tr>
        </thead>
        <tbody>
          {data.items.map(({ id, name, queue, attempt, finishedAt, createdAt }) => (
            <tr key={id}>
              <th scope="row">
                <Link href={jobPath(id)}>{id}</Link>
              </th>
              <td data-label={t("dead.name")} className="job-text" translate="no">
                {visible(name)}
              </td>
              <td data-label={t("dead.queue")} className="job-text" translate="no">
                {visible(queue)}
              </td>
              <td data-label={t("dead.flat.attempts")} className="number">
                {attempt}
              </td>
              <td data-label={t("dead.flat.died")}>
                <RelativeTime at={finishedAt ?? createdAt} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
