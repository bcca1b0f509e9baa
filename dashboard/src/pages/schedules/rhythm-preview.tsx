import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useState, type ReactNode } from "react";
import type { Problem } from "../../api/problem.js";
import { send } from "../../api/request.js";
import type { PreviewView } from "../../api/types.js";
import { faultText } from "../../i18n/faults.js";
import { useTexts } from "../../i18n/text.js";
import { serverNow } from "../../live/clock.js";
import { useProblemText } from "../../ui/problem-note.js";
import { visible } from "../../ui/visible.js";
import { everyMsOf, type FormValues } from "./form-values.js";
import { intervalRuns } from "./interval-runs.js";
import { rhythmWords } from "./rhythm.js";
import { RunTable } from "./upcoming-runs.js";

const SHOWN = 5;
const TYPING_MS = 300;

/** When the schedule would run as the form stands: the words for it, and the next runs, or what is wrong. */
export function RhythmPreview({ values }: { readonly values: FormValues }): ReactNode {
  const texts = useTexts();
  const { t } = texts;
  const { runs, fault } = usePreview(useSettled(values));
  const timing =
    values.rhythm === "cron"
      ? { cron: values.cron, everyMs: null }
      : { cron: null, everyMs: everyMsOf(values) };
  const words = timing.everyMs === null || timing.everyMs >= 1_000 ? rhythmWords(timing, texts) : null;
  return (
    <div className="rhythm-preview">
      <h3>{t("scheduleForm.preview")}</h3>
      {words !== null && <p className="rhythm-words">{words}</p>}
      {fault !== null && <p className="fault job-text">{visible(fault)}</p>}
      {fault === null && runs?.next.length === 0 && <p className="muted">{t("scheduleForm.preview.none")}</p>}
      {fault === null && runs !== undefined && runs.next.length > 0 && (
        <RunTable runs={runs} timezone={values.timezone} title={t("scheduleForm.preview")} />
      )}
    </div>
  );
}

function usePreview(values: FormValues): {
  readonly runs: PreviewView | undefined;
  readonly fault: string | null;
} {
  const problemText = useProblemText();
  const { language } = useTexts();
  const { cron, timezone } = values;
  const bounds = { startAt: instantOf(values.startAt), endAt: instantOf(values.endAt) };
  // The first run after an instant is strictly after it.
  const after = bounds.startAt === null || bounds.startAt < serverNow() ? null : bounds.startAt - 1;
  const isCron = values.rhythm === "cron";
  const { data, error } = useQuery<PreviewView, Problem>({
    queryKey: ["schedule-preview", cron, timezone, after],
    queryFn: () =>
      send<PreviewView>("/v1/schedules/preview", {
        method: "POST",
        body: {
          cron,
          timezone: timezone.trim(),
          count: SHOWN,
          ...(after === null ? {} : { after: new Date(after).toISOString() }),
        },
      }),
    enabled: isCron,
    placeholderData: keepPreviousData,
  });
  if (!isCron) return { runs: everyPreview(values, bounds), fault: null };
  const [first] = error?.document?.errors ?? [];
  const said = first === undefined ? null : faultText(language, first);
  const fault = error === null ? null : (said ?? problemText(error));
  const until = bounds.endAt ?? Infinity;
  const runs = data && { ...data, next: data.next.filter((at) => Date.parse(at) <= until) };
  return { runs, fault };
}

function everyPreview(values: FormValues, bounds: Parameters<typeof intervalRuns>[1]): PreviewView {
  const runs = intervalRuns(everyMsOf(values), bounds, serverNow(), SHOWN);
  return { next: runs.map((run) => new Date(run).toISOString()), notes: [] };
}

function instantOf(text: string): number | null {
  const instant = Date.parse(text);
  return Number.isNaN(instant) ? null : instant;
}

/** A value once it has not changed for a moment. */
function useSettled<Value>(value: Value): Value {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => {
      setSettled(value);
    }, TYPING_MS);
    return () => {
      clearTimeout(timer);
    };
  }, [value]);
  return settled;
}
