import { useState, type ReactNode } from "react";
import type { OperationView } from "../../api/types.js";
import { useTexts } from "../../i18n/text.js";
import { AllowedButton } from "../../ui/allowed-button.js";
import { DeadBulkDialog } from "./dead-bulk-dialog.js";
import type { DeadFilter } from "./dead-queries.js";
import { OperationNote } from "./operation-note.js";
import { deadQuery, useDeadCounts } from "./use-dead-counts.js";

/** How many jobs the filter of the page matches, and the retry of all of them. */
export function DeadHeader({ filter }: { readonly filter: DeadFilter }): ReactNode {
  const { t } = useTexts();
  const { matched = 0, total = 0 } = useDeadCounts(filter) ?? {};
  const [asking, setAsking] = useState(false);
  const [operation, setOperation] = useState<OperationView | null>(null);
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
      {operation !== null && (
        <OperationNote
          key={operation.id}
          started={operation}
          onClose={() => {
            setOperation(null);
          }}
        />
      )}
      {asking && (
        <DeadBulkDialog
          action="retry"
          q={deadQuery(filter)}
          dead={filter}
          onStarted={(started) => {
            setOperation(started);
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
