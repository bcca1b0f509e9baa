import type { ReactNode } from "react";
import { Link } from "wouter";
import type { FindingView } from "../../api/types.js";
import { useTexts } from "../../i18n/text.js";
import { filterValue, jobsPath, queuePath, schedulePath } from "../../shell/routes.js";
import { visible } from "../../ui/visible.js";

/** A finding as a sentence in the reader's language. One that this page does not know is told in the server's words. */
export function FindingText({ finding }: { readonly finding: FindingView }): ReactNode {
  const { rich, roughly, size, format } = useTexts();
  switch (finding.code) {
    case "disk_low":
      return rich("finding.disk_low", { free: size(finding.freeBytes), total: size(finding.totalBytes) });
    case "no_worker": {
      const { queue, name, count } = finding;
      return name === null
        ? rich("finding.no_worker.any", { queue: <QueueLink name={queue} />, count })
        : rich("finding.no_worker", {
            queue: <QueueLink name={queue} />,
            name: <JobName name={name} />,
            count,
          });
    }
    case "queue_stalled":
      return rich("finding.queue_stalled", {
        queue: <QueueLink name={finding.queue} />,
        age: roughly(finding.ageMs),
      });
    case "schedule_overdue":
      return rich("finding.schedule_overdue", {
        schedule: <ScheduleLink name={finding.schedule} />,
        age: roughly(finding.overdueMs),
      });
    case "schedule_problem":
      return rich("finding.schedule_problem", {
        schedule: <ScheduleLink name={finding.schedule} />,
        problem: <span className="job-text">{visible(finding.problem)}</span>,
      });
    case "failing":
      return rich("finding.failing", {
        name: <JobName name={finding.name} />,
        queue: <QueueLink name={finding.queue} />,
        failed: finding.failed,
        attempts: finding.attempts,
      });
    case "dead_recently":
      return rich("finding.dead_recently", {
        name: <JobName name={finding.name} />,
        queue: <QueueLink name={finding.queue} />,
        count: finding.count,
        before: format.decimal(finding.perHourBefore),
      });
    case "leases_lost":
      return rich("finding.leases_lost", { queue: <QueueLink name={finding.queue} />, count: finding.count });
    case "worker_silent":
      return rich("finding.worker_silent", {
        worker: <span className="job-text">{visible(finding.worker)}</span>,
        age: roughly(finding.silentMs),
        running: finding.running,
      });
    case "wal_large":
      return rich("finding.wal_large", { size: size(finding.bytes) });
    case "queue_paused_with_backlog": {
      const { queue, count, reason } = finding;
      return reason === null
        ? rich("finding.queue_paused_with_backlog", { queue: <QueueLink name={queue} />, count })
        : rich("finding.queue_paused_with_backlog.reason", {
            queue: <QueueLink name={queue} />,
            count,
            reason: <span className="job-text">{visible(reason)}</span>,
          });
    }
    case "operation_running": {
      const { changed, matched } = finding;
      return rich("finding.operation_running", { changed, matched: Math.max(matched, changed) });
    }
    default:
      return visible((finding as { readonly detail: string }).detail);
  }
}

/** Where one sees what a finding is about; `null` where there is nothing more to see. */
export function findingPath(finding: FindingView): string | null {
  switch (finding.code) {
    case "no_worker":
    case "queue_stalled":
      return jobsPath(`queue:${filterValue(finding.queue)}`, "pending");
    case "failing":
    case "dead_recently":
      return `/dead?queue=${encodeURIComponent(finding.queue)}&name=${encodeURIComponent(finding.name)}`;
    case "leases_lost":
      return jobsPath(`queue:${filterValue(finding.queue)} error~lease`);
    case "queue_paused_with_backlog":
      return queuePath(finding.queue);
    case "schedule_overdue":
    case "schedule_problem":
      return schedulePath(finding.schedule);
    case "worker_silent":
      return "/workers";
    case "operation_running":
      return "/jobs";
    case "disk_low":
    case "wal_large":
      return "/settings?tab=about";
    default:
      return null;
  }
}

function QueueLink({ name }: { readonly name: string }): ReactNode {
  return (
    <Link href={queuePath(name)} className="job-text">
      {visible(name)}
    </Link>
  );
}

function ScheduleLink({ name }: { readonly name: string }): ReactNode {
  return (
    <Link href={schedulePath(name)} className="job-text">
      {visible(name)}
    </Link>
  );
}

function JobName({ name }: { readonly name: string }): ReactNode {
  return <strong className="job-text">{visible(name)}</strong>;
}
