import type { ReactNode } from "react";
import type { ScheduleView } from "../../api/types.js";
import { useTexts } from "../../i18n/text.js";
import { useServerNow } from "../../live/clock.js";
import { RelativeTime } from "../../ui/time.js";
import { listForm, zonedTexts } from "./zoned.js";

/** A run may be made this much later without anything being wrong. */
const LATE_MS = 60_000;

/** The next run: how soon, by the schedule's clocks, and by the reader's where they differ. */
export function NextRun({ schedule }: { readonly schedule: ScheduleView }): ReactNode {
  const texts = useTexts();
  const now = useServerNow();
  const { nextRunAt, timezone, jitterMs } = schedule;
  if (nextRunAt === null) return <span className="muted">–</span>;
  const { there, here } = zonedTexts(nextRunAt, timezone, texts, listForm(nextRunAt, now));
  return (
    <>
      <FromNow at={nextRunAt} jitterMs={jitterMs} />
      <span className="second-line unbroken">{there}</span>
      {here !== null && <span className="second-line unbroken">{here}</span>}
    </>
  );
}

function FromNow({ at, jitterMs }: { readonly at: string; readonly jitterMs: number }): ReactNode {
  const { t, roughly } = useTexts();
  const late = useServerNow() - Date.parse(at) - jitterMs;
  if (late > LATE_MS) {
    return <strong className="warn-text">{t("schedules.overdue", { duration: roughly(late) })}</strong>;
  }
  return late > 0 ? <span>{t("time.soon")}</span> : <RelativeTime at={at} due />;
}
