import type { ReactNode } from "react";
import type { OverviewView } from "../../api/types.js";
import { useTexts } from "../../i18n/text.js";
import { TableCard } from "../../ui/table-card.js";
import { OldestWait, QueueCount, QueueName } from "../queues/queue-cells.js";
import { worstFirst } from "./worst-first.js";

const SHOWN = 6;

/** The queues where jobs have waited longest, then those where most died. */
export function WorstQueues({ queues }: { readonly queues: OverviewView["queues"] | undefined }): ReactNode {
  const { t } = useTexts();
  return (
    <TableCard
      title={t("overview.queues")}
      link={{ href: "/queues", text: t("overview.allQueues") }}
      columns={[
        { title: t("queues.name") },
        { title: t("overview.pending"), isNumber: true },
        { title: t("queues.oldest"), isNumber: true },
        { title: t("overview.dead"), isNumber: true },
      ]}
      rows={queues === undefined ? undefined : worstFirst(queues).slice(0, SHOWN)}
      row={(queue) => (
        <tr key={queue.name}>
          <QueueName queue={queue} />
          <QueueCount queue={queue} state="pending" label={t("overview.pending")} />
          <OldestWait queue={queue} />
          <QueueCount queue={queue} state="dead" label={t("overview.dead")} />
        </tr>
      )}
      empty={t("overview.calmQueues")}
    />
  );
}
