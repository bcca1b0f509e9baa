import type { ReactNode } from "react";
import { Link } from "wouter";
import type { DeadGroupView } from "../../api/types.js";
import { useTexts } from "../../i18n/text.js";
import { jobPath, queuePath } from "../../shell/routes.js";
import { visible } from "../../ui/visible.js";
import { messageParts, useNewestJob } from "./newest-job.js";
import { useSeen } from "./use-seen.js";

/** What the jobs of a group died of, as the newest of them tells it. */
export function ErrorCell({
  group,
  readsNewest,
}: {
  readonly group: DeadGroupView;
  /** Whether the newest job may be read for its message. */
  readonly readsNewest: boolean;
}): ReactNode {
  const { t, rich } = useTexts();
  const { ref, seen } = useSeen<HTMLSpanElement>();
  const newest = useNewestJob(group, readsNewest && seen);
  const newestMessage = newest?.message ?? null;
  const { type, message, name, queue, latestJobId } = group;
  const queueLink = (
    <Link href={queuePath(queue)} className="job-text" translate="no">
      {visible(queue)}
    </Link>
  );
  return (
    <>
      <span className="dead-type job-text" translate="no">
        {visible(type)}
      </span>
      <span ref={ref} className="dead-message job-text" translate="no" dir="auto" title={visible(message)}>
        {newestMessage === null ? <GroupMessage message={message} /> : visible(newestMessage)}
      </span>
      {newest?.diedForGood === true && <span className="dead-final">{t("dead.final")}</span>}
      <span className="dead-where">
        <span className="job-text" translate="no">
          {visible(name)}
        </span>{" "}
        <span className="muted">{rich("dead.inQueue", { queue: queueLink })}</span>
        {latestJobId !== null && (
          <Link href={jobPath(latestJobId)}>{t("dead.newest", { id: latestJobId })}</Link>
        )}
      </span>
    </>
  );
}

/** The message that the jobs share, with what differs set back. */
function GroupMessage({ message }: { readonly message: string }): ReactNode {
  return messageParts(message).map((part, index) =>
    index % 2 === 1 ? (
      <span key={index} className="muted">
        {visible(part)}
      </span>
    ) : (
      visible(part)
    ),
  );
}
