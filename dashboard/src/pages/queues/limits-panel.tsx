import { useEffect, useRef, type ReactNode } from "react";
import type { Problem } from "../../api/problem.js";
import type { QueueView } from "../../api/types.js";
import { useTexts } from "../../i18n/text.js";
import { AllowedButton } from "../../ui/allowed-button.js";
import { useProblemText } from "../../ui/problem-note.js";
import { LimitFields } from "./limit-fields.js";
import { limitFieldAt } from "./limit-values.js";
import { useLimitsEdit } from "./use-limits-edit.js";

/** How many jobs of the queue, and of each key in it, may run, start and wait: to read and to change. */
export function LimitsPanel({ queue }: { readonly queue: QueueView }): ReactNode {
  const { t } = useTexts();
  const { values, faults, problem, isBegun, isChanged, isSaving, change, save, discard } =
    useLimitsEdit(queue);
  const form = useRef<HTMLFormElement>(null);
  const actions = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (problem !== null) form.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
  }, [problem]);
  return (
    <section className="card" aria-labelledby="queue-limits">
      <div className="card-header">
        <h2 id="queue-limits">{t("queue.limits")}</h2>
      </div>
      <form
        ref={form}
        className="card-body stack"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <LimitFields form={{ values, faults, onChange: change }} />
        <div ref={actions} className="joined limit-actions">
          <AllowedButton
            needs="operate"
            tone="primary"
            refusal={isChanged ? null : t("queue.limits.unchanged")}
            busy={isSaving}
            onPress={save}
          >
            {t("queue.limits.save")}
          </AllowedButton>
          {/* For the Enter key: a form with several fields needs a button of this kind. */}
          <button type="submit" hidden />
          {isBegun && (
            <button
              type="button"
              className="button"
              onClick={() => {
                discard();
                // This button goes away: whoever is on it stays beside it.
                actions.current?.querySelector("button")?.focus();
              }}
            >
              {t("queue.limits.discard")}
            </button>
          )}
          {problem !== null && <Refusal problem={problem} />}
        </div>
      </form>
    </section>
  );
}

/** What was wrong, where no field says it. */
function Refusal({ problem }: { readonly problem: Problem }): ReactNode {
  const { t } = useTexts();
  const problemText = useProblemText();
  const { code, document } = problem;
  if (document?.errors?.every(({ pointer }) => limitFieldAt(pointer) !== null) === true) return null;
  return (
    <p role="alert" className="fault job-text">
      {code === "etag_mismatch" ? t("queue.limits.changed") : problemText(problem)}
    </p>
  );
}
