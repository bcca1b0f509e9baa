import type { ReactNode } from "react";
import type { FlowState, FlowView } from "../../api/types.js";
import { useTexts } from "../../i18n/text.js";
import { Badge, type Tone } from "../../ui/badge.js";
import type { IconName } from "../../ui/icon.js";

const LOOKS = {
  running: { tone: "accent", icon: "play" },
  completed: { tone: "good", icon: "check" },
  failed: { tone: "bad", icon: "cross" },
  cancelled: { tone: "neutral", icon: "close" },
  stuck: { tone: "warn", icon: "lock" },
} as const satisfies Record<FlowState | "stuck", { tone: Tone; icon: IconName }>;

export function FlowStateBadge({ state }: { readonly state: FlowState | "stuck" }): ReactNode {
  const { t } = useTexts();
  return <Badge {...LOOKS[state]}>{t(`flow.state.${state}`)}</Badge>;
}

const ENDS = ["completed", "dead", "cancelled"] as const;

/** How many of its jobs have ended, and how. */
export function FlowBar({ counts }: { readonly counts: FlowView["counts"] }): ReactNode {
  const { t } = useTexts();
  const { jobs, completed, dead, cancelled } = counts;
  const ended = completed + dead + cancelled;
  return (
    <span className="flow-progress">
      <span className="flow-bar" aria-hidden="true">
        {ENDS.map((end) => (
          <span key={end} className={end} style={{ width: `${(counts[end] / jobs) * 100}%` }} />
        ))}
      </span>
      <span className="flow-ended">{t("flows.ended", { ended, jobs })}</span>
    </span>
  );
}
