import type { ReactNode } from "react";
import { Link } from "wouter";
import { indented } from "../../api/raw-json.js";
import type { ScheduleView } from "../../api/types.js";
import { useTexts } from "../../i18n/text.js";
import { queuePath } from "../../shell/routes.js";
import { CopyButton } from "../../ui/copy.js";
import { AbsoluteTime } from "../../ui/time.js";
import { visible } from "../../ui/visible.js";
import { rhythmWords } from "./rhythm.js";

/** What the schedule says, in words. */
export function ScheduleFacts({ schedule }: { readonly schedule: ScheduleView }): ReactNode {
  const { t } = useTexts();
  return (
    <section className="card" aria-labelledby="facts-title">
      <header className="card-header">
        <h2 id="facts-title">{t("schedule.facts")}</h2>
      </header>
      <dl className="facts card-body">
        <Timing schedule={schedule} />
        <Policies schedule={schedule} />
        <ScheduledJob schedule={schedule} />
        <Totals schedule={schedule} />
      </dl>
    </section>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }): ReactNode {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}

interface Part {
  readonly schedule: ScheduleView;
}

function Timing({ schedule }: Part): ReactNode {
  const texts = useTexts();
  const { t } = texts;
  const { cron, timezone, startAt, endAt } = schedule;
  const words = rhythmWords(schedule, texts);
  return (
    <>
      {words !== null && <Fact name={t("schedule.when")}>{words}</Fact>}
      {cron !== null && (
        <Fact name={t("schedule.expression")}>
          <code className="job-text" translate="no">
            {visible(cron)}
          </code>
        </Fact>
      )}
      <Fact name={t("schedule.zone")}>
        <span className="job-text" translate="no">
          {visible(timezone)}
        </span>
      </Fact>
      {startAt !== null && (
        <Fact name={t("schedule.startAt")}>
          <AbsoluteTime at={startAt} />
        </Fact>
      )}
      {endAt !== null && (
        <Fact name={t("schedule.endAt")}>
          <AbsoluteTime at={endAt} />
        </Fact>
      )}
    </>
  );
}

function Policies({ schedule: { missed, maxMissed, overlap, jitterMs } }: Part): ReactNode {
  const { t, duration } = useTexts();
  return (
    <>
      <Fact name={t("schedule.missed")}>
        {missed === "all" ? t("schedule.missed.all", { count: maxMissed }) : t(`schedule.missed.${missed}`)}
      </Fact>
      <Fact name={t("schedule.overlap")}>{t(`schedule.overlap.${overlap}`)}</Fact>
      <Fact name={t("schedule.jitter")}>
        {jitterMs === 0
          ? t("schedule.jitter.none")
          : t("schedule.jitter.some", { duration: duration(jitterMs) })}
      </Fact>
    </>
  );
}

function ScheduledJob({ schedule: { job } }: Part): ReactNode {
  const { t, format, duration } = useTexts();
  return (
    <>
      <Fact name={t("schedule.job")}>
        <span className="job-text" translate="no" dir="auto">
          {visible(job.name)}
        </span>
      </Fact>
      <Fact name={t("schedule.queue")}>
        <Link href={queuePath(job.queue)} className="job-text" translate="no" dir="auto">
          {visible(job.queue)}
        </Link>
      </Fact>
      <Fact name={t("schedule.priority")}>{format.number(job.priority)}</Fact>
      <Fact name={t("schedule.maxAttempts")}>{format.number(job.maxAttempts)}</Fact>
      {job.timeoutMs !== null && <Fact name={t("schedule.timeout")}>{duration(job.timeoutMs)}</Fact>}
      {job.tags.length > 0 && (
        <Fact name={t("schedule.tags")}>
          <span className="cell-line">
            {job.tags.map((tag) => (
              <span key={tag} className="tag job-text" translate="no" dir="auto">
                {visible(tag)}
              </span>
            ))}
          </span>
        </Fact>
      )}
    </>
  );
}

function Totals({ schedule: { source, totals, updatedAt } }: Part): ReactNode {
  const { t } = useTexts();
  const { enqueued, skipped, missed } = totals;
  return (
    <>
      <Fact name={t("schedule.totals")}>
        {[
          t("schedule.totals.enqueued", { count: enqueued }),
          t("schedule.totals.skipped", { count: skipped }),
          t("schedule.totals.missed", { count: missed }),
        ].join(", ")}
      </Fact>
      <Fact name={t("schedule.source")}>{t(`schedule.source.${source}`)}</Fact>
      <Fact name={t("schedule.changed")}>
        <AbsoluteTime at={updatedAt} />
      </Fact>
    </>
  );
}

/** The payload of every job of the schedule: the same text, on lines of its own. */
export function PayloadCard({ payload }: { readonly payload: string }): ReactNode {
  const { t } = useTexts();
  return (
    <section className="card" aria-labelledby="payload-title">
      <header className="card-header">
        <h2 id="payload-title">{t("schedule.payload")}</h2>
        <CopyButton text={payload} />
      </header>
      <div className="card-body">
        <pre className="code-block" translate="no" dir="auto" tabIndex={0}>
          {visible(indented(payload))}
        </pre>
      </div>
    </section>
  );
}
