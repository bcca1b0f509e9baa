import type { ReactNode } from "react";
import type { ScheduleDetailView } from "../../api/types.js";
import { useTexts } from "../../i18n/text.js";
import { useServerNow } from "../../live/clock.js";
import { RelativeTime } from "../../ui/time.js";
import { statusOf } from "./status.js";
import { listForm, zonedTexts } from "./zoned.js";

/** The next runs by the clocks of the schedule and of the reader, with what the change of clocks does to them. */
export function UpcomingRuns({ schedule }: { readonly schedule: ScheduleDetailView }): ReactNode {
  const { t } = useTexts();
  return (
    <section className="card" aria-labelledby="upcoming-title">
      <header className="card-header">
        <h2 id="upcoming-title">{t("schedule.upcoming")}</h2>
      </header>
      {schedule.next.length > 0 ? (
        <RunTable runs={schedule} timezone={schedule.timezone} title={t("schedule.upcoming.caption")} />
      ) : (
        <p className="card-body muted">
          {statusOf(schedule) === "paused" ? t("schedule.upcoming.paused") : t("schedule.upcoming.none")}
        </p>
      )}
    </section>
  );
}

export function RunTable({
  runs: { next, notes },
  timezone,
  title,
}: {
  readonly runs: Pick<ScheduleDetailView, "next" | "notes">;
  readonly timezone: string;
  readonly title: string;
}): ReactNode {
  const texts = useTexts();
  const { t, has } = texts;
  const now = useServerNow();
  const form = listForm(next.at(-1) ?? "", now);
  const shown = next.map((at) => ({ at, ...zonedTexts(at, timezone, texts, form) }));
  const differs = shown.some(({ here }) => here !== null);
  return (
    <div className="table-frame upcoming" tabIndex={0} role="region" aria-label={title}>
      <table>
        <caption className="visually-hidden">{title}</caption>
        <thead>
          <tr>
            <th scope="col">{t("schedule.upcoming.zone")}</th>
            {differs && <th scope="col">{t("schedule.upcoming.here")}</th>}
            <th scope="col" className="number">
              {t("schedule.upcoming.in")}
            </th>
          </tr>
        </thead>
        <tbody>
          {shown.map(({ at, there, here }) => (
            <tr key={at}>
              <td>
                {there}
                {notes
                  .filter((note) => note.at === at)
                  .map(({ shift, text }) => (
                    <p key={shift} className="shift-note">
                      <strong>{t("schedule.upcoming.note")}.</strong>{" "}
                      {has(`schedule.shift.${shift}`) ? t(`schedule.shift.${shift}`) : text}
                    </p>
                  ))}
              </td>
              {differs && <td>{here ?? there}</td>}
              <td className="number">
                <RelativeTime at={at} due />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
