import { type HTMLAttributes, type ReactNode } from "react";
import { DEFAULT_MAX_ATTEMPTS, DEFAULT_PRIORITY } from "../../../src/core/defaults.js";
import { useSuggestions } from "../api/suggestions.js";
import { useTexts } from "../i18n/text.js";
import { Combobox } from "./combobox.js";
import { Field } from "./field.js";
import type { NewJob, NewJobField } from "./new-job-request.js";
import { TIME_UNITS, UNIT_NAMES } from "./time-units.js";
import type { Faults } from "./use-enqueue.js";

interface FormProps {
  readonly job: NewJob;
  readonly faults: Faults;
  readonly onChange: (change: Partial<NewJob>) => void;
}

/** The fields of the form, two or three in a row where there is room. */
export function NewJobFields(form: FormProps): ReactNode {
  const { t } = useTexts();
  return (
    <>
      <div className="form-row">
        <KnownField form={form} of="name" placeholder="email.send" />
        <KnownField form={form} of="queue" placeholder="default" hint={t("newJob.queueHint")} />
      </div>
      <PayloadField {...form} />
      <div className="form-row">
        <DelayField {...form} />
        <TextField
          form={form}
          of="priority"
          placeholder={String(DEFAULT_PRIORITY)}
          hint={t("newJob.priorityHint")}
          inputMode="numeric"
        />
        <TextField
          form={form}
          of="maxAttempts"
          placeholder={String(DEFAULT_MAX_ATTEMPTS)}
          inputMode="numeric"
        />
      </div>
      <div className="form-row">
        <TextField form={form} of="tags" hint={t("newJob.tagsHint")} />
        <TextField form={form} of="idempotencyKey" hint={t("newJob.keyHint")} />
      </div>
    </>
  );
}

function TextField({
  form: { job, faults, onChange },
  of,
  hint,
  placeholder,
  inputMode = "text",
}: {
  readonly form: FormProps;
  readonly of: NewJobField;
  readonly placeholder?: string;
  readonly hint?: string;
  readonly inputMode?: HTMLAttributes<HTMLInputElement>["inputMode"];
}): ReactNode {
  const { t } = useTexts();
  return (
    <Field label={t(`newJob.${of}`)} hint={hint} fault={faults[of] ?? null}>
      {(control) => (
        <input
          {...control}
          className="input"
          autoComplete="off"
          spellCheck={false}
          inputMode={inputMode}
          placeholder={placeholder}
          value={job[of]}
          onChange={({ target }) => {
            onChange({ [of]: target.value });
          }}
        />
      )}
    </Field>
  );
}

/** A name that the server may know already. */
function KnownField({
  form: { job, faults, onChange },
  of,
  placeholder,
  hint,
}: {
  readonly form: FormProps;
  readonly of: "name" | "queue";
  readonly placeholder: string;
  readonly hint?: string;
}): ReactNode {
  const { t } = useTexts();
  const value = job[of];
  const known = useSuggestions(of, value);
  return (
    <Field label={t(`newJob.${of}`)} hint={hint} fault={faults[of] ?? null}>
      {(control) => (
        <Combobox
          {...control}
          className="input"
          label={t("newJob.known")}
          autoFocus={of === "name"}
          placeholder={placeholder}
          value={value}
          options={known.filter((each) => each !== value && each.startsWith(value)).map((text) => ({ text }))}
          onChange={({ target }) => {
            onChange({ [of]: target.value });
          }}
          onChoose={({ text }) => {
            onChange({ [of]: text });
          }}
        />
      )}
    </Field>
  );
}

function PayloadField({ job, faults, onChange }: FormProps): ReactNode {
  const { t } = useTexts();
  return (
    <Field label={t("newJob.payload")} hint={t("newJob.payloadHint")} fault={faults.payload ?? null}>
      {(control) => (
        <textarea
          {...control}
          className="input"
          rows={5}
          spellCheck={false}
          translate="no"
          value={job.payload}
          onChange={({ target }) => {
            onChange({ payload: target.value });
          }}
        />
      )}
    </Field>
  );
}

function DelayField({ job, faults, onChange }: FormProps): ReactNode {
  const { t } = useTexts();
  return (
    <Field label={t("newJob.delay")} fault={faults.delay ?? null}>
      {(control) => (
        <span className="joined">
          <input
            {...control}
            className="input"
            inputMode="numeric"
            autoComplete="off"
            placeholder="0"
            value={job.delay}
            onChange={({ target }) => {
              onChange({ delay: target.value });
            }}
          />
          <select
            className="input"
            aria-label={t("newJob.delayUnit")}
            value={job.delayUnitMs}
            onChange={({ target }) => {
              onChange({ delayUnitMs: Number(target.value) });
            }}
          >
            {UNIT_NAMES.map((unit) => (
              <option key={unit} value={TIME_UNITS[unit]}>
                {t(`newJob.unit.${unit}`)}
              </option>
            ))}
          </select>
        </span>
      )}
    </Field>
  );
}
