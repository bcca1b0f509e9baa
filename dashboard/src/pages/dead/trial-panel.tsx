import { useEffect, type ReactNode } from "react";
import { Link } from "wouter";
import type { DeadGroupView } from "../../api/types.js";
import { useTexts } from "../../i18n/text.js";
import { jobPath } from "../../shell/routes.js";
import { Badge, type Tone } from "../../ui/badge.js";
import type { IconName } from "../../ui/icon.js";
import { useProblemText } from "../../ui/problem-note.js";
import { toast } from "../../ui/toasts.js";
import { useUnservedWarning } from "../../ui/unserved-note.js";
import { countOutcomes, isSettled, type Outcome } from "./outcome.js";
import { useOutcomes, type Outcomes } from "./use-outcomes.js";
import type { Trial } from "./use-trials.js";

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
export function TrialPanel({
  trial,
  group,
  onClose,
}: {
  readonly trial: Trial;
  readonly group: DeadGroupView;
  readonly onClose: () => void;
}): ReactNode {
  const { t } = useTexts();
  const { name } = group;
  const retried = trial.jobs.filter(({ refusal }) => refusal === null);
  const outcomes = useOutcomes(retried, "run");
  const { text, final } = useConclusion(trial, outcomes);
  useEffect(() => {
    if (final) toast(t("trial.toast", { name, text }));
  }, [final, text, name, t]);
  const unserved = useUnservedWarning(final ? [] : [group]);
  return (
    <div className="trial">
      <div className="trial-head">
        <strong>{t("trial.title")}</strong>
        <span>
          {text} {unserved}
        </span>
        <button type="button" className="button small" onClick={onClose}>
          {t("trial.close")}
        </button>
      </div>
      <ul className="trial-jobs">
        {trial.jobs.map((job) => (
          <li key={job.id}>
            <Link href={jobPath(job.id)} className="trial-id">
              {job.id}
            </Link>
            {job.refusal === null ? (
              <OutcomeBadge outcome={outcomes.get(job.id) ?? "waiting"} />
            ) : (
              <Refused refusal={job.refusal} />
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}

function OutcomeBadge({ outcome }: { readonly outcome: Outcome }): ReactNode {
  const { t } = useTexts();
  return <Badge {...MARKS[outcome]}>{t(`trial.${outcome}`)}</Badge>;
}

function Refused({ refusal }: { readonly refusal: unknown }): ReactNode {
  const { t } = useTexts();
  const problemText = useProblemText();
  return (
    <>
      <Badge tone="warn">{t("trial.refused")}</Badge> <span className="job-text">{problemText(refusal)}</span>
    </>
  );
}

interface Conclusion {
  readonly text: string;
  /** Whether nothing more is to be expected. */
  readonly final: boolean;
}

function useConclusion(trial: Trial, outcomes: Outcomes): Conclusion {
  const { t } = useTexts();
  if (trial.retrying) return { text: t("trial.retrying"), final: false };
  if (trial.jobs.length === 0) return { text: t("trial.none"), final: true };
  const all = [...outcomes.values()];
  if (all.length === 0 || !all.every(isSettled)) return { text: t("trial.going"), final: false };
  const completed = countOutcomes(all).get("completed") ?? 0;
  if (completed === all.length) return { text: t("trial.good", { count: completed }), final: true };
  return {
    text: completed === 0 ? t("trial.bad") : t("trial.mixed", { completed, all: all.length }),
    final: true,
  };
}
