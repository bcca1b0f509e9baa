import type { ReactNode } from "react";
import type { JobDetailView } from "../../api/types.js";
import { useTexts } from "../../i18n/text.js";
import { RelativeTime } from "../../ui/time.js";
import { visible } from "../../ui/visible.js";

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
  return (
    <div className={`progress ${job.state}`}>
      <progress aria-label={t("job.progress")} max={100} value={percent} />
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
