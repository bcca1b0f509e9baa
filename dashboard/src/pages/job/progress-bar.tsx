import type { ReactNode } from "react";
import type { JobDetailView } from "../../api/types.js";
import { useTexts } from "../../i18n/text.js";
import { RelativeTime } from "../../ui/time.js";
import { visible } from "../../ui/visible.js";
import { isOfPresentRun } from "./progress.js";

/** How far the handler says that it is. */
export function ProgressBar({
  job,
  progress,
}: {
  readonly job: JobDetailView;
  readonly progress: NonNullable<JobDetailView["progress"]>;
}): ReactNode {
  const { t, format } = useTexts();
  const { percent, message, at } = progress;
  const isPresent = isOfPresentRun(job, progress);
  return (
    <div className={isPresent ? "progress running" : "progress"}>
      {!isPresent && <span className="muted">{t("job.progress.earlier")}</span>}
      <progress
        aria-label={t(isPresent ? "job.progress" : "job.progress.earlier")}
        max={100}
        value={percent}
      />
      <span className="progress-percent">{format.percent(Math.floor(percent) / 100)}</span>
      {message !== null && (
        <span className="progress-message job-text" translate="no" dir="auto">
          {visible(message)}
        </span>
      )}
      <span className="muted">
        <RelativeTime at={at} />
      </span>
    </div>
  );
}
