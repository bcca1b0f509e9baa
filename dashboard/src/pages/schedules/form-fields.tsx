import type { ReactNode } from "react";
import type { MessageKey } from "../../i18n/catalogue.js";
import { useTexts } from "../../i18n/text.js";
import { Field } from "../../ui/field.js";
import { ZoneInput } from "../../ui/zone-input.js";
import { UNIT_NAMES } from "../../ui/time-units.js";
import type { FieldName, FormValues } from "./form-values.js";

export interface FormState {
  readonly values: FormValues;
  readonly faults: ReadonlyMap<FieldName, string>;
  readonly set: <Name extends FieldName>(name: Name, value: FormValues[Name]) => void;
}

export const FIELD_LABELS = {
  key: "scheduleForm.key",
  rhythm: "scheduleForm.rhythm",
  cron: "scheduleForm.cron",
  every: "scheduleForm.every",
  unit: "scheduleForm.unit",
  timezone: "scheduleForm.timezone",
  name: "scheduleForm.name",
  queue: "scheduleForm.queue",
  payload: "scheduleForm.payload",
  missed: "scheduleForm.missed",
  maxMissed: "scheduleForm.maxMissed",
  overlap: "scheduleForm.overlap",
  jitter: "scheduleForm.jitter",
  startAt: "scheduleForm.startAt",
  endAt: "scheduleForm.endAt",
  priority: "scheduleForm.priority",
  maxAttempts: "scheduleForm.maxAttempts",
  timeout: "scheduleForm.timeout",
  tags: "scheduleForm.tags",
} as const satisfies Record<FieldName, MessageKey>;

/** The fields that are typed as they are. */
type TextName = Exclude<FieldName, "rhythm" | "unit" | "missed" | "overlap">;

function TextField({
  form: { values, faults, set },
  name,
  hint,
  inputMode,
  autoFocus = false,
}: {
  readonly form: FormState;
  readonly name: TextName;
  readonly hint?: string;
  readonly inputMode?: "numeric" | "decimal";
  readonly autoFocus?: boolean;
}): ReactNode {
  const { t } = useTexts();
  return (
    <Field label={t(FIELD_LABELS[name])} hint={hint} fault={faults.get(name)}>
      {(control) => (
        <input
          {...control}
          className="input"
          inputMode={inputMode}
          autoFocus={autoFocus}
          spellCheck={false}
          autoComplete="off"
          value={values[name]}
          onChange={({ target }) => {
            set(name, target.value);
          }}
        />
      )}
    </Field>
  );
}

function Select<Name extends "rhythm" | "unit" | "missed" | "overlap">({
  form: { values, faults, set },
  name,
  choices,
  textOf,
}: {
  readonly form: FormState;
  readonly name: Name;
  readonly choices: readonly FormValues[Name][];
  readonly textOf: (choice: FormValues[Name]) => MessageKey;
}): ReactNode {
  const { t } = useTexts();
  const label: (typeof FIELD_LABELS)[FieldName] = FIELD_LABELS[name];
  return (
    <Field label={t(label)} fault={faults.get(name)}>
      {(control) => (
        <select
          {...control}
          className="input"
          value={values[name]}
          onChange={({ target }) => {
            set(name, target.value as FormValues[Name]);
          }}
        >
          {choices.map((choice) => (
            <option key={choice} value={choice}>
              {t(textOf(choice) as "scheduleForm.key")}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

interface Part {
  readonly form: FormState;
}

export function KeyField({ form }: Part): ReactNode {
  const { t } = useTexts();
  return <TextField form={form} name="key" hint={t("scheduleForm.key.hint")} autoFocus />;
}

export function RhythmFields({ form }: Part): ReactNode {
  const { t } = useTexts();
  const { values, faults, set } = form;
  return (
    <div className="form-grid">
      <Select
        form={form}
        name="rhythm"
        choices={["cron", "every"]}
        textOf={(choice) => `scheduleForm.rhythm.${choice}`}
      />
      {values.rhythm === "cron" ? (
        <TextField form={form} name="cron" hint={t("scheduleForm.cron.hint")} />
      ) : (
        <div className="form-pair">
          <TextField form={form} name="every" inputMode="decimal" />
          <Select
            form={form}
            name="unit"
            choices={UNIT_NAMES}
            textOf={(unit) => `scheduleForm.unit.${unit}`}
          />
        </div>
      )}
      <Field label={t("scheduleForm.timezone")} fault={faults.get("timezone")}>
        {(control) => (
          <ZoneInput
            {...control}
            value={values.timezone}
            onChange={(zone) => {
              set("timezone", zone);
            }}
          />
        )}
      </Field>
    </div>
  );
}

export function JobFields({ form }: Part): ReactNode {
  const { t } = useTexts();
  const { values, faults, set } = form;
  return (
    <>
      <div className="form-grid two">
        <TextField form={form} name="name" />
        <TextField form={form} name="queue" />
      </div>
      <Field label={t("scheduleForm.payload")} fault={faults.get("payload")}>
        {(control) => (
          <textarea
            {...control}
            className="input"
            rows={4}
            spellCheck={false}
            value={values.payload}
            onChange={({ target }) => {
              set("payload", target.value);
            }}
          />
        )}
      </Field>
    </>
  );
}

const IN_MORE = ["jitter", "startAt", "endAt", "priority", "maxAttempts", "timeout", "tags"] as const;

export function PolicyFields({ form }: Part): ReactNode {
  const { t } = useTexts();
  const hint = t("scheduleForm.instant.hint");
  return (
    <>
      <div className="form-grid two">
        <Select
          form={form}
          name="overlap"
          choices={["allow", "skip", "queue"]}
          textOf={(choice) => `scheduleForm.overlap.${choice}`}
        />
        <div className={form.values.missed === "all" ? "form-pair" : ""}>
          <Select
            form={form}
            name="missed"
            choices={["once", "skip", "all"]}
            textOf={(choice) => `scheduleForm.missed.${choice}`}
          />
          {form.values.missed === "all" && <TextField form={form} name="maxMissed" inputMode="numeric" />}
        </div>
      </div>
      {/* A fault in there must be seen. */}
      <details open={IN_MORE.some((name) => form.faults.has(name)) || undefined}>
        <summary>{t("scheduleForm.more")}</summary>
        <div className="form-grid">
          <TextField form={form} name="jitter" inputMode="decimal" />
          <TextField form={form} name="startAt" hint={hint} />
          <TextField form={form} name="endAt" hint={hint} />
          <TextField form={form} name="priority" inputMode="numeric" />
          <TextField form={form} name="maxAttempts" inputMode="numeric" />
          <TextField form={form} name="timeout" inputMode="decimal" />
        </div>
        <TextField form={form} name="tags" />
      </details>
    </>
  );
}
