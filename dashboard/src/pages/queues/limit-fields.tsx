import type { ReactNode } from "react";
import { ON_FULL } from "../../../../src/core/queue-limits.js";
import { useTexts } from "../../i18n/text.js";
import { Field } from "../../ui/field.js";
import { amountOf, UNIT_NAMES } from "../../ui/time-units.js";
import type { LimitField, LimitValues } from "./limit-values.js";

export interface LimitForm {
  readonly values: LimitValues;
  readonly faults: ReadonlyMap<LimitField, string>;
  readonly onChange: (change: Partial<LimitValues>) => void;
}

interface FormProps {
  readonly form: LimitForm;
}

type SpanField = "per" | "keyPer" | "ageing";
type CountField = Exclude<LimitField, SpanField | "onFull">;

/** What may run and start: of the queue, and of each key in it; and how jobs wait. */
export function LimitFields({ form }: FormProps): ReactNode {
  const { t } = useTexts();
  return (
    <>
      <fieldset className="limit-group">
        <legend>{t("queue.limits.queue")}</legend>
        <CountInput form={form} of="concurrency" />
        <CountInput form={form} of="starts" />
        <SpanInput form={form} of="per" />
      </fieldset>
      <fieldset className="limit-group">
        <legend>{t("queue.limits.key")}</legend>
        <CountInput form={form} of="keyConcurrency" hint={t("queue.limits.keyConcurrency.hint")} />
        <CountInput form={form} of="keyStarts" hint={t("queue.limits.keyStarts.hint")} />
        <SpanInput form={form} of="keyPer" />
      </fieldset>
      <fieldset className="limit-group">
        <legend>{t("queue.limits.waiting")}</legend>
        <CountInput form={form} of="maxLength" hint={t("queue.limits.maxLength.hint")} />
        <OnFullSelect form={form} />
        <SpanInput form={form} of="ageing" placeholder={t("queue.limits.ageing.never")} />
      </fieldset>
    </>
  );
}

function CountInput({
  form: { values, faults, onChange },
  of,
  hint,
}: FormProps & { readonly of: CountField; readonly hint?: string }): ReactNode {
  const { t } = useTexts();
  return (
    <Field label={t(`queue.limits.${LABELS[of]}`)} hint={hint} fault={faults.get(of)}>
      {(control) => (
        <input
          {...control}
          className="input"
          inputMode="numeric"
          autoComplete="off"
          placeholder={t("queue.limits.none")}
          value={values[of]}
          onChange={({ target }) => {
            onChange({ [of]: target.value });
          }}
        />
      )}
    </Field>
  );
}

/** An amount and its unit. */
function SpanInput({
  form: { values, faults, onChange },
  of,
  placeholder,
}: FormProps & { readonly of: SpanField; readonly placeholder?: string }): ReactNode {
  const { t } = useTexts();
  const span = values[of];
  return (
    <Field label={t(`queue.limits.${LABELS[of]}`)} fault={faults.get(of)}>
      {(control) => (
        <span className="joined">
          <input
            {...control}
            className="input"
            inputMode="decimal"
            autoComplete="off"
            placeholder={placeholder}
            value={span.amount}
            onChange={({ target }) => {
              onChange({ [of]: { ...span, amount: target.value } });
            }}
          />
          <select
            className="input"
            aria-label={t("scheduleForm.unit")}
            value={span.unit}
            onChange={({ target }) => {
              onChange({ [of]: { ...span, unit: target.value } });
            }}
          >
            {UNIT_NAMES.map((unit) => (
              <option key={unit} value={unit}>
                {t(`queue.limits.unit.${unit}`, { count: amountOf(span.amount) })}
              </option>
            ))}
          </select>
        </span>
      )}
    </Field>
  );
}

function OnFullSelect({ form: { values, faults, onChange } }: FormProps): ReactNode {
  const { t } = useTexts();
  return (
    <Field label={t("queue.limits.onFull")} fault={faults.get("onFull")}>
      {(control) => (
        <select
          {...control}
          className="input"
          value={values.onFull}
          onChange={({ target }) => {
            onChange({ onFull: ON_FULL.find((one) => one === target.value) ?? "refuse" });
          }}
        >
          {ON_FULL.map((one) => (
            <option key={one} value={one}>
              {t(`queue.limits.${one}`)}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

const LABELS = {
  concurrency: "concurrency",
  starts: "starts",
  per: "per",
  keyConcurrency: "concurrency",
  keyStarts: "starts",
  keyPer: "per",
  maxLength: "maxLength",
  ageing: "ageing",
} as const satisfies Record<CountField | SpanField, string>;
