import type { ReactNode } from "react";
import { Link } from "wouter";
import type { OverviewView } from "../../api/types.js";
import { useTexts } from "../../i18n/text.js";
import { filterValue, jobsPath, queuePath } from "../../shell/routes.js";
import { Badge } from "../../ui/badge.js";
import { Age } from "../../ui/time.js";
import { visible } from "../../ui/visible.js";

const SHOWN = 6;
type Queue = OverviewView["queues"][number];

/** The queues where jobs have waited longest, then those where most died. */
export function WorstQueues({ queues }: { readonly queues: readonly Queue[] }): ReactNode {
  const { t } = useTexts();
  return (
    <section className="card">
      <div className="card-header">
        <h2>{t("overview.queues")}</h2>
        <Link href="/queues">{t("overview.allQueues")}</Link>
      </div>
      <div className="table-frame">
        <table className="stacks">
          <caption className="visually-hidden">{t("overview.queues")}</caption>
          <thead>
            <tr>
              <th scope="col">{t("queues.name")}</th>
              <th scope="col" className="number">
                {t("state.pending")}
              </th>
              <th scope="col" className="number">
                {t("queues.oldest")}
              </th>
              <th scope="col" className="number">
                {t("state.dead")}
              </th>
            </tr>
          </thead>
          <tbody>
            {worstFirst(queues)
              .slice(0, SHOWN)
              .map((queue) => (
                <tr key={queue.name}>
                  <th scope="row">
                    <Link href={queuePath(queue.name)} className="job-text">
                      {visible(queue.name)}
                    </Link>{" "}
                    {queue.pausedAt !== null && (
                      <Badge tone="warn" icon="pause">
                        {t("state.paused")}
                      </Badge>
                    )}
                  </th>
                  <td className="number" data-label={t("state.pending")}>
                    <CountLink queue={queue.name} state="pending" count={queue.counts.pending} />
                  </td>
                  <td className="number" data-label={t("queues.oldest")}>
                    {queue.oldestPendingAt === null ? "–" : <Age since={queue.oldestPendingAt} />}
                  </td>
                  <td className="number" data-label={t("state.dead")}>
                    <CountLink queue={queue.name} state="dead" count={queue.counts.dead} />
                  </td>
                </tr>
              ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function CountLink(props: {
  readonly queue: string;
  readonly state: string;
  readonly count: number;
}): ReactNode {
  const { format } = useTexts();
  if (props.count === 0) return "0";
  return (
    <Link href={jobsPath(`queue:${filterValue(props.queue)}`, props.state)}>
      {format.number(props.count)}
    </Link>
  );
}

function worstFirst(queues: readonly Queue[]): readonly Queue[] {
  const oldest = ({ oldestPendingAt }: Queue): number =>
    oldestPendingAt === null ? Number.POSITIVE_INFINITY : Date.parse(oldestPendingAt);
  return [...queues].sort(
    (a, b) =>
      Math.sign(oldest(a) - oldest(b)) ||
      b.lastHour.jobs.dead - a.lastHour.jobs.dead ||
      b.counts.dead - a.counts.dead ||
      a.name.localeCompare(b.name),
  );
}
