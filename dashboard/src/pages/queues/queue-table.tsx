import type { ReactNode } from "react";
import type { QueueView } from "../../api/types.js";
import { Sparkline } from "../../charts/sparkline.js";
import { useTexts } from "../../i18n/text.js";
import { StackingTable } from "../../ui/table-card.js";
import { OldestWait, QueueCount, QueueName } from "./queue-cells.js";
import { LimitsHint } from "./limits-hint.js";
import { sum, useQueueLines, type QueueLine } from "./queue-lines.js";

export function QueueTable({ queues }: { readonly queues: readonly QueueView[] }): ReactNode {
  const { t } = useTexts();
  const lines = useQueueLines();
  return (
    <StackingTable
      caption={t("queues.title")}
      columns={[
        { title: t("queues.name") },
        { title: t("overview.pending"), isNumber: true },
        { title: t("queues.oldest"), isNumber: true },
        { title: t("overview.running"), isNumber: true },
        { title: t("queues.retries"), isNumber: true },
        { title: t("overview.dead"), isNumber: true },
        { title: t("queues.lastHour") },
        { title: t("queues.failed"), isNumber: true },
        { title: t("queues.waitP95"), isNumber: true },
      ]}
    >
      {longestWaitFirst(queues).map((queue) => (
        <QueueRow key={queue.name} queue={queue} line={lines.get(queue.name)} />
      ))}
    </StackingTable>
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
  const failed = line === undefined ? 0 : sum(line.failed);
  const ended = line === undefined ? 0 : failed + sum(line.completed);
  return (
    <tr>
      <QueueName queue={queue}>
        <LimitsHint queue={queue} />
      </QueueName>
      <QueueCount queue={queue} state="pending" label={t("overview.pending")} />
      <OldestWait queue={queue} />
      <QueueCount queue={queue} state="running" label={t("overview.running")} />
      <QueueCount queue={queue} state="scheduled" label={t("queues.retries")} />
      <QueueCount queue={queue} state="dead" label={t("overview.dead")} />
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
