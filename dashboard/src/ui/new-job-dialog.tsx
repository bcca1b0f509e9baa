import { useQueryClient } from "@tanstack/react-query";
import { useId, useState, type ReactNode, type SubmitEvent } from "react";
import { Link } from "wouter";
import { asProblem } from "../api/problem.js";
import { send } from "../api/request.js";
import { useSuggestions } from "../api/suggestions.js";
import type { JobView } from "../api/types.js";
import { useTexts } from "../i18n/text.js";
import { jobPath } from "../shell/routes.js";
import { Combobox } from "./combobox.js";
import { CopyButton } from "./copy.js";
import { Dialog } from "./dialog.js";
import { Field, type FieldProps } from "./field.js";
import {
  bodyOf,
  curlOf,
  faultsOf,
  fieldAt,
  randomKey,
  type NewJob,
  type NewJobField,
} from "./new-job-request.js";
import { useProblemText } from "./problem-note.js";
import { toast } from "./toasts.js";

const UNITS = [
  { ms: 1_000, unit: "s" },
  { ms: 60_000, unit: "min" },
  { ms: 3_600_000, unit: "h" },
  { ms: 86_400_000, unit: "d" },
] as const;

type Faults = Partial<Record<NewJobField | "other", string>>;

/** A form that enqueues one job, and shows the same call as curl. */
export function NewJobDialog({
  queue = "",
  name = "",
  onClose,
}: {
  readonly queue?: string;
  readonly name?: string;
  readonly onClose: () => void;
}): ReactNode {
  const { t } = useTexts();
  const id = useId();
  // The key is made with the form: however often it is sent, it is one job.
  const [job, setJob] = useState<NewJob>(() => ({
    queue,
    name,
    payload: "{}",
    delay: "",
    delayUnitMs: 1_000,
    priority: "",
    maxAttempts: "",
    tags: "",
    idempotencyKey: randomKey(),
  }));
  const { submit, busy, faults } = useEnqueue(onClose);
  const set = (change: Partial<NewJob>): void => {
    setJob({ ...job, ...change });
  };
  const field = (of: NewJobField, hint?: string): FieldProps => ({
    id: `${id}${of}`,
    label: t(`newJob.${of}`),
    fault: faults[of] ?? null,
    ...(hint === undefined ? {} : { hint }),
  });
  const text = (of: NewJobField, hint?: string, numeric = false): ReactNode => (
    <Field {...field(of, hint)}>
      {(props) => (
        <input
          {...props}
          className="input"
          autoComplete="off"
          spellCheck={false}
          inputMode={numeric ? "numeric" : "text"}
          value={job[of]}
          onChange={({ target }) => {
            set({ [of]: target.value });
          }}
        />
      )}
    </Field>
  );
  return (
    <Dialog title={t("newJob.title")} wide dismissable={false} onClose={onClose}>
      <form
        className="dialog-form new-job"
        onSubmit={(event: SubmitEvent) => {
          event.preventDefault();
          void submit(job);
        }}
        // The dialog does not close at a press beside it, but it does at Escape.
        onKeyDown={(event) => {
          if (event.key === "Escape" && !event.defaultPrevented) onClose();
        }}
      >
        <div className="form-row">
          <Suggesting
            field="name"
            props={field("name")}
            value={job.name}
            onChange={(of) => {
              set({ name: of });
            }}
          />
          <Suggesting
            field="queue"
            props={field("queue", t("newJob.queueHint"))}
            value={job.queue}
            onChange={(of) => {
              set({ queue: of });
            }}
          />
        </div>
        <Field {...field("payload", t("newJob.payloadHint"))}>
          {(props) => (
            <textarea
              {...props}
              className="input"
              rows={5}
              spellCheck={false}
              translate="no"
              value={job.payload}
              onChange={({ target }) => {
                set({ payload: target.value });
              }}
            />
          )}
        </Field>
        <div className="form-row three">
          <Field {...field("delay")}>
            {(props) => (
              <span className="joined">
                <input
                  {...props}
                  className="input"
                  inputMode="numeric"
                  autoComplete="off"
                  placeholder="0"
                  value={job.delay}
                  onChange={({ target }) => {
                    set({ delay: target.value });
                  }}
                />
                <select
                  className="input"
                  aria-label={t("newJob.delayUnit")}
                  value={job.delayUnitMs}
                  onChange={({ target }) => {
                    set({ delayUnitMs: Number(target.value) });
                  }}
                >
                  {UNITS.map(({ ms, unit }) => (
                    <option key={unit} value={ms}>
                      {t(`newJob.unit.${unit}`)}
                    </option>
                  ))}
                </select>
              </span>
            )}
          </Field>
          {text("priority", t("newJob.priorityHint"), true)}
          {text("maxAttempts", undefined, true)}
        </div>
        <div className="form-row">
          {text("tags", t("newJob.tagsHint"))}
          {text("idempotencyKey", t("newJob.keyHint"))}
        </div>
        <Curl job={job} />
        <span className="fault" role="alert">
          {faults.other}
        </span>
        <div className="dialog-actions">
          <button type="button" className="button" onClick={onClose}>
            {t("form.cancel")}
          </button>
          <button type="submit" className="button primary" aria-disabled={busy}>
            {t("newJob.submit")}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function Suggesting({
  field,
  props,
  value,
  onChange,
}: {
  readonly field: "name" | "queue";
  readonly props: FieldProps;
  readonly value: string;
  readonly onChange: (text: string) => void;
}): ReactNode {
  const { t } = useTexts();
  const known = useSuggestions(field, value);
  return (
    <Field {...props}>
      {(given) => (
        <Combobox
          {...given}
          className="input"
          label={t("newJob.known")}
          autoFocus={field === "name"}
          placeholder={field === "queue" ? "default" : "email.send"}
          value={value}
          options={known.filter((each) => each !== value && each.startsWith(value)).map((text) => ({ text }))}
          onChange={({ target }) => {
            onChange(target.value);
          }}
          onChoose={({ text }) => {
            onChange(text);
          }}
        />
      )}
    </Field>
  );
}

/** The call as it stands, also while the payload is no JSON yet. */
function Curl({ job }: { readonly job: NewJob }): ReactNode {
  const { t } = useTexts();
  const text = curlOf(new URL("v1/jobs", document.baseURI).href, bodyOf(job));
  return (
    <div>
      <div className="snippet-header">
        <h3>{t("newJob.curl")}</h3>
        <CopyButton text={text} label={t("newJob.copyCurl")} />
      </div>
      <pre
        className="code-block job-text"
        translate="no"
        tabIndex={0}
        aria-label={t("newJob.curl")}
        role="region"
      >
        {text}
      </pre>
    </div>
  );
}

interface Enqueuing {
  readonly busy: boolean;
  readonly faults: Faults;
  readonly submit: (job: NewJob) => Promise<void>;
}

function useEnqueue(onDone: () => void): Enqueuing {
  const { t, rich } = useTexts();
  const client = useQueryClient();
  const problemText = useProblemText();
  const [busy, setBusy] = useState(false);
  const [faults, setFaults] = useState<Faults>({});
  const submit = async (job: NewJob): Promise<void> => {
    if (busy) return;
    const own = Object.entries(faultsOf(job)).map(([of, fault]) => [of, t(`newJob.fault.${fault}`)]);
    setFaults(Object.fromEntries(own) as Faults);
    if (own.length > 0) return;
    setBusy(true);
    try {
      const made = await send<JobView & { deduplicated?: true }>("/v1/jobs", {
        method: "POST",
        text: bodyOf(job),
      });
      const link = <Link href={jobPath(made.id)}>{made.id}</Link>;
      toast(made.deduplicated === true ? rich("newJob.known.job", { link }) : rich("newJob.done", { link }));
      void client.invalidateQueries({ queryKey: ["jobs"] });
      onDone();
    } catch (error) {
      setFaults(faultsFrom(error, problemText(error)));
      setBusy(false);
    }
  };
  return { busy, faults, submit };
}

/** The server's faults at the fields that they are about. */
function faultsFrom(error: unknown, text: string): Faults {
  const { code, document } = asProblem(error);
  const errors = document?.errors ?? [];
  if (errors.length === 0) {
    const aboutPayload = code.startsWith("payload_") || code === "number_precision";
    return aboutPayload ? { payload: text } : { other: text };
  }
  const faults: Faults = {};
  for (const { pointer, detail } of errors) {
    const field = fieldAt(pointer) ?? "other";
    const said = field === "other" || field === "payload" ? `${pointer}: ${detail}` : detail;
    faults[field] = faults[field] === undefined ? said : `${faults[field]}; ${said}`;
  }
  return faults;
}
