import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";
import { asProblem } from "../api/problem.js";
import { send } from "../api/request.js";
import type { JobView } from "../api/types.js";
import { faultText } from "../i18n/faults.js";
import type { Language } from "../i18n/message.js";
import { useTexts, type Texts } from "../i18n/text.js";
import { jobPath } from "../shell/routes.js";
import { jsonFaultAt } from "./json-fault.js";
import {
  bodyOf,
  faultsOf,
  fieldAt,
  type NewJob,
  type NewJobFault,
  type NewJobField,
} from "./new-job-request.js";
import { useProblemText } from "./problem-note.js";
import { toast } from "./toasts.js";
import { useIsHere } from "./use-is-here.js";

/** What is wrong, by the fields of the form; `other` is about none of them. */
export type Faults = Partial<Record<NewJobField | "other", string>>;

interface Enqueuing {
  readonly busy: boolean;
  readonly faults: Faults;
  readonly submit: (job: NewJob) => Promise<void>;
  /** Takes back what was said about fields that are being corrected. */
  readonly forget: (fields: readonly string[]) => void;
}

/** Sends the form, once however often it is asked to. */
export function useEnqueue(onDone: () => void): Enqueuing {
  const { t, rich, language } = useTexts();
  const client = useQueryClient();
  const problemText = useProblemText();
  const isHere = useIsHere();
  const [busy, setBusy] = useState(false);
  const [faults, setFaults] = useState<Faults>({});
  const submit = async (job: NewJob): Promise<void> => {
    if (busy) return;
    const own = Object.entries(faultsOf(job)).map(([of, fault]) => [of, ownFaultText(t, fault, job)]);
    setFaults(Object.fromEntries(own) as Faults);
    if (own.length > 0) return;
    setBusy(true);
    try {
      const made = await send<JobView & { deduplicated?: true }>("/v1/jobs", {
        method: "POST",
        json: bodyOf(job),
      });
      const link = <Link href={jobPath(made.id)}>{made.id}</Link>;
      const isKnown = made.deduplicated === true;
      toast(isKnown ? rich("newJob.known.job", { link }) : rich("newJob.done", { link }), "lasting");
      void client.invalidateQueries({ queryKey: ["jobs"] });
      if (isHere()) onDone();
    } catch (error) {
      if (!isHere()) toast(problemText(error), "bad");
      setFaults(faultsFrom(error, problemText(error), language));
      setBusy(false);
    }
  };
  const forget = (fields: readonly string[]): void => {
    setFaults(Object.fromEntries(Object.entries(faults).filter(([field]) => !fields.includes(field))));
  };
  return { busy, faults, submit, forget };
}

function ownFaultText(t: Texts["t"], fault: NewJobFault, { payload }: NewJob): string {
  const at = fault === "notJson" ? jsonFaultAt(payload) : null;
  if (at === null) return t(`newJob.fault.${fault}`);
  return t("newJob.fault.notJsonAt", { line: at.line, column: at.column });
}

/** The server's faults at the fields that they are about. */
function faultsFrom(error: unknown, text: string, language: Language): Faults {
  const { code, document } = asProblem(error);
  const errors = document?.errors ?? [];
  if (errors.length === 0) {
    const aboutPayload = code.startsWith("payload_") || code === "number_precision";
    return aboutPayload ? { payload: text } : { other: text };
  }
  const faults: Faults = {};
  for (const { pointer, code: kind, detail } of errors) {
    const field = fieldAt(pointer) ?? "other";
    const fault = faultText(language, { code: kind, detail });
    const said = field === "other" || field === "payload" ? `${pointer}: ${fault}` : fault;
    faults[field] = faults[field] === undefined ? said : `${faults[field]}; ${said}`;
  }
  return faults;
}
