import { useQuery } from "@tanstack/react-query";
import { useId, useState, type ReactNode } from "react";
import type { Problem } from "../api/problem.js";
import type { BulkAction, BulkPreviewView, OperationView } from "../api/types.js";
import { useTexts } from "../i18n/text.js";
import { BulkConfirmation } from "./bulk-confirmation.js";
import { BulkPreview } from "./bulk-preview.js";
import { readBulkPreview, type BulkTarget, type PreviewedBulk } from "./bulk-target.js";
import { Dialog } from "./dialog.js";
import { ProblemNote } from "./problem-note.js";
import { rememberRetried } from "./retried-jobs.js";

export type { BulkTarget } from "./bulk-target.js";

/** Shows what an action on many jobs would do, and does it when that is confirmed. */
export function BulkDialog({
  action,
  target,
  onClose,
  onStarted,
}: {
  readonly action: BulkAction;
  readonly target: BulkTarget;
  readonly onClose: () => void;
  readonly onStarted: (operation: OperationView) => void;
}): ReactNode {
  const { t } = useTexts();
  const id = useId();
  const query = useQuery<PreviewedBulk, Problem>({
    queryKey: ["bulk-preview", id, action],
    queryFn: ({ signal }) => readBulkPreview(action, target, signal),
    staleTime: Infinity,
    gcTime: 0,
    retry: false,
  });
  const { data, error, refetch } = query;
  const [refreshed, setRefreshed] = useState(false);
  return (
    <Dialog title={titleOf(t, action, data?.preview)} dismissable onClose={onClose}>
      {error !== null && <ProblemNote error={error} retry={() => void refetch()} />}
      {error === null && data === undefined && (
        <p className="muted" role="status">
          {t("bulk.counting")}
        </p>
      )}
      {refreshed && (
        <p className="notice warn" role="alert">
          {t("bulk.refreshed")}
        </p>
      )}
      {data !== undefined && <BulkPreview action={action} previewed={data} />}
      {/* Another preview asks anew for everything that confirms it. */}
      <BulkConfirmation
        key={data?.preview.previewToken ?? ""}
        action={action}
        preview={data?.preview ?? null}
        onClose={onClose}
        onStarted={(operation) => {
          if (action === "retry") rememberRetried(operation.id, data?.jobs ?? []);
          onStarted(operation);
        }}
        onStale={() => {
          setRefreshed(true);
          void refetch();
        }}
      />
    </Dialog>
  );
}

function titleOf(
  t: ReturnType<typeof useTexts>["t"],
  action: BulkAction,
  preview: BulkPreviewView | undefined,
): string {
  return preview === undefined
    ? t(`bulk.title.${action}`)
    : t(`bulk.titleOf.${action}`, { count: preview.matched });
}
