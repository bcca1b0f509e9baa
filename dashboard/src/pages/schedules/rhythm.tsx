import type { ReactNode } from "react";
import type { ScheduleView } from "../../api/types.js";
import { cronWords, intervalWords } from "../../i18n/cron/cron-words.js";
import { useTexts, type Texts } from "../../i18n/text.js";
import { visible } from "../../ui/visible.js";

/** When a schedule runs: in words, and as it is written. */
export function Rhythm({ schedule }: { readonly schedule: ScheduleView }): ReactNode {
  const texts = useTexts();
  const words = rhythmWords(schedule, texts);
  return (
    <>
      {words !== null && <span>{words}</span>}
      <span className="second-line">
        {schedule.cron !== null && (
          <code className="job-text" translate="no">
            {visible(schedule.cron)}
          </code>
        )}
        <span className="job-text" translate="no">
          {visible(schedule.timezone)}
        </span>
      </span>
    </>
  );
}

export function rhythmWords(
  { cron, everyMs }: Pick<ScheduleView, "cron" | "everyMs">,
  { language }: Texts,
): string | null {
  if (everyMs !== null) return intervalWords(everyMs, language);
  return cron === null ? null : cronWords(cron, language);
}
