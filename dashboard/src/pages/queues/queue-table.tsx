import type { ReactNode } from "react";
import { Link } from "wouter";
import type { JobState, QueueView } from "../../api/types.js";
import { Sparkline } from "../../charts/sparkline.js";
import { useTexts } from "../../i18n/text.js";
import { filterValue, jobsPath, queuePath } from "../../shell/routes.js";
import { Badge } from "../../ui/badge.js";
import { Age } from "../../ui/time.js";
import { visible } from "../../ui/visible.js";
import { sum, useQueueLines, type QueueLine } from "./queue-lines.js";

export function QueueTable({ queues }: { readonly queues: readonly QueueView[] }): ReactNode {
  const { t } = useTexts();
  const lines = useQueueLines();
  return (
    <div className="table-frame">
      <table className="stacks">
        <caption className="visually-hidden">{t("queues.title")}</caption>
        <thead>
          <tr>
            <th scope="col">{t("queues.name")}</th>
            <th scope="col" className="number">
              {t("overview.pending")}
            </th>
            <th scope="col" className="number">
              {t("queues.oldest")}
            </th>
            <th scope="col" className="number">
              {t("overview.running")}
            </th>
            <th scope="col" className="number">
              {t("queues.retries")}
            </th>
            <th scope="col" className="number">
              {t("overview.dead")}
            </th>
            <th scope="col">{t("queues.lastHour")}</th>
            <th scope="col" className="number">
              {t("queues.failed")}
            </th>
            <th scope="col" className="number">
              {t("queues.waitP95")}
            </th>
          </tr>
        </thead>
        <tbody>
          {longestWaitFirst(queues).map((queue) => (
            <QueueRow key={queue.name} queue={queue} line={lines.get(queue.name)} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function QueueRow({
  queue,
  line,
}: {
  readonly queue: QueueView;
  readonly line: QueueLine | undefined;
}): ReactNode {
  const { t, format, duration } = useTexts();
  const { name, counts, oldestPendingAt, pausedAt } = queue;
  const failed = line === undefined ? 0 : sum(line.failed);
  const ended = line === undefined ? 0 : failed + sum(line.completed);
  const count = (state: JobState): ReactNode =>
    counts[state] === 0 ? (
      <span className="muted">0</span>
    ) : (
      <Link href={jobsPath(`queue:${filterValue(name)}`, state)}>{format.number(counts[state])}</Link>
    );
  return (
    <tr>
      <th scope="row">
        <Link href={queuePath(name)} className="job-text">
          {visible(name)}
        </Link>{" "}
        {pausedAt !== null && (
          <Badge tone="warn" icon="pause">
            {t("state.paused")}
          </Badge>
        )}
      </th>
      <td className="number" data-label={t("overview.pending")}>
        {count("pending")}
      </td>
      <td className="number" data-label={t("queues.oldest")}>
        {oldestPendingAt === null ? <span className="muted">–</span> : <Age since={oldestPendingAt} />}
      </td>
      <td className="number" data-label={t("overview.running")}>
        {count("running")}
      </td>
      <td className="number" data-label={t("queues.retries")}>
        {count("scheduled")}
      </td>
      <td className="number" data-label={t("overview.dead")}>
        {count("dead")}
      </td>
      <td data-label={t("queues.lastHour")}>
        {line !== undefined && (
          <span className="queue-line">
            <Sparkline values={line.completed} />
            <span className="muted">{format.compact(sum(line.completed))}</span>
          </span>
        )}
      </td>
      <td className="number" data-label={t("queues.failed")}>
        {ended === 0 ? <span className="muted">–</span> : format.percent(failed / ended)}
      </td>
      <td className="number" data-label={t("queues.waitP95")}>
        {line?.waitP95Ms == null ? <span className="muted">–</span> : duration(line.waitP95Ms)}
      </td>
    </tr>
  );
}

function longestWaitFirst(queues: readonly QueueView[]): readonly QueueView[] {
  const oldest = ({ oldestPendingAt }: QueueView): number =>
    oldestPendingAt === null ? Number.MAX_SAFE_INTEGER : Date.parse(oldestPendingAt);
  return [...queues].sort((a, b) => oldest(a) - oldest(b) || a.name.localeCompare(b.name));
}
