import { useState, type ReactNode } from "react";
import type { JobDetailView, StepView } from "../../api/types.js";
import { useTexts } from "../../i18n/text.js";
import { JsonCard } from "../../ui/json-viewer/json-viewer.js";
import { ProblemNote } from "../../ui/problem-note.js";
import { ClockTime } from "../../ui/time.js";
import { visible } from "../../ui/visible.js";
import { jobAddress, useSteps } from "./job-queries.js";

/** What the handler has done for good, so that a later attempt skips it. Most jobs have no steps, and no card. */
export function StepsCard({ job }: { readonly job: JobDetailView }): ReactNode {
  const { t } = useTexts();
  const { data = [], error, refetch } = useSteps(job);
  if (data.length === 0 && error === null) return null;
  return (
    <section className="card" id="steps">
      <div className="card-header">
        <h2>
          {t("steps.title")} <span className="json-size">{t("steps.count", { count: data.length })}</span>
        </h2>
      </div>
      {error !== null && <ProblemNote error={error} retry={() => void refetch()} />}
      <ol className="done-steps">
        {data.map((step) => (
          <DoneStep key={step.seq} job={job} step={step} />
        ))}
      </ol>
    </section>
  );
}

function DoneStep({ job, step }: { readonly job: JobDetailView; readonly step: StepView }): ReactNode {
  const { t, size } = useTexts();
  const [open, setOpen] = useState(false);
  const { seq, attempt, at, resultBytes } = step;
  const about = (
    <>
      <span className="done-step-name job-text" translate="no" dir="auto">
        {visible(step.name)}
      </span>
      <span className="done-step-when">
        {t("timeline.attempt", { number: attempt })} · <ClockTime at={at} />
      </span>
    </>
  );
  if (resultBytes === null) {
    return (
      <li className="done-step">
        {about} <span className="json-size">{t("steps.nothing")}</span>
      </li>
    );
  }
  return (
    <li className="done-step">
      <details
        onToggle={({ currentTarget }) => {
          setOpen(currentTarget.open);
        }}
      >
        <summary>
          {about} <span className="json-size">{size(resultBytes)}</span>
        </summary>
        {open && (
          <JsonCard
            title={t("data.result")}
            path={`${jobAddress(job.id)}/steps/${seq}/result`}
            bytes={resultBytes}
            version="1"
            fileName={`job-${job.id}-step-${seq}.json`}
          />
        )}
      </details>
    </li>
  );
}
