import { useQueryClient } from "@tanstack/react-query";
import { useEffect, type ReactNode } from "react";
import { COUNT_CAP } from "../../../../src/core/defaults.js";
import { send } from "../../api/request.js";
import type { OperationView } from "../../api/types.js";
import { useTexts } from "../../i18n/text.js";
import { AllowedButton } from "../../ui/allowed-button.js";
import { ProblemNote, useProblemText } from "../../ui/problem-note.js";
import { retriedBy } from "../../ui/retried-jobs.js";
import { toast } from "../../ui/toasts.js";
import { Retried } from "../../ui/unserved-note.js";
import { visible } from "../../ui/visible.js";
import { closeOperation, showOperation } from "./dead-operations.js";
import { useOperation } from "./dead-queries.js";
import { RetryOutcome } from "./operation-outcome.js";

/** How far a bulk operation is. It goes on without this page, too. */
export function OperationNote({
  started,
  what,
}: {
  readonly started: OperationView;
  /** Which jobs it is for. `null`: that can be seen where it stands. */
  readonly what: string | null;
}): ReactNode {
  const { t, format } = useTexts();
  const client = useQueryClient();
  const problemText = useProblemText();
  const ended = started.state !== "running";
  const { data: read = started, error } = useOperation(started, ended);
  const data = ended ? started : read;
  const { id, action, state, changed } = data;
  const running = state === "running";
  // The preview may have counted further than the operation tells.
  const isCapped = Math.max(started.matched, data.matched) === COUNT_CAP;
  const matched = Math.max(started.matched, data.matched, changed);
  const outcome =
    running || action === "cancel" ? null : t(`operation.${action}.${state}`, { count: changed });
  useEffect(() => {
    if (outcome === null || ended) return;
    toast(action === "retry" ? <Retried text={outcome} count={changed} jobs={retriedBy(id)} /> : outcome);
    showOperation(data);
  }, [outcome, ended, action, changed, id, data]);
  if (action === "cancel") return null;
  const stop = async (): Promise<void> => {
    try {
      await send(`/v1/operations/${encodeURIComponent(id)}/cancel`, { method: "POST" });
      await client.invalidateQueries({ queryKey: ["operation", id] });
    } catch (failure) {
      toast(problemText(failure), "bad");
    }
  };
  return (
    <div className="trial group-operation">
      {error !== null && <ProblemNote error={error} />}
      <span className="operation-text">
        {what !== null && (
          <code className="job-text" translate="no">
            {visible(what)}
          </code>
        )}{" "}
        {outcome === null ? (
          t(`operation.${action}.running`, {
            changed,
            matched: isCapped ? t("jobs.orMore", { number: format.number(matched) }) : matched,
          })
        ) : action === "retry" ? (
          <RetryOutcome operation={data} />
        ) : (
          outcome
        )}
      </span>
      {running ? (
        <>
          <progress aria-label={t("operation.progress")} max={Math.max(matched, 1)} value={changed} />
          <AllowedButton needs="operate" hint={t("operation.stop")} onPress={() => void stop()}>
            {t("operation.stop")}
          </AllowedButton>
        </>
      ) : (
        <button
          type="button"
          className="button small"
          onClick={() => {
            closeOperation(id);
          }}
        >
          {t("trial.close")}
        </button>
      )}
    </div>
  );
}
