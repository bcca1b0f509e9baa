import { useQueryClient } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { ON_FULL, type OnFull } from "../../../../src/core/queue-limits.js";
import { send } from "../../api/request.js";
import { asProblem } from "../../api/problem.js";
import type { QueueView } from "../../api/types.js";
import { useTexts } from "../../i18n/text.js";
import { AllowedButton } from "../../ui/allowed-button.js";
import { Field } from "../../ui/field.js";
import { useProblemText } from "../../ui/problem-note.js";
import { toast } from "../../ui/toasts.js";

/** What somebody has begun to write. */
interface Draft {
  readonly maxLength: string;
  readonly onFull: OnFull;
  /** Of the queue when it was begun: what somebody else has changed since is not overwritten. */
  readonly version: number;
}

/** How many jobs may wait in the queue, to read and to change. */
export function LimitsPanel({ queue }: { readonly queue: QueueView }): ReactNode {
  const { t } = useTexts();
  const [draft, setDraft] = useState<Draft | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const save = useSave(queue.name);
  const shown = draft ?? draftOf(queue);
  const change = (changes: Partial<Draft>): void => {
    setFault(null);
    setDraft({ ...shown, ...changes });
  };
  const maxLength = lengthOf(shown.maxLength);
  const submit = async (): Promise<void> => {
    const refused = maxLength === undefined ? t("queue.limits.number") : await save(shown, maxLength);
    setFault(refused);
    if (refused === null) setDraft(null);
  };
  return (
    <section className="card" aria-labelledby="queue-limits">
      <div className="card-header">
        <h2 id="queue-limits">{t("queue.limits")}</h2>
      </div>
      <form
        className="card-body stack"
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <LimitFields shown={shown} fault={fault} onChange={change} />
        <div className="joined">
          <AllowedButton
            needs="operate"
            tone="primary"
            refusal={draft === null ? t("queue.limits.unchanged") : null}
            onPress={submit}
          >
            {t("queue.limits.save")}
          </AllowedButton>
          {draft !== null && (
            <button
              type="button"
              className="button"
              onClick={() => {
                setDraft(null);
                setFault(null);
              }}
            >
              {t("queue.limits.discard")}
            </button>
          )}
        </div>
      </form>
    </section>
  );
}

function LimitFields({
  shown,
  fault,
  onChange,
}: {
  readonly shown: Draft;
  readonly fault: string | null;
  readonly onChange: (changes: Partial<Draft>) => void;
}): ReactNode {
  const { t } = useTexts();
  return (
    <div className="form-row">
      <Field label={t("queue.limits.maxLength")} hint={t("queue.limits.hint")} fault={fault}>
        {(control) => (
          <input
            {...control}
            className="input"
            inputMode="numeric"
            placeholder={t("queue.limits.none")}
            value={shown.maxLength}
            onChange={({ target }) => {
              onChange({ maxLength: target.value });
            }}
          />
        )}
      </Field>
      <Field label={t("queue.limits.onFull")}>
        {(control) => (
          <select
            {...control}
            className="input"
            value={shown.onFull}
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
    </div>
  );
}

function draftOf({ maxLength, onFull, version }: QueueView): Draft {
  return { maxLength: maxLength === null ? "" : String(maxLength), onFull, version };
}

/** `null`: no limit; `undefined`: it is no whole number. */
function lengthOf(text: string): number | null | undefined {
  const trimmed = text.trim();
  if (trimmed === "") return null;
  return /^\d{1,10}$/.test(trimmed) ? Number(trimmed) : undefined;
}

/** @returns why it was refused */
function useSave(
  name: string,
): (draft: Draft, maxLength: number | null | undefined) => Promise<string | null> {
  const { t } = useTexts();
  const client = useQueryClient();
  const problemText = useProblemText();
  return async ({ onFull, version }, maxLength) => {
    try {
      await send<QueueView>(`/v1/queues/${encodeURIComponent(name)}`, {
        method: "PATCH",
        headers: { "If-Match": `"v${version}"` },
        body: { maxLength, onFull },
      });
    } catch (error) {
      return asProblem(error).code === "etag_mismatch" ? t("queue.limits.changed") : problemText(error);
    } finally {
      await client.invalidateQueries({
        predicate: ({ queryKey: [kind] }) => kind === "queue" || kind === "queues",
      });
    }
    toast(t("queue.limits.saved", { queue: name }));
    return null;
  };
}
