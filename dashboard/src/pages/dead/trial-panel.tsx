import { useEffect, type ReactNode } from "react";
import { Link } from "wouter";
import { useTexts, type Texts } from "../../i18n/text.js";
import { jobPath } from "../../shell/routes.js";
import { Badge, type Tone } from "../../ui/badge.js";
import type { IconName } from "../../ui/icon.js";
import { ProblemNote, useProblemText } from "../../ui/problem-note.js";
import { toast } from "../../ui/toasts.js";
import { useUnservedWarning } from "../../ui/unserved-note.js";
import { isFinal, isSettled, type Outcome } from "./outcome.js";
import { outcomeWords } from "./outcome-words.js";
import { closeTrial, isLost, setTold, type Trial, type TrialJob } from "./trials.js";
import { useOutcomes } from "./use-outcomes.js";

const MARKS: Readonly<Record<Outcome, { tone: Tone; icon: IconName }>> = {
  waiting: { tone: "neutral", icon: "minus" },
  running: { tone: "accent", icon: "play" },
  again: { tone: "bad", icon: "clock" },
  completed: { tone: "good", icon: "check" },
  dead: { tone: "bad", icon: "cross" },
  cancelled: { tone: "neutral", icon: "close" },
  gone: { tone: "neutral", icon: "trash" },
  untouched: { tone: "neutral", icon: "minus" },
};

/** How the jobs of a trial end, as they do. */
export function TrialPanel({ trial }: { readonly trial: Trial }): ReactNode {
  const texts = useTexts();
  const { t } = texts;
  const { number, group, jobs, retrying, told } = trial;
  const { outcomes, error } = useOutcomes(`trial ${number}`, jobs.map(followed), isCertain);
  const known = jobs.flatMap(({ id }) => outcomes.get(id) ?? []);
  const settled = !retrying && known.length === jobs.length && known.every(isSettled);
  const text = settled ? conclusionOf(texts, known) : t(retrying ? "trial.retrying" : "trial.going");
  const { name } = group;
  useEffect(() => {
    if (!settled || told) return;
    toast(t("trial.toast", { name, text }));
    setTold(trial);
  }, [settled, told, text, name, t, trial]);
  const unserved = useUnservedWarning(settled ? [] : [group]);
  return (
    <div className="trial">
      <div className="trial-head">
        <strong>{t("trial.title")}</strong>
        <span>
          {text} {unserved}
        </span>
        {!retrying && (
          <button
            type="button"
            className="button small"
            onClick={() => {
              closeTrial(group);
            }}
          >
            {t("trial.close")}
          </button>
        )}
      </div>
      {error !== null && <ProblemNote error={error} />}
      <ul className="trial-jobs">
        {jobs.map((job) => (
          <li key={job.id}>
            <Link href={jobPath(job.id)} className="trial-id">
              {job.id}
            </Link>
            <JobOutcome job={job} outcome={outcomes.get(job.id)} />
          </li>
        ))}
      </ul>
    </div>
  );
}

function followed({ id, token, fault }: TrialJob) {
  return { id, token, mayBeUntouched: fault !== null };
}

/** A request that got no answer may still be carried out. */
function isCertain(outcome: Outcome): boolean {
  return isFinal(outcome) && outcome !== "untouched";
}

function JobOutcome({
  job: { fault },
  outcome,
}: {
  readonly job: TrialJob;
  /** `undefined`: not known yet. */
  readonly outcome: Outcome | undefined;
}): ReactNode {
  const { t } = useTexts();
  const problemText = useProblemText();
  if (fault === null || (outcome !== undefined && outcome !== "untouched")) {
    const shown = outcome ?? "waiting";
    return <Badge {...MARKS[shown]}>{t(`trial.${shown}`)}</Badge>;
  }
  if (outcome === undefined && isLost(fault)) return <Badge tone="neutral">{t("trial.looking")}</Badge>;
  return (
    <>
      <Badge tone="warn">{t("trial.untouched")}</Badge> <span className="job-text">{problemText(fault)}</span>
    </>
  );
}

function conclusionOf(texts: Texts, outcomes: readonly Outcome[]): string {
  return outcomes.every((outcome) => outcome === "completed")
    ? texts.t("trial.good", { count: outcomes.length })
    : `${outcomeWords(texts, outcomes)}.`;
}
