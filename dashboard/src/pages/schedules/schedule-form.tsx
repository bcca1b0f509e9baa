import { useMutation } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { useLocation } from "wouter";
import type { Problem } from "../../api/problem.js";
import { isJson } from "../../api/raw-json.js";
import { send } from "../../api/request.js";
import type { ScheduleDetailView } from "../../api/types.js";
import { faultText } from "../../i18n/faults.js";
import type { Language } from "../../i18n/message.js";
import { useTexts } from "../../i18n/text.js";
import { schedulePath } from "../../shell/routes.js";
import { Dialog } from "../../ui/dialog.js";
import { useProblemText } from "../../ui/problem-note.js";
import { toast } from "../../ui/toasts.js";
import { useIsHere } from "../../ui/use-is-here.js";
import { visible } from "../../ui/visible.js";
import { useSchedulesChanged } from "./actions.js";
import { ConflictNote, type Conflict } from "./conflict-note.js";
import {
  bodyOf,
  fieldOf,
  NEW,
  NOTHING_KEPT,
  valuesOf,
  type FieldName,
  type FormValues,
} from "./form-values.js";
import {
  FIELD_LABELS,
  JobFields,
  KeyField,
  PolicyFields,
  RhythmFields,
  type FormState,
} from "./form-fields.js";
import { readSchedule, scheduleAddress, type ReadSchedule } from "./queries.js";
import { RhythmPreview } from "./rhythm-preview.js";
import { nextText } from "./zoned.js";

/**
 * Makes a schedule, or changes the one that was read when the form was opened. What somebody else changes meanwhile
 * is shown, and never overwritten without saying so.
 */
export function ScheduleForm({
  read: opened,
  onClose,
}: {
  readonly read: ReadSchedule | null;
  readonly onClose: () => void;
}): ReactNode {
  const texts = useTexts();
  const { t } = texts;
  const [base, setBase] = useState(opened);
  const [values, setValues] = useState(base === null ? NEW : valuesOf(base));
  const [conflict, setConflict] = useState<Conflict | null>(null);
  const save = useSave(base, onClose, setConflict);
  const faults = faultsOf(save.error, texts.language);
  if (!isJson(values.payload)) faults.set("payload", t("scheduleForm.payload.wrong"));
  const form: FormState = {
    values,
    faults,
    set: (name, value) => {
      setValues((before) => ({ ...before, [name]: value }));
    },
  };
  const title =
    base === null ? t("scheduleForm.title.new") : t("scheduleForm.title.edit", { key: base.schedule.key });
  return (
    <Dialog title={title} wide onClose={onClose}>
      <form
        className="dialog-form"
        onSubmit={(event) => {
          event.preventDefault();
          if (isJson(values.payload) && !save.isPending) save.mutate({ values, over: null });
        }}
      >
        {base === null && <KeyField form={form} />}
        <RhythmFields form={form} />
        <RhythmPreview values={values} />
        <JobFields form={form} />
        <PolicyFields form={form} />
        <div className="sticky-actions">
          {conflict === null && <SaveFault error={save.error} faults={faults} />}
          {conflict !== null && base !== null && (
            <ConflictNote
              base={base}
              conflict={conflict}
              onTake={(now) => {
                setBase(now);
                setValues(valuesOf(now));
                setConflict(null);
                save.reset();
              }}
              onKeep={(now) => {
                setBase(now);
                setConflict(null);
                save.mutate({ values, over: now });
              }}
            />
          )}
          <div className="dialog-actions">
            <button type="button" className="button" onClick={onClose}>
              {t("form.cancel")}
            </button>
            <button type="submit" className="button primary" disabled={save.isPending || conflict !== null}>
              {base === null ? t("scheduleForm.create") : t("form.save")}
            </button>
          </div>
        </div>
      </form>
    </Dialog>
  );
}

interface Saved {
  readonly values: FormValues;
  /** The version that the reader has been shown and wants to replace, when it is not the one of the form. */
  readonly over: ReadSchedule | null;
}

function useSave(base: ReadSchedule | null, onClose: () => void, setConflict: (conflict: Conflict) => void) {
  const texts = useTexts();
  const { t } = texts;
  const [, navigate] = useLocation();
  const changed = useSchedulesChanged();
  const isHere = useIsHere();
  const problemText = useProblemText();
  return useMutation<ScheduleDetailView, Problem, Saved>({
    mutationFn: ({ values, over }) => {
      const current = over ?? base;
      return send<ScheduleDetailView>(scheduleAddress(values.key.trim()), {
        method: "PUT",
        json: bodyOf(values, current?.schedule.job ?? NOTHING_KEPT),
        headers: current === null ? { "If-None-Match": "*" } : { "If-Match": current.etag ?? "*" },
      });
    },
    onSuccess: async (schedule) => {
      const { key } = schedule;
      const at = nextText(schedule, texts);
      if (base !== null)
        toast(at === null ? t("scheduleForm.savedNone", { key }) : t("scheduleForm.saved", { key, at }));
      else
        toast(at === null ? t("scheduleForm.createdNone", { key }) : t("scheduleForm.created", { key, at }));
      if (isHere()) {
        onClose();
        if (base === null) navigate(schedulePath(key));
      }
      await changed();
    },
    onError: async (error) => {
      if (!isHere()) toast(problemText(error), "bad");
      if (error.code !== "etag_mismatch" || base === null) return;
      // What is there now; when that cannot be read either, it is gone.
      setConflict({ now: await readSchedule(base.schedule.key).catch(() => null) });
    },
  });
}

/** What the server says of each field. */
function faultsOf(error: Problem | null, language: Language): Map<FieldName, string> {
  const faults = new Map<FieldName, string>();
  if (error === null) return faults;
  if (error.code === "number_precision" || error.code.startsWith("payload_")) {
    faults.set("payload", faultText(language, { code: error.code, detail: error.message }));
  }
  for (const { pointer, code, detail } of error.document?.errors ?? []) {
    const field = fieldOf(pointer);
    if (field !== null) faults.set(field, faultText(language, { code, detail }));
  }
  return faults;
}

/** What was wrong, always in view: the field that it is about may not be. */
function SaveFault({
  error,
  faults,
}: {
  readonly error: Problem | null;
  readonly faults: ReadonlyMap<FieldName, string>;
}): ReactNode {
  const { t } = useTexts();
  const problemText = useProblemText();
  if (error === null) return null;
  const text = error.code === "etag_mismatch" ? t("scheduleForm.exists") : problemText(error);
  const lines = [...faults].map(([field, detail]) => `${t(FIELD_LABELS[field])}: ${detail}`);
  return (
    <ul className="faults fault job-text" role="alert">
      {(lines.length === 0 ? [text] : lines).map((line) => (
        <li key={line}>{visible(line)}</li>
      ))}
    </ul>
  );
}
