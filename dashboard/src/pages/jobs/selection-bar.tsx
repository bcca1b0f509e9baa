import type { ReactNode } from "react";
import { BULK_ACTIONS } from "../../../../src/core/bulk-action.js";
import type { StateCount } from "../../api/job-counts.js";
import { useAllowed } from "../../api/queries.js";
import type { BulkAction, JobView } from "../../api/types.js";
import { useTexts } from "../../i18n/text.js";
import { ActionButton } from "../../ui/action-button.js";
import { visible } from "../../ui/visible.js";
import { wholeFilter, type JobsFilter } from "./jobs-url.js";
import { useCountText } from "./state-tabs.js";

const ICONS = { retry: "retry", cancel: "close", delete: "trash" } as const;

/** What is selected, and what can be done with it. */
export function SelectionBar({
  filter,
  all,
  jobs,
  total,
  onAll,
  onClear,
  onAct,
}: {
  readonly filter: JobsFilter;
  /** Whether all that match are meant, and not only `jobs`. */
  readonly all: boolean;
  /** The selected ones of this page. */
  readonly jobs: readonly JobView[];
  /** How many match, where it is known. */
  readonly total: StateCount | null;
  readonly onAll: () => void;
  readonly onClear: () => void;
  readonly onAct: (action: BulkAction) => void;
}): ReactNode {
  const { t, rich } = useTexts();
  const countText = useCountText();
  const refusalOf = useRefusal(all, jobs);
  const number = total === null ? "" : countText(total);
  const whole = wholeFilter(filter);
  const meant =
    whole === "" ? (
      t("jobs.everyJob")
    ) : (
      <code className="job-text" translate="no">
        {visible(whole)}
      </code>
    );
  return (
    <div className="selection-bar" role="region" aria-label={t("jobs.selection")}>
      <span className="spacer">
        {all
          ? number === ""
            ? rich("jobs.selectedAll", { filter: meant })
            : rich("jobs.selectedAllOf", { number, filter: meant })
          : t("jobs.selected", { count: jobs.length })}
      </span>
      {!all && (
        <button type="button" className="button quiet" onClick={onAll}>
          {number === "" ? t("jobs.selectAll") : t("jobs.selectAllOf", { number })}
        </button>
      )}
      {(["retry", "cancel", "delete"] as const).map((action) => (
        <ActionButton
          key={action}
          icon={ICONS[action]}
          refusal={refusalOf(action)}
          onPress={() => {
            onAct(action);
          }}
        >
          {t(`jobs.action.${action}`)}…
        </ActionButton>
      ))}
      <button type="button" className="button quiet" onClick={onClear}>
        {t("jobs.clearSelection")}
      </button>
    </div>
  );
}

function useRefusal(all: boolean, jobs: readonly JobView[]): (action: BulkAction) => string | null {
  const { t } = useTexts();
  const mayOperate = useAllowed("operate");
  const mayAdminister = useAllowed("administer");
  return (action) => {
    if (!mayOperate) return t("jobs.refusal.operate");
    if (action === "delete" && !mayAdminister) return t("jobs.refusal.administer");
    const states: readonly string[] = BULK_ACTIONS[action];
    return all || jobs.some(({ state }) => states.includes(state)) ? null : t("jobs.refusal.states");
  };
}
