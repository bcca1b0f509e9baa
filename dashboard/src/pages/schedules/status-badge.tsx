import type { ReactNode } from "react";
import type { ScheduleView } from "../../api/types.js";
import { useTexts } from "../../i18n/text.js";
import { Badge, type Tone } from "../../ui/badge.js";
import type { IconName } from "../../ui/icon.js";
import { visible } from "../../ui/visible.js";
import { statusOf, type ScheduleStatus } from "./status.js";

const LOOK = {
  active: { tone: "good", icon: "clock" },
  paused: { tone: "warn", icon: "pause" },
  stopped: { tone: "bad", icon: "cross" },
  ended: { tone: "neutral", icon: "minus" },
} as const satisfies Record<ScheduleStatus, { tone: Tone; icon: IconName }>;

export function StatusBadge({ schedule }: { readonly schedule: ScheduleView }): ReactNode {
  const { t } = useTexts();
  const status = statusOf(schedule);
  return <Badge {...LOOK[status]}>{t(`schedule.status.${status}`)}</Badge>;
}

/** What there is to say of a schedule that does not run: since when and why, or what stopped it. */
export function StatusNote({ schedule }: { readonly schedule: ScheduleView }): ReactNode {
  const { t } = useTexts();
  const { problem, pausedAt, pauseReason } = schedule;
  if (problem !== null) return <span className="second-line bad-text job-text">{visible(problem)}</span>;
  if (pausedAt === null || pauseReason === null) return null;
  return (
    <span className="second-line job-text" translate="no" dir="auto" title={t("schedule.pause.reason")}>
      {visible(pauseReason)}
    </span>
  );
}
