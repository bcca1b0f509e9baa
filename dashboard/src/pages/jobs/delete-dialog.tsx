import type { ReactNode } from "react";
import type { JobView } from "../../api/types.js";
import { useTexts } from "../../i18n/text.js";
import { Dialog } from "../../ui/dialog.js";
import { visible } from "../../ui/visible.js";

/** Asks before one job is deleted. */
export function DeleteDialog({
  job: { id, name },
  onClose,
  onConfirm,
}: {
  readonly job: JobView;
  readonly onClose: () => void;
  readonly onConfirm: () => void;
}): ReactNode {
  const { t, rich } = useTexts();
  return (
    <Dialog title={t("jobs.delete.title", { id })} onClose={onClose}>
      <p>
        {rich("jobs.delete.effect", {
          name: (
            <code className="job-text" translate="no">
              {visible(name)}
            </code>
          ),
        })}
      </p>
      <div className="dialog-actions">
        <button type="button" className="button" autoFocus onClick={onClose}>
          {t("form.cancel")}
        </button>
        <button type="button" className="button danger" onClick={onConfirm}>
          {t("jobs.action.delete")}
        </button>
      </div>
    </Dialog>
  );
}
