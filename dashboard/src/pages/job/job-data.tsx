import type { ReactNode } from "react";
import type { JobDetailView } from "../../api/types.js";
import { useTexts } from "../../i18n/text.js";
import { JsonCard } from "../../ui/json-viewer/json-viewer.js";
import { visible } from "../../ui/visible.js";
import { jobAddress } from "./job-queries.js";

export function Payload({ job }: { readonly job: JobDetailView }): ReactNode {
  const { t } = useTexts();
  return (
    <JsonCard
      title={t("data.payload")}
      path={`${jobAddress(job.id)}/payload`}
      bytes={job.payloadBytes}
      version="1"
      fileName={`job-${job.id}-payload.json`}
    />
  );
}

/** What the handler returned; nothing before it has. */
export function Result({ job }: { readonly job: JobDetailView }): ReactNode {
  const { t } = useTexts();
  const { resultBytes, resultProblem } = job;
  if (resultBytes !== null) {
    return (
      <JsonCard
        title={t("data.result")}
        path={`${jobAddress(job.id)}/result`}
        bytes={resultBytes}
        version={job.finishedAt ?? ""}
        fileName={`job-${job.id}-result.json`}
      />
    );
  }
  if (job.state !== "completed") return null;
  return (
    <section className="card">
      <div className="card-header">
        <h2>{t("data.result")}</h2>
      </div>
      <p className="card-body muted job-text">
        {resultProblem === null
          ? t("data.noResult")
          : t("data.resultProblem", { reason: visible(resultProblem) })}
      </p>
    </section>
  );
}
