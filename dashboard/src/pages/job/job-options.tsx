import type { ReactNode } from "react";
import { Link } from "wouter";
import { DEFAULT_BACKOFF } from "../../../../src/core/defaults.js";
import type { JobDetailView } from "../../api/types.js";
import { useTexts } from "../../i18n/text.js";
import { filterValue, jobsPath, queuePath, schedulePath } from "../../shell/routes.js";
import { CopyButton } from "../../ui/copy.js";
import { ClockTime } from "../../ui/time.js";
import { visible } from "../../ui/visible.js";

/** What the job was made with. */
export function JobOptions({ job }: { readonly job: JobDetailView }): ReactNode {
  const { t, duration } = useTexts();
  const { priority, attempt, maxAttempts, timeoutMs, tags, idempotencyKey, schedule, traceparent } = job;
  const { unique, expiresAt } = job;
  return (
    <section className="card">
      <div className="card-header">
        <h2>{t("options.title")}</h2>
      </div>
      <dl className="card-body facts">
        <dt>{t("options.queue")}</dt>
        <dd>
          <TextLink href={queuePath(job.queue)} text={job.queue} />
        </dd>
        <dt>{t("options.priority")}</dt>
        <dd>{t("options.priorityOf", { priority })}</dd>
        <dt>{t("options.attempts")}</dt>
        <dd>{t("options.attemptsOf", { attempt, max: maxAttempts })}</dd>
        <dt>{t("options.backoff")}</dt>
        <dd>
          <BackoffWords backoff={job.backoff} />
        </dd>
        <dt>{t("options.timeout")}</dt>
        <dd>{timeoutMs === null ? <None /> : duration(timeoutMs)}</dd>
        <dt>{t("options.runAt")}</dt>
        <dd>
          <ClockTime at={job.runAt} />
        </dd>
        <dt>{t("options.tags")}</dt>
        <dd className="tag-list">
          {tags.length === 0 && <None />}
          {tags.map((tag) => (
            <Link
              key={tag}
              href={jobsPath(`tag:${filterValue(tag)}`)}
              className="tag job-text"
              translate="no"
            >
              {visible(tag)}
            </Link>
          ))}
        </dd>
        {idempotencyKey !== null && (
          <>
            <dt>{t("options.key")}</dt>
            <dd>
              <TextLink href={jobsPath(`key:${filterValue(idempotencyKey)}`)} text={idempotencyKey} />
            </dd>
          </>
        )}
        <KeyFact name="unique" value={unique?.key ?? null} />
        <KeyFact name="concurrencyKey" value={job.concurrencyKey} />
        <KeyFact name="rateKey" value={job.rateKey} />
        {expiresAt !== null && (
          <>
            <dt>{t("options.expiresAt")}</dt>
            <dd>
              <ClockTime at={expiresAt} />
            </dd>
          </>
        )}
        {schedule !== null && (
          <>
            <dt>{t("options.schedule")}</dt>
            <dd>
              <TextLink href={schedulePath(schedule.key)} text={schedule.key} /> ·{" "}
              <ClockTime at={schedule.slot} />
            </dd>
          </>
        )}
        {traceparent !== null && <Trace traceparent={traceparent} />}
      </dl>
    </section>
  );
}

function KeyFact({
  name,
  value,
}: {
  readonly name: "unique" | "concurrencyKey" | "rateKey";
  readonly value: string | null;
}): ReactNode {
  const { t } = useTexts();
  if (value === null) return null;
  return (
    <>
      <dt>{t(`options.${name}`)}</dt>
      <dd className="job-text" translate="no">
        {visible(value)}
      </dd>
    </>
  );
}

function BackoffWords({ backoff }: { readonly backoff: JobDetailView["backoff"] }): ReactNode {
  const { t, duration, format } = useTexts();
  const policy = backoff ?? DEFAULT_BACKOFF;
  const jitter = policy.jitter ?? (policy.type === "fixed" ? 0 : DEFAULT_BACKOFF.jitter);
  const words =
    policy.type === "fixed"
      ? t("options.backoff.fixed", { delay: duration(policy.delayMs) })
      : t("options.backoff.exponential", {
          base: duration(policy.baseMs ?? DEFAULT_BACKOFF.baseMs),
          max: duration(policy.maxMs ?? DEFAULT_BACKOFF.maxMs),
        });
  return (
    <>
      {words}
      {jitter > 0 && `; ${t("options.backoff.jitter", { share: format.percent(jitter) })}`}
      {backoff === null && <span className="muted"> ({t("options.default")})</span>}
    </>
  );
}

function Trace({ traceparent }: { readonly traceparent: string }): ReactNode {
  const { t } = useTexts();
  // version-trace-span-flags
  const id = traceparent.split("-")[1] ?? traceparent;
  return (
    <>
      <dt>{t("options.trace")}</dt>
      <dd className="with-copy">
        <code className="job-text" translate="no">
          {visible(id)}
        </code>
        <CopyButton text={id} label={t("options.copyTrace")} />
      </dd>
    </>
  );
}

function TextLink({ href, text }: { readonly href: string; readonly text: string }): ReactNode {
  return (
    <Link href={href} className="job-text" translate="no">
      {visible(text)}
    </Link>
  );
}

function None(): ReactNode {
  const { t } = useTexts();
  return <span className="muted">{t("options.none")}</span>;
}
