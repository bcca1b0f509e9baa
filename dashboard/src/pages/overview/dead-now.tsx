import type { ReactNode } from "react";
import { useJobCounts } from "../../api/job-counts.js";
import type { FindingView } from "../../api/types.js";
import { useTexts } from "../../i18n/text.js";
import { withoutPrevious } from "../../live/use-live-query.js";
import { filterValue } from "../../shell/routes.js";

/** How many dead jobs one finds where a finding about deaths leads: a job may have died more than once. */
export function DeadNow({
  finding: { queue, name },
}: {
  readonly finding: Extract<FindingView, { code: "dead_recently" }>;
}): ReactNode {
  const { t } = useTexts();
  const { data } = withoutPrevious(useJobCounts(`queue:${filterValue(queue)} name:${filterValue(name)}`));
  if (data === undefined) return null;
  return (
    <span className="muted" title={t("finding.deadNow.hint")}>
      {" "}
      · {t("finding.deadNow", { count: data.states.dead?.count ?? 0 })}
    </span>
  );
}
