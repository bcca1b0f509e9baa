import type { ReactNode } from "react";
import { useTexts } from "../../i18n/text.js";
import { FIELD_LABELS } from "./form-fields.js";
import { differences, valuesOf } from "./form-values.js";
import type { ReadSchedule } from "./queries.js";

/** What is there instead of what the form began with. `null`: nothing is. */
export interface Conflict {
  readonly now: ReadSchedule | null;
}

/** Says what somebody else changed, and leaves the choice. */
export function ConflictNote({
  base,
  conflict: { now },
  onTake,
  onKeep,
}: {
  readonly base: ReadSchedule;
  readonly conflict: Conflict;
  readonly onTake: (now: ReadSchedule) => void;
  readonly onKeep: (now: ReadSchedule) => void;
}): ReactNode {
  const { t } = useTexts();
  if (now === null) {
    return (
      <p className="notice bad" role="alert">
        {t("scheduleForm.conflict.gone")}
      </p>
    );
  }
  const [before, after] = [valuesOf(base), valuesOf(now)];
  const fields = differences(before, after);
  return (
    <div className="notice warn conflict" role="alert">
      <strong>{t("scheduleForm.conflict")}</strong>
      {fields.length === 0 ? (
        <p>{t("scheduleForm.conflict.pause")}</p>
      ) : (
        <ul>
          {fields.map((field) => (
            <li key={field} className="job-text">
              {t("scheduleForm.conflict.field", {
                field: t(FIELD_LABELS[field]),
                before: before[field],
                now: after[field],
              })}
            </li>
          ))}
        </ul>
      )}
      <div className="toolbar">
        <button
          type="button"
          className="button"
          onClick={() => {
            onTake(now);
          }}
        >
          {t("scheduleForm.conflict.take")}
        </button>
        <button
          type="button"
          className="button"
          onClick={() => {
            onKeep(now);
          }}
        >
          {t("scheduleForm.conflict.keep")}
        </button>
      </div>
    </div>
  );
}
