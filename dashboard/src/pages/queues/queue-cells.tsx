import type { ReactNode } from "react";
import { Link } from "wouter";
import type { JobState, QueueView } from "../../api/types.js";
import { useTexts } from "../../i18n/text.js";
import { filterValue, jobsPath, queuePath } from "../../shell/routes.js";
import { Badge } from "../../ui/badge.js";
import { Age } from "../../ui/time.js";
import { visible } from "../../ui/visible.js";

interface QueueProps {
  readonly queue: QueueView;
}

/** The head of a queue's row: its name, whether it is paused, and what else there is to say below. */
export function QueueName({
  queue: { name, pausedAt },
  children,
}: QueueProps & { readonly children?: ReactNode }): ReactNode {
  const { t } = useTexts();
  return (
    <th scope="row">
      <Link href={queuePath(name)} className="job-text">
        {visible(name)}
      </Link>{" "}
      {pausedAt !== null && (
        <Badge tone="warn" icon="pause">
          {t("state.paused")}
        </Badge>
      )}
      {children}
    </th>
  );
}

/** How many jobs of a state it has, with a way to them. */
export function QueueCount({
  queue: { name, counts },
  state,
  label,
}: QueueProps & { readonly state: JobState; readonly label: string }): ReactNode {
  const { format } = useTexts();
  return (
    <td className="number" data-label={label}>
      {counts[state] === 0 ? (
        <span className="muted">0</span>
      ) : (
        <Link href={jobsPath(`queue:${filterValue(name)}`, state)}>{format.number(counts[state])}</Link>
      )}
    </td>
  );
}

/** How long its oldest job has waited. */
export function OldestWait({ queue: { oldestPendingAt } }: QueueProps): ReactNode {
  const { t } = useTexts();
  return (
    <td className="number" data-label={t("queues.oldest")}>
      {oldestPendingAt === null ? <span className="muted">–</span> : <Age since={oldestPendingAt} />}
    </td>
  );
}
