import { type ReactNode } from "react";
import { Link, useParams } from "wouter";
import { DEFAULT_RETENTION } from "../../../../src/core/defaults.js";
import { asProblem } from "../../api/problem.js";
import type { JobDetailView } from "../../api/types.js";
import { useTexts } from "../../i18n/text.js";
import { usePageTitle } from "../../shell/page-title.js";
import { decoded, queuePath } from "../../shell/routes.js";
import { useShortcut } from "../../shell/shortcuts.js";
import { StateBadge } from "../../ui/badge.js";
import { CopyButton, useCopy } from "../../ui/copy.js";
import { ErrorBoundary } from "../../ui/error-boundary.js";
import { ProblemNote } from "../../ui/problem-note.js";
import { visible } from "../../ui/visible.js";
import { JobActions } from "./job-actions.js";
import { Payload, Result } from "./job-data.js";
import { JobOptions } from "./job-options.js";
import { useJob } from "./job-queries.js";
import { LogsCard } from "./logs-card.js";
import { PlaceInFlow } from "./place-in-flow.js";
import { ProgressBar } from "./progress-bar.js";
import { StepsCard } from "./steps-card.js";
import { TimelineCard } from "./timeline-card.js";
import { Why } from "./why.js";

/** All about one job. */
export function JobPage(): ReactNode {
  const id = decoded(useParams<{ id: string }>().id);
  // A page of its own for each job: what was read of one must not stand there as another's.
  return <OneJob key={id} id={id} />;
}

function OneJob({ id }: { readonly id: string }): ReactNode {
  const { t } = useTexts();
  const { data: job, error, refetch } = useJob(id);
  usePageTitle(
    [job === undefined ? t("job.title", { id }) : `${job.name} #${id}`, t("nav.jobs")],
    job?.state === "dead" ? t("state.dead") : null,
  );
  const status = error === null ? 0 : asProblem(error).status;
  if (status === 404 || status === 422) return <NoSuchJob id={id} />;
  if (job === undefined) {
    return (
      <div className="page">
        <h1>{t("job.title", { id: visible(id) })}</h1>
        {error === null ? (
          <div className="skeleton job-loading" />
        ) : (
          <ProblemNote error={error} retry={() => void refetch()} />
        )}
      </div>
    );
  }
  return <LoadedJob job={job} error={error} onRetry={() => void refetch()} />;
}

function LoadedJob({
  job,
  error,
  onRetry,
}: {
  readonly job: JobDetailView;
  readonly error: unknown;
  readonly onRetry: () => void;
}): ReactNode {
  return (
    <div className="page job-page">
      <JobHeader job={job} />
      {error !== null && <ProblemNote error={error} retry={onRetry} />}
      {job.progress !== null && job.state !== "completed" && (
        <ProgressBar job={job} progress={job.progress} />
      )}
      <Why job={job} />
      <div className="job-columns">
        <div className="job-column">
          <ErrorBoundary>
            <TimelineCard job={job} />
          </ErrorBoundary>
          <ErrorBoundary>
            <StepsCard job={job} />
          </ErrorBoundary>
          <ErrorBoundary>
            <LogsCard job={job} />
          </ErrorBoundary>
        </div>
        <div className="job-column">
          <ErrorBoundary>
            <PlaceInFlow job={job} />
            <Payload job={job} />
            <Result job={job} />
          </ErrorBoundary>
          <JobOptions job={job} />
        </div>
      </div>
    </div>
  );
}

function JobHeader({ job }: { readonly job: JobDetailView }): ReactNode {
  const { t, rich } = useTexts();
  const copy = useCopy();
  useShortcut("KeyC", () => {
    copy(job.id);
  });
  const queue = (
    <Link href={queuePath(job.queue)} className="job-text" translate="no">
      {visible(job.queue)}
    </Link>
  );
  return (
    <header className="page-header">
      <div className="job-title">
        <h1 className="job-text" translate="no" dir="auto">
          {visible(job.name)}
        </h1>
        <p className="job-subtitle">
          <StateBadge state={job.state} />
          <span className="with-copy">
            {t("job.title", { id: job.id })}
            <CopyButton text={job.id} label={t("job.copyId")} />
          </span>
          <span className="muted">{rich("job.inQueue", { queue })}</span>
        </p>
      </div>
      <JobActions job={job} />
    </header>
  );
}

/** Deleted, over its retention, or never there: the server cannot tell these apart. */
function NoSuchJob({ id }: { readonly id: string }): ReactNode {
  const isNumber = /^[1-9]\d*$/.test(id);
  const { t, duration } = useTexts();
  const { completedMs, deadMs } = DEFAULT_RETENTION;
  return (
    <div className="empty job-missing">
      <h1>{t(isNumber ? "job.missing" : "job.noNumber", { id: visible(id) })}</h1>
      <p>
        {isNumber
          ? t("job.missing.why", { done: duration(completedMs), dead: duration(deadMs) })
          : t("job.noNumber.why")}
      </p>
      <p className="toolbar">
        <button
          type="button"
          className="button primary"
          onClick={() => document.querySelector<HTMLInputElement>(".search input")?.focus()}
        >
          {t("job.missing.search")}
        </button>
        <Link href="/jobs" className="button">
          {t("job.missing.jobs")}
        </Link>
      </p>
    </div>
  );
}
