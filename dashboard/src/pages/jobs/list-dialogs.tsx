import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useState, type ReactNode } from "react";
import type { BulkAction, JobState, JobView } from "../../api/types.js";
import { useTexts } from "../../i18n/text.js";
import { BulkDialog, type BulkTarget } from "../../ui/bulk-dialog.js";
import { useProblemText } from "../../ui/problem-note.js";
import { toast } from "../../ui/toasts.js";
import { DeleteDialog } from "./delete-dialog.js";
import { perform, type JobAction } from "./job-action.js";
import { RowMenu } from "./row-menu.js";

/** What is open over the list: one thing at a time. */
type Open =
  | { readonly kind: "menu"; readonly job: JobView; readonly button: HTMLElement }
  | { readonly kind: "delete"; readonly job: JobView }
  | { readonly kind: "bulk"; readonly action: BulkAction; readonly target: BulkTarget };

interface ListDialogs {
  readonly open: boolean;
  readonly openMenu: (job: JobView, button: HTMLElement) => void;
  readonly openBulk: (action: BulkAction, target: BulkTarget) => void;
  readonly element: ReactNode;
}

/** The menu of a row, and the dialogs that ask before something is done. */
export function useListDialogs(tab: JobState | null, onStarted: () => void): ListDialogs {
  const [open, setOpen] = useState<Open | null>(null);
  const act = useAct();
  const close = (): void => {
    setOpen(null);
  };
  const openMenu = useCallback((job: JobView, button: HTMLElement) => {
    setOpen({ kind: "menu", job, button });
  }, []);
  return {
    open: open !== null,
    openMenu,
    openBulk: (action, target) => {
      setOpen({ kind: "bulk", action, target });
    },
    element: (
      <>
        {open?.kind === "menu" && (
          <RowMenu
            job={open.job}
            button={open.button}
            tab={tab}
            onAct={(action) => {
              if (action === "delete") setOpen({ kind: "delete", job: open.job });
              else void act(action, open.job);
            }}
            onClose={() => {
              // Not the dialog that an entry of the menu has opened.
              setOpen((now) => (now?.kind === "menu" ? null : now));
            }}
          />
        )}
        {open?.kind === "delete" && (
          <DeleteDialog
            job={open.job}
            onClose={close}
            onConfirm={() => {
              close();
              void act("delete", open.job);
            }}
          />
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

function useAct(): (action: JobAction, job: JobView) => Promise<void> {
  const { t } = useTexts();
  const client = useQueryClient();
  const problemText = useProblemText();
  return async (action, { id }) => {
    try {
      await perform(action, id);
      toast(t(`jobs.did.${action}`, { id }));
    } catch (error) {
      toast(problemText(error), "bad");
    }
    await client.invalidateQueries({ queryKey: ["jobs"] });
  };
}
