import { useRef, useState, type ReactNode } from "react";
import { Link } from "wouter";
import type { JobDetailView } from "../../api/types.js";
import { useTexts } from "../../i18n/text.js";
import { schedulePath } from "../../shell/routes.js";
import { useShortcut } from "../../shell/shortcuts.js";
import { Icon, type IconName } from "../../ui/icon.js";
import { ProblemNote } from "../../ui/problem-note.js";
import { ClockTime, RelativeTime } from "../../ui/time.js";
import { diedForGood } from "../../ui/died-for-good.js";
import { visible } from "../../ui/visible.js";
import { AttemptCard, OUTCOMES } from "./attempt-card.js";
import { useAttempts } from "./job-queries.js";
import { fold, timelineOf, type Step } from "./timeline.js";

/** Everything that happened to the job, in order. */
export function TimelineCard({ job }: { readonly job: JobDetailView }): ReactNode {
  const { t } = useTexts();
  const { data, error, refetch } = useAttempts(job);
  const frame = useRef<HTMLElement>(null);
  useShortcut("KeyN", () => {
    moveFocus(frame.current, 1);
  });
  useShortcut("KeyP", () => {
    moveFocus(frame.current, -1);
  });
  return (
    <section className="card" ref={frame}>
      <div className="card-header">
        <h2>{t("timeline.title")}</h2>
        {data !== undefined && job.attempt > 0 && (
          <span className="muted">{t("timeline.attempts", { count: job.attempt })}</span>
        )}
      </div>
      <div className="card-body">
        {error !== null && <ProblemNote error={error} retry={() => void refetch()} />}
        {data === undefined && error === null && <div className="skeleton timeline-loading" />}
        {data !== undefined && <Steps job={job} steps={timelineOf(job, data)} />}
      </div>
    </section>
  );
}

function Steps({ job, steps }: { readonly job: JobDetailView; readonly steps: readonly Step[] }): ReactNode {
  const { t } = useTexts();
  const [unfolded, setUnfolded] = useState(false);
  const { before, hidden, after } = unfolded ? { before: steps, hidden: 0, after: [] } : fold(steps);
  return (
    <ol className="timeline">
      {before.map((step, index) => (
        <StepItem key={keyOf(step, index)} job={job} step={step} />
      ))}
      {hidden > 0 && (
        <li className="step">
          <StepMark icon="more" tone="" />
          <button
            type="button"
            className="button"
            onClick={() => {
              setUnfolded(true);
            }}
          >
            {t("timeline.show", { count: hidden })}
          </button>
        </li>
      )}
      {after.map((step, index) => (
        <StepItem key={keyOf(step, before.length + index)} job={job} step={step} />
      ))}
    </ol>
  );
}

function keyOf(step: Step, index: number): string {
  return step.type === "attempt" ? `attempt ${step.attempt.token}` : `${step.type} ${index}`;
}

function StepItem({ job, step }: { readonly job: JobDetailView; readonly step: Step }): ReactNode {
  if (step.type === "attempt") {
    const { tone, icon } = OUTCOMES[step.attempt.outcome];
    return (
      <li className="step">
        <StepMark icon={icon} tone={tone} />
        <AttemptCard job={job} step={step} />
      </li>
    );
  }
  const { icon, tone } = markOf(step);
  return (
    <li className={step.type === "end" ? "step end" : "step"}>
      <StepMark icon={icon} tone={tone} />
      <div className="step-text">
        <StepText job={job} step={step} />
      </div>
    </li>
  );
}

type PlainStep = Exclude<Step, { type: "attempt" }>;

function StepText({ job, step }: { readonly job: JobDetailView; readonly step: PlainStep }): ReactNode {
  const { t, duration } = useTexts();
  switch (step.type) {
    case "created":
      return (
        <>
          <Created job={job} /> <When at={step.at} />
        </>
      );
    case "due":
      return (
        <>
          {t("timeline.due")} <When at={step.at} due />
        </>
      );
    case "next":
      return (
        <>
          {step.ms === null ? t("timeline.next") : t("timeline.backoff", { delay: duration(step.ms) })}{" "}
          <When at={step.at} due />
        </>
      );
    case "dropped":
      return t("timeline.dropped", { count: step.count });
    case "backoff":
      return step.ms === 0 ? t("timeline.atOnce") : t("timeline.backoff", { delay: duration(step.ms) });
    case "end":
      return (
        <>
          <strong>
            {step.state === "dead" && diedForGood(job)
              ? t("timeline.end.deadForGood", { attempt: job.attempt, max: job.maxAttempts })
              : t(`timeline.end.${step.state}`)}
          </strong>{" "}
          <When at={step.at} />
        </>
      );
    case "revived":
      if (step.at === null) return t("timeline.revived");
      return (
        <>
          {t("timeline.revivedAt")} <When at={step.at} />
        </>
      );
    case "given-back":
    case "ready":
      return t(`timeline.${step.type}`);
  }
}

function Created({ job: { schedule } }: { readonly job: JobDetailView }): ReactNode {
  const { t, rich } = useTexts();
  if (schedule === null) return t("timeline.created");
  const link = (
    <Link href={schedulePath(schedule.key)} className="job-text" translate="no">
      {visible(schedule.key)}
    </Link>
  );
  return rich("timeline.createdBy", { schedule: link });
}

function When({ at, due = false }: { readonly at: string; readonly due?: boolean }): ReactNode {
  return (
    <span className="step-when">
      <ClockTime at={at} /> · <RelativeTime at={at} due={due} />
    </span>
  );
}

function markOf(step: PlainStep): { readonly icon: IconName; readonly tone: string } {
  switch (step.type) {
    case "created":
      return { icon: "plus", tone: "" };
    case "due":
    case "next":
    case "backoff":
      return { icon: "clock", tone: "" };
    case "revived":
      return { icon: "retry", tone: "accent" };
    case "given-back":
      return { icon: "undo", tone: "" };
    case "dropped":
      return { icon: "more", tone: "" };
    case "ready":
      return { icon: "minus", tone: "accent" };
    case "end":
      return {
        completed: { icon: "check", tone: "good" } as const,
        dead: { icon: "cross", tone: "bad" } as const,
        cancelled: { icon: "close", tone: "" } as const,
      }[step.state];
  }
}

function StepMark({ icon, tone }: { readonly icon: IconName; readonly tone: string }): ReactNode {
  return (
    <span className={`step-mark ${tone}`}>
      <Icon name={icon} />
    </span>
  );
}

/** Goes to the attempt before or after the one that has the focus, or to the latest one. */
function moveFocus(frame: HTMLElement | null, by: 1 | -1): void {
  const cards = [...(frame?.querySelectorAll<HTMLElement>("[data-attempt]") ?? [])];
  const present = cards.findIndex((card) => card.contains(document.activeElement));
  const next = present < 0 ? (by > 0 ? cards[0] : cards.at(-1)) : cards[present + by];
  next?.focus();
  next?.scrollIntoView({ block: "nearest" });
}
