import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useMemo, useState, type ReactNode } from "react";
import type { BulkAction, JobState, JobView } from "../../api/types.js";
import { useTexts } from "../../i18n/text.js";
import { BulkDialog, type BulkTarget } from "../../ui/bulk-dialog.js";
import { useProblemText } from "../../ui/problem-note.js";
import { toast } from "../../ui/toasts.js";
import { Retried } from "../../ui/unserved-note.js";
import { DeleteDialog } from "./delete-dialog.js";
import { perform, type JobAction } from "./job-action.js";
import type { RowActions } from "./row-menu.js";

/** The dialog over the list: one at a time. */
type Open =
  | { readonly kind: "delete"; readonly job: JobView }
  | { readonly kind: "bulk"; readonly action: BulkAction; readonly target: BulkTarget };

interface ListDialogs {
  /** Whether a dialog or the menu of a row is open. */
  readonly open: boolean;
  readonly actions: RowActions;
  readonly openBulk: (action: BulkAction, target: BulkTarget) => void;
  readonly element: ReactNode;
}

/** What the menus of rows do, and the dialogs that ask before something is done. */
export function useListDialogs(tab: JobState | null, onStarted: () => void): ListDialogs {
  const [open, setOpen] = useState<Open | null>(null);
  const [menuOpen, setMenuOpen] = useState(false);
  const act = useAct();
  const problemText = useProblemText();
  const close = (): void => {
    setOpen(null);
  };
  const actions = useMemo<RowActions>(
    () => ({
      tab,
      act: (action, job) => {
        if (action === "delete") setOpen({ kind: "delete", job });
        else
          act(action, job).catch((error: unknown) => {
            toast(problemText(error), "bad");
          });
      },
      onOpenChange: setMenuOpen,
    }),
    [tab, act, problemText],
  );
  return {
    open: open !== null || menuOpen,
    actions,
    openBulk: (action, target) => {
      setOpen({ kind: "bulk", action, target });
    },
    element: (
      <>
        {open?.kind === "delete" && (
          <DeleteDialog job={open.job} onClose={close} onConfirm={() => act("delete", open.job)} />
        )}
        {open?.kind === "bulk" && (
          <BulkDialog
            action={open.action}
            target={open.target}
            onClose={close}
            onStarted={() => {
              close();
              onStarted();
            }}
          />
        )}
      </>
    ),
  };
}

/** @throws Problem */
function useAct(): (action: JobAction, job: JobView) => Promise<void> {
  const { t } = useTexts();
  const client = useQueryClient();
  return useCallback(
    async (action, { id, queue, name }) => {
      try {
        await perform(action, id);
        const text = t(`jobs.did.${action}`, { id });
        toast(action === "retry" ? <Retried text={text} count={1} jobs={[{ queue, name }]} /> : text);
      } finally {
        // Also after a refusal: somebody else was faster.
        void client.invalidateQueries({ queryKey: ["jobs"] });
      }
    },
    [t, client],
  );
}
