import { useQuery } from "@tanstack/react-query";
import { useId, type ReactNode } from "react";
import type { Problem } from "../../api/problem.js";
import { read } from "../../api/request.js";
import type { DeadGroupView, JobPageView, JobView } from "../../api/types.js";
import { useTexts } from "../../i18n/text.js";
import { Dialog } from "../../ui/dialog.js";
import { ProblemNote } from "../../ui/problem-note.js";
import { RelativeTime } from "../../ui/time.js";
import { useUnservedWarning } from "../../ui/unserved-note.js";
import { groupQuery } from "./group-rows.js";
import { TRIAL_SIZE } from "./outcome.js";

/** Shows which jobs of a group would be retried on trial, and retries just them when that is confirmed. */
export function TrialDialog({
  group,
  onStart,
  onClose,
}: {
  readonly group: DeadGroupView;
  readonly onStart: (jobs: readonly JobView[]) => void;
  readonly onClose: () => void;
}): ReactNode {
  const { t } = useTexts();
  const id = useId();
  const { data, error, refetch } = useQuery<JobPageView, Problem>({
    queryKey: ["trial jobs", id],
    queryFn: ({ signal }) =>
      read<JobPageView>("/v1/jobs", { q: groupQuery(group), limit: TRIAL_SIZE }, signal),
    staleTime: Infinity,
    gcTime: 0,
    retry: false,
  });
  const unserved = useUnservedWarning([group]);
  const jobs = data?.items ?? [];
  const none = data?.items.length === 0;
  const count = data?.items.length ?? TRIAL_SIZE;
  return (
    <Dialog title={none ? t("trial.title") : t("trial.ask", { count })} onClose={onClose}>
      {error !== null && <ProblemNote error={error} retry={() => void refetch()} />}
      <p>{none ? t("trial.none") : t("trial.which", { count })}</p>
      {unserved !== null && <p className="notice warn">{unserved}</p>}
      <ul className="bulk-samples" aria-busy={data === undefined}>
        {jobs.map(({ id: job, finishedAt, createdAt }) => (
          <li key={job}>
            <span className="trial-id">{job}</span>
            <span className="muted">
              <RelativeTime at={finishedAt ?? createdAt} />
            </span>
          </li>
        ))}
      </ul>
      <form
        className="dialog-form"
        onSubmit={(event) => {
          event.preventDefault();
          if (jobs.length > 0) onStart(jobs);
        }}
      >
        <div className="dialog-actions">
          <button type="button" className="button" autoFocus onClick={onClose}>
            {t("confirm.no")}
          </button>
          {!none && (
            <button type="submit" className="button primary" disabled={jobs.length === 0}>
              {t("bulk.confirm.retry")}
            </button>
          )}
        </div>
      </form>
    </Dialog>
  );
}
