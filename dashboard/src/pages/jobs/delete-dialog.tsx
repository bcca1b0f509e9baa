import type { ReactNode } from "react";
import { asProblem } from "../../api/problem.js";
import type { JobView } from "../../api/types.js";
import { useTexts } from "../../i18n/text.js";
import { useChangedState } from "../../ui/changed-state.js";
import { Confirm } from "../../ui/confirm.js";
import { visible } from "../../ui/visible.js";
import { useJob } from "../job/job-queries.js";

/** Asks before one job is deleted, and says what becomes of it meanwhile. */
export function DeleteDialog({
  job: { id, name, state },
  onClose,
  onConfirm,
}: {
  readonly job: JobView;
  readonly onClose: () => void;
  /** @throws Problem */
  readonly onConfirm: () => Promise<void>;
}): ReactNode {
  const { t, rich } = useTexts();
  const { data: now, error } = useJob(id);
  const changed = useChangedState(state, now?.state ?? state);
  const isGone = error !== null && asProblem(error).status === 404;
  return (
    <Confirm
      title={t("jobs.delete.title", { id })}
      action={t("jobs.action.delete")}
      danger
      warning={isGone ? t("error.job_not_found") : changed}
      run={onConfirm}
      onClose={onClose}
    >
      <p>
        {rich("jobs.delete.effect", {
          name: (
            <code className="job-text" translate="no">
              {visible(name)}
            </code>
          ),
        })}
      </p>
    </Confirm>
  );
}
