import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState, type ReactNode } from "react";
import { send } from "../../api/request.js";
import type { OperationView } from "../../api/types.js";
import { useTexts } from "../../i18n/text.js";
import { AllowedButton } from "../../ui/allowed-button.js";
import { ProblemNote, useProblemText } from "../../ui/problem-note.js";
import { retriedBy } from "../../ui/retried-jobs.js";
import { toast } from "../../ui/toasts.js";
import { Retried } from "../../ui/unserved-note.js";
import { useOperation } from "./dead-queries.js";
import { RetryOutcome } from "./operation-outcome.js";

/** How far a bulk operation is. It goes on without this page, too. */
export function OperationNote({
  started,
  onClose,
}: {
  readonly started: OperationView;
  readonly onClose: () => void;
}): ReactNode {
  const { t } = useTexts();
  const client = useQueryClient();
  const problemText = useProblemText();
  const [ended, setEnded] = useState(false);
  const { data = started, error } = useOperation(started, ended);
  const { id, action, state, changed } = data;
  // The preview may have counted further than the operation tells.
  const matched = Math.max(started.matched, data.matched, changed);
  const running = state === "running";
  if (!running && !ended) setEnded(true);
  const outcome =
    running || action === "cancel" ? null : t(`operation.${action}.${state}`, { count: changed });
  useEffect(() => {
    if (outcome === null) return;
    toast(action === "retry" ? <Retried text={outcome} count={changed} jobs={retriedBy(id)} /> : outcome);
  }, [outcome, action, changed, id]);
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
        {outcome === null ? (
          t(`operation.${action}.running`, { changed, matched })
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
        <button type="button" className="button small" onClick={onClose}>
          {t("trial.close")}
        </button>
      )}
    </div>
  );
}
