import { Fragment, type ReactNode } from "react";
import { Link } from "wouter";
import type { ExplanationView, JobDetailView } from "../../api/types.js";
import { useTexts } from "../../i18n/text.js";
import { useServerNow } from "../../live/clock.js";
import { filterValue, jobPath, jobsPath, queuePath } from "../../shell/routes.js";
import { ClockTime, RelativeTime } from "../../ui/time.js";
import { diedForGood } from "../../ui/died-for-good.js";
import { visible } from "../../ui/visible.js";
import { isFinishedState, useExplanation } from "./job-queries.js";

/** Why the job is not running, or what it died of; nothing where its state says it all. */
export function Why({ job }: { readonly job: JobDetailView }): ReactNode {
  if (job.state === "running") return <LeaseOver job={job} />;
  if (job.state === "dead") return <WhyDead job={job} />;
  if (job.state === "cancelled") return <WhyCancelled job={job} />;
  return isFinishedState(job.state) ? null : <WhyWaiting job={job} />;
}

function WhyWaiting({ job }: { readonly job: JobDetailView }): ReactNode {
  const { t, rich } = useTexts();
  const { data } = useExplanation(job);
  // Until the server answers, and where it cannot tell, the job itself says enough.
  const explanation = data?.state === job.state ? data : null;
  return (
    <section
      className={explanation !== null && needsSomebody(explanation) ? "notice warn" : "notice"}
      aria-label={t("why.title")}
    >
      <p className="spacer">
        {explanation === null ? <FromJob job={job} /> : <Explanation job={job} explanation={explanation} />}
        {job.expiresAt !== null && <> {rich("why.expires", { when: <ClockTime at={job.expiresAt} /> })}</>}
      </p>
    </section>
  );
}

/** Whether it goes on only when somebody does something. */
function needsSomebody({ reason, facts }: ExplanationView): boolean {
  return reason === "queue_paused" || reason === "no_worker" || (reason === "blocked" && facts.stuck);
}

function FromJob({ job }: { readonly job: JobDetailView }): ReactNode {
  const { t, rich } = useTexts();
  if (job.state === "blocked") return t("why.blocked");
  if (job.state === "pending") return t("why.pending");
  const { attempt, maxAttempts: max, runAt } = job;
  const when = <RelativeTime at={runAt} due />;
  return attempt === 0 ? rich("why.first_run", { when }) : rich("why.retry", { attempt, max, when });
}

function Explanation({
  job,
  explanation,
}: {
  readonly job: JobDetailView;
  readonly explanation: ExplanationView;
}): ReactNode {
  const { t, rich, duration } = useTexts();
  switch (explanation.reason) {
    case "blocked":
      return <Blocked facts={explanation.facts} />;
    case "scheduled":
      return <Scheduled facts={explanation.facts} />;
    case "queue_paused": {
      const { since, pauseReason } = explanation.facts;
      const queue = <QueueLink name={job.queue} />;
      return (
        <>
          {rich("why.queue_paused", { queue, since: <RelativeTime at={since} /> })}
          {pauseReason !== null && (
            <> {rich("why.pauseReason", { reason: <JobText text={pauseReason} /> })}</>
          )}
        </>
      );
    }
    case "no_worker":
      return rich("why.no_worker", {
        queue: <QueueLink name={job.queue} />,
        name: <JobText text={job.name} />,
      });
    case "limited": {
      const { limit, key, until, max, perMs } = explanation.facts;
      return rich(`why.limited.${limit}`, {
        queue: <QueueLink name={job.queue} />,
        key: <JobText text={key ?? ""} />,
        until: until !== null && <ClockTime at={until} />,
        next: until !== null && <RelativeTime at={until} due />,
        max: max ?? "",
        per: perMs === null ? "" : duration(perMs),
      });
    }
    case "workers_busy": {
      const { workers: count, running, slots } = explanation.facts;
      return t("why.workers_busy", { count, running, slots });
    }
    case "waiting_turn": {
      const { ahead, capped, workers, running, slots } = explanation.facts;
      if (capped) return t("why.aheadMore", { ahead, running, slots });
      return ahead === 0
        ? t("why.next", { count: workers, running, slots })
        : t("why.ahead", { count: ahead, running, slots });
    }
    default:
      return <span className="job-text">{visible(explanation.detail)}</span>;
  }
}

/** What it waits for, by name as far as the server tells. */
function Blocked({
  facts: { open, dependencies, stuck },
}: {
  readonly facts: FactsOf<"blocked">;
}): ReactNode {
  const { t, rich } = useTexts();
  if (open === 0) return t("why.blocked.over");
  const others = open - dependencies.length;
  const jobs = dependencies.map(({ id, ref, state }, index) => (
    <Fragment key={id}>
      {index > 0 && ", "}
      <Link href={jobPath(id)} className="job-text" translate="no" dir="auto">
        {visible(ref)}
      </Link>{" "}
      ({t(`state.${state}`).toLowerCase()})
    </Fragment>
  ));
  return (
    <>
      {dependencies.length === 0
        ? t("why.blocked.count", { count: open })
        : rich("why.blocked.jobs", { count: open, jobs: <>{jobs}</> })}
      {dependencies.length > 0 && others > 0 && <> {t("flow.more", { count: others })}</>}.
      {stuck && <> {t("why.blocked.stuck")}</>}
    </>
  );
}

type FactsOf<Reason extends ExplanationView["reason"]> = Extract<
  ExplanationView,
  { reason: Reason }
>["facts"];

function Scheduled({ facts }: { readonly facts: FactsOf<"scheduled"> }): ReactNode {
  const { rich } = useTexts();
  const now = useServerNow();
  const { until, cause, attempt, maxAttempts: max } = facts;
  const when = <RelativeTime at={until} due />;
  if (Date.parse(until) < now) return rich("why.due", { when });
  return cause === "retry" ? rich("why.retry", { attempt, max, when }) : rich(`why.${cause}`, { when });
}

function WhyCancelled({
  job: { cancellation, finishedAt, runAt },
}: {
  readonly job: JobDetailView;
}): ReactNode {
  const { t, rich } = useTexts();
  if (cancellation === null) return null;
  const when = <RelativeTime at={finishedAt ?? runAt} />;
  return (
    <section className="notice" aria-label={t("why.title")}>
      <p>{rich(`why.cancelled.${cancellation.reason}`, { when })}</p>
    </section>
  );
}

function WhyDead({ job }: { readonly job: JobDetailView }): ReactNode {
  const { t, rich } = useTexts();
  const { attempt, maxAttempts: max, lastError, finishedAt } = job;
  const when = <RelativeTime at={finishedAt ?? job.runAt} />;
  const fingerprint = lastError?.fingerprint ?? null;
  return (
    <section className="notice bad" aria-label={t("why.title")}>
      <p className="spacer">
        {diedForGood(job)
          ? rich("why.dead.final", { count: attempt, when, max })
          : rich("why.dead.all", { count: attempt, when })}{" "}
        {lastError !== null && <ErrorLine type={lastError.type} message={lastError.message} />}
      </p>
      {fingerprint !== null && (
        <Link href={jobsPath(`state:dead fingerprint:${filterValue(fingerprint)}`)}>
          {t("why.sameError")}
        </Link>
      )}
    </section>
  );
}

function LeaseOver({ job }: { readonly job: JobDetailView }): ReactNode {
  const { t, rich } = useTexts();
  const now = useServerNow();
  const { leaseExpiresAt } = job;
  if (leaseExpiresAt === null || Date.parse(leaseExpiresAt) >= now) return null;
  return (
    <section className="notice warn" aria-label={t("why.title")}>
      <p>{rich("why.leaseOver", { when: <RelativeTime at={leaseExpiresAt} /> })}</p>
    </section>
  );
}

/** An error in one line. */
function ErrorLine({ type, message }: { readonly type: string; readonly message: string }): ReactNode {
  const [line = ""] = message.split("\n", 1);
  return (
    <span className="job-text" translate="no">
      <strong>{visible(type)}</strong>: {visible(line)}
    </span>
  );
}

function QueueLink({ name }: { readonly name: string }): ReactNode {
  return (
    <Link href={queuePath(name)} className="job-text" translate="no">
      {visible(name)}
    </Link>
  );
}

function JobText({ text }: { readonly text: string }): ReactNode {
  return (
    <span className="job-text" translate="no" dir="auto">
      {visible(text)}
    </span>
  );
}
