import { useState, type ReactNode } from "react";
import { useTexts } from "../../i18n/text.js";
import { AllowedButton } from "../../ui/allowed-button.js";
import { DeadBulkDialog } from "./dead-bulk-dialog.js";
import { isOfGroup, showOperation, useDeadOperations, useIsBeingRetried } from "./dead-operations.js";
import type { DeadFilter } from "./dead-queries.js";
import { OperationNotes } from "./operation-notes.js";
import { deadQuery, useDeadCounts } from "./use-dead-counts.js";

/** How many jobs the filter of the page matches, and the retry of all of them. */
export function DeadHeader({ filter }: { readonly filter: DeadFilter }): ReactNode {
  const { t } = useTexts();
  const { matched = 0, total = 0 } = useDeadCounts(filter) ?? {};
  const [asking, setAsking] = useState(false);
  const operations = useDeadOperations();
  const isBeingRetried = useIsBeingRetried();
  const q = deadQuery(filter);
  return (
    <>
      <header className="page-header">
        <div>
          <h1>
            {t("nav.dead")}{" "}
            {total > 0 && (
              <span className="json-size">
                {matched === total
                  ? t("dead.count", { count: total })
                  : t("dead.countOf", { matched, count: total })}
              </span>
            )}
          </h1>
          <p className="muted">{t("dead.lead")}</p>
        </div>
        {matched > 0 && (
          <AllowedButton
            needs="operate"
            refusal={isBeingRetried(q) ? t("dead.retry.busy") : null}
            hint={t("dead.retryShown.hint")}
            onPress={() => {
              setAsking(true);
            }}
          >
            {matched === total
              ? t("dead.retryAll", { number: matched })
              : t("dead.retryShown", { number: matched })}
          </AllowedButton>
        )}
      </header>
      <OperationNotes operations={operations.filter((operation) => !isOfGroup(operation))} pageFilter={q} />
      {asking && (
        <DeadBulkDialog
          action="retry"
          q={q}
          dead={filter}
          onStarted={(operation) => {
            showOperation(operation);
            setAsking(false);
          }}
          onClose={() => {
            setAsking(false);
          }}
        />
      )}
    </>
  );
}
