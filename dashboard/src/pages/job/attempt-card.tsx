import type { ReactNode } from "react";
import { Link } from "wouter";
import type { AttemptView, JobDetailView } from "../../api/types.js";
import { useTexts } from "../../i18n/text.js";
import { filterValue, jobPath, jobsPath } from "../../shell/routes.js";
import { Badge, type Tone } from "../../ui/badge.js";
import { CopyButton } from "../../ui/copy.js";
import type { IconName } from "../../ui/icon.js";
import { Age, ClockTime, Duration } from "../../ui/time.js";
import { visible } from "../../ui/visible.js";
import type { AttemptStep } from "./timeline.js";

export const OUTCOMES: Readonly<Record<AttemptView["outcome"], { tone: Tone; icon: IconName }>> = {
  running: { tone: "accent", icon: "play" },
  completed: { tone: "good", icon: "check" },
  failed: { tone: "bad", icon: "cross" },
  timed_out: { tone: "bad", icon: "clock" },
  lost: { tone: "warn", icon: "minus" },
  cancelled: { tone: "neutral", icon: "close" },
};

/** One run of the job. */
export function AttemptCard({
  job,
  step,
}: {
  readonly job: JobDetailView;
  readonly step: AttemptStep;
}): ReactNode {
  const { t, has } = useTexts();
  const { attempt } = step;
  const outcome = `outcome.${attempt.outcome}`;
  return (
    // Focused by the keys n and p.
    <article className="attempt" data-attempt={attempt.number} tabIndex={-1}>
      <header className="attempt-header">
        <h3>{t("timeline.attempt", { number: attempt.number })}</h3>
        <Badge {...OUTCOMES[attempt.outcome]}>
          {has(outcome) ? t(outcome as "outcome.failed") : attempt.outcome}
        </Badge>
        <span className="attempt-run" title={t("attempt.ran")}>
          {step.runMs === null ? <Age since={attempt.startedAt} /> : <Duration ms={step.runMs} />}
        </span>
        <Link
          className="attempt-logs"
          href={`${jobPath(job.id)}?attempt=${attempt.number}`}
          onClick={() => {
            document.getElementById("logs")?.scrollIntoView();
          }}
        >
          {t("attempt.logs")}
        </Link>
      </header>
      <AttemptFacts job={job} step={step} />
      {attempt.error !== null && <AttemptError error={attempt.error} />}
    </article>
  );
}

function AttemptFacts({ job, step }: { readonly job: JobDetailView; readonly step: AttemptStep }): ReactNode {
  const { t } = useTexts();
  const { attempt, waitMs } = step;
  const running = attempt.finishedAt === null;
  return (
    <dl className="attempt-facts">
      <Fact name={t("attempt.started")}>
        <ClockTime at={attempt.startedAt} />
      </Fact>
      <Fact name={t("attempt.ended")}>
        {attempt.finishedAt === null ? t("attempt.stillRunning") : <ClockOnly at={attempt.finishedAt} />}
      </Fact>
      {waitMs !== null && (
        <Fact name={t("attempt.waited")}>
          <Duration ms={waitMs} />
        </Fact>
      )}
      {running && job.leaseExpiresAt !== null && (
        <Fact name={t("attempt.lease")}>
          <ClockTime at={job.leaseExpiresAt} />
        </Fact>
      )}
      {attempt.workerId !== "" && (
        <Fact name={t("attempt.worker")}>
          <Link
            href={jobsPath(`worker:${filterValue(attempt.workerId)}`)}
            className="job-text"
            translate="no"
          >
            {visible(attempt.workerId)}
          </Link>
        </Fact>
      )}
      <Fact name={t("attempt.token")}>{attempt.token}</Fact>
    </dl>
  );
}

/** The day is that of the start, or stands in the title. */
function ClockOnly({ at }: { readonly at: string }): ReactNode {
  const { format } = useTexts();
  const instant = Date.parse(at);
  return (
    <time dateTime={at} title={format.instant(instant)}>
      {format.clock(instant)}
    </time>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }): ReactNode {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function AttemptError({ error }: { readonly error: NonNullable<AttemptView["error"]> }): ReactNode {
  const { t } = useTexts();
  const { type, message, stack } = error;
  return (
    <div className="attempt-error" translate="no">
      <div className="attempt-error-type">
        <strong className="job-text">{visible(type)}</strong>
        <CopyButton text={stack ?? `${type}: ${message}`} label={t("attempt.copyError")} />
      </div>
      <p className="attempt-message job-text" dir="auto">
        {visible(message)}
      </p>
      {stack !== null && (
        <details>
          <summary>{t("attempt.stack")}</summary>
          <pre
            className="job-text attempt-stack"
            dir="ltr"
            tabIndex={0}
            role="group"
            aria-label={t("attempt.stack")}
          >
            {visible(stack)}
          </pre>
        </details>
      )}
    </div>
  );
}
