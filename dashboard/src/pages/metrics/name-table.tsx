import type { ReactNode } from "react";
import { Link } from "wouter";
import { read } from "../../api/request.js";
import type { NameTableView } from "../../api/types.js";
import { beginOf, refreshMsOf, type RangeName } from "../../charts/ranges.js";
import { useTexts } from "../../i18n/text.js";
import { knownServerNow } from "../../live/clock.js";
import { useLiveQuery, withoutPrevious } from "../../live/use-live-query.js";
import { filterValue, jobsPath } from "../../shell/routes.js";
import { LoadingRows } from "../../ui/loading-rows.js";
import { ProblemNote } from "../../ui/problem-note.js";
import { Duration } from "../../ui/time.js";
import { visible } from "../../ui/visible.js";

/** Job names by attempts: how often they fail, how long they wait and run, and how much of the workers' time they take. */
export function NameTable({
  queue,
  range,
}: {
  readonly queue: string | null;
  readonly range: RangeName;
}): ReactNode {
  const { t } = useTexts();
  const { data, error, refetch } = withoutPrevious(
    useLiveQuery(
      ["names", queue, range],
      async (signal) => {
        const from = beginOf(range, await knownServerNow());
        return read<NameTableView>("/v1/stats/names", { queue, from }, signal);
      },
      { topics: ["jobs", "queues"], everyMs: refreshMsOf(range) },
    ),
  );
  const busy = data?.items.reduce((total, { run }) => total + run.totalMs, 0) ?? 0;
  return (
    <section className="card">
      <div className="card-header">
        <h2>{t("metrics.names")}</h2>
      </div>
      {error !== null && data === undefined && <ProblemNote error={error} retry={() => void refetch()} />}
      {data === undefined && error === null && <LoadingRows />}
      {data?.items.length === 0 && <p className="empty">{t("metrics.noNames")}</p>}
      {data !== undefined && data.items.length > 0 && (
        <div className="table-frame">
          <table className="stacks">
            <caption className="visually-hidden">{t("metrics.names")}</caption>
            <thead>
              <tr>
                <th scope="col">{t("metrics.name")}</th>
                {(["attempts", "failed", "dead", "wait", "run", "run99", "share"] as const).map((column) => (
                  <th key={column} scope="col" className="number">
                    {t(`metrics.${column}`)}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {data.items.map((row) => (
                <NameRow key={row.name} row={row} queue={queue} busy={busy} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

function NameRow(props: {
  readonly row: NameTableView["items"][number];
  readonly queue: string | null;
  /** Run time of all names together. */
  readonly busy: number;
}): ReactNode {
  const { row, queue, busy } = props;
  const { t, format } = useTexts();
  const ended = row.succeeded + row.failed;
  const filter = [
    `name:${filterValue(row.name)}`,
    ...(queue === null ? [] : [`queue:${filterValue(queue)}`]),
  ];
  return (
    <tr>
      <th scope="row">
        <Link href={jobsPath(filter.join(" "))} className="job-text">
          {visible(row.name)}
        </Link>
      </th>
      <td className="number" data-label={t("metrics.attempts")}>
        {format.number(row.started)}
      </td>
      <td className="number" data-label={t("metrics.failed")}>
        {ended === 0 ? <span className="muted">–</span> : format.percent(row.failed / ended)}
      </td>
      <td className="number" data-label={t("metrics.dead")}>
        {format.number(row.dead)}
      </td>
      <td className="number" data-label={t("metrics.wait")}>
        <Duration ms={row.wait.p95Ms} />
      </td>
      <td className="number" data-label={t("metrics.run")}>
        <Duration ms={row.run.p95Ms} />
      </td>
      <td className="number" data-label={t("metrics.run99")}>
        <Duration ms={row.run.p99Ms} />
      </td>
      <td className="number" data-label={t("metrics.share")}>
        {busy === 0 ? <span className="muted">–</span> : format.percent(row.run.totalMs / busy)}
      </td>
    </tr>
  );
}
