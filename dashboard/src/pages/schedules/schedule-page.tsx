import type { ReactNode } from "react";
import { Link, useParams } from "wouter";
import { asProblem } from "../../api/problem.js";
import { useTexts } from "../../i18n/text.js";
import { usePageTitle } from "../../shell/page-title.js";
import { decoded } from "../../shell/routes.js";
import { Icon } from "../../ui/icon.js";
import { LoadingRows } from "../../ui/loading-rows.js";
import { ProblemNote } from "../../ui/problem-note.js";
import { RelativeTime } from "../../ui/time.js";
import { visible } from "../../ui/visible.js";
import { useSchedule, type ReadSchedule } from "./queries.js";
import { RunHistory } from "./run-history.js";
import { ScheduleActions } from "./schedule-actions.js";
import { PayloadCard, ScheduleFacts } from "./schedule-facts.js";
import { StatusBadge } from "./status-badge.js";
import { UpcomingRuns } from "./upcoming-runs.js";
import { zonedTexts } from "./zoned.js";

/** One schedule: what it is, what comes, and what was. */
export function SchedulePage(): ReactNode {
  const { t } = useTexts();
  const { key } = useParams<{ key: string }>();
  const name = decoded(key);
  usePageTitle([name, t("nav.schedules")]);
  const { data, error, refetch } = useSchedule(name);
  const isGone = error !== null && asProblem(error).status === 404;
  const shown = isGone || data?.schedule.key !== name ? undefined : data;
  return (
    <div className="page">
      <header className="page-header">
        <div>
          <Link href="/schedules" className="back-link">
            <Icon name="left" />
            {t("schedule.back")}
          </Link>
          <h1 className="with-badge">
            <span className="job-text" translate="no" dir="auto">
              {visible(name)}
            </span>
            {shown !== undefined && <StatusBadge schedule={shown.schedule} />}
          </h1>
        </div>
        {shown !== undefined && <ScheduleActions key={name} read={shown} />}
      </header>
      {isGone && <p className="card empty">{t("schedule.notFound")}</p>}
      {error !== null && !isGone && <ProblemNote error={error} retry={() => void refetch()} />}
      {shown !== undefined && <Detail read={shown} />}
      {shown === undefined && error === null && (
        <div className="card">
          <LoadingRows />
        </div>
      )}
    </div>
  );
}

function Detail({ read }: { readonly read: ReadSchedule }): ReactNode {
  return (
    <>
      <Notes read={read} />
      <div className="columns schedule-columns">
        <ScheduleFacts schedule={read.schedule} />
        <UpcomingRuns schedule={read.schedule} />
      </div>
      <RunHistory schedule={read.schedule} />
      <PayloadCard payload={read.payload} />
    </>
  );
}

/** What an operator must know before doing anything. */
function Notes({ read: { schedule } }: { readonly read: ReadSchedule }): ReactNode {
  const texts = useTexts();
  const { t, rich } = texts;
  const { source, problem, pausedAt, pauseReason, waitingSlot, timezone } = schedule;
  const ago = pausedAt === null ? null : <RelativeTime at={pausedAt} />;
  const reason = (
    <span className="job-text" translate="no" dir="auto">
      {visible(pauseReason ?? "")}
    </span>
  );
  return (
    <>
      {problem !== null && <div className="notice bad job-text">{t("schedule.problem", { problem })}</div>}
      {pausedAt !== null && (
        <div className="notice warn">
          <span>
            {pauseReason === null
              ? rich("schedules.pausedSince", { ago })
              : rich("schedules.pausedFor", { ago, reason })}
          </span>
        </div>
      )}
      {waitingSlot !== null && (
        <div className="notice">
          {t("schedule.waiting", { at: zonedTexts(waitingSlot, timezone, texts).there })}
        </div>
      )}
      {source === "code" && <div className="notice">{t("schedule.code")}</div>}
    </>
  );
}
