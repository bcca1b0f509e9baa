import { useQuery } from "@tanstack/react-query";
import { useId, useState, type ReactNode } from "react";
import type { Problem } from "../../api/problem.js";
import type { BulkAction, OperationView } from "../../api/types.js";
import { useTexts, type Texts } from "../../i18n/text.js";
import { BulkConfirmation } from "../../ui/bulk-confirmation.js";
import { BulkPreview } from "../../ui/bulk-preview.js";
import { readBulkPreview, type DeadSelection, type PreviewedBulk } from "../../ui/bulk-target.js";
import { Dialog } from "../../ui/dialog.js";
import { ProblemNote } from "../../ui/problem-note.js";
import { rememberRetried } from "../../ui/retried-jobs.js";
import { exactly } from "./exact-preview.js";

type DeadAction = Exclude<BulkAction, "cancel">;

/**
 * Shows what an action on many dead jobs would do, and does it when that is confirmed. The counts of the groups are
 * exact where those of a preview end, so that the page, the dialog and its confirmation tell the same number.
 */
export function DeadBulkDialog({
  action,
  q,
  dead,
  onClose,
  onStarted,
}: {
  readonly action: DeadAction;
  readonly q: string;
  readonly dead: DeadSelection;
  readonly onClose: () => void;
  readonly onStarted: (operation: OperationView) => void;
}): ReactNode {
  const texts = useTexts();
  const { t } = texts;
  const id = useId();
  const { data, error, refetch } = useQuery<PreviewedBulk, Problem>({
    queryKey: ["dead preview", id, action],
    queryFn: async ({ signal }) =>
      exactly(await readBulkPreview(action, { kind: "filter", q, dead }, signal)),
    staleTime: Infinity,
    gcTime: 0,
    retry: false,
  });
  const [refreshed, setRefreshed] = useState(false);
  return (
    <Dialog title={titleOf(texts, action, data)} onClose={onClose}>
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
          onStarted({ ...operation, matched: Math.max(operation.matched, data?.preview.matched ?? 0) });
        }}
        onStale={() => {
          setRefreshed(true);
          void refetch();
        }}
      />
    </Dialog>
  );
}

function titleOf({ t }: Texts, action: DeadAction, previewed: PreviewedBulk | undefined): string {
  if (previewed === undefined) return t(`bulk.title.${action}`);
  const { matched: count, capped } = previewed.preview;
  return t(capped ? `dead.titleMore.${action}` : `bulk.titleOf.${action}`, { count });
}
