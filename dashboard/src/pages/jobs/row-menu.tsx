import type { ReactNode } from "react";
import { useLocation } from "wouter";
import { asProblem } from "../../api/problem.js";
import { read } from "../../api/request.js";
import type { JobDetailView, JobState, JobView } from "../../api/types.js";
import { useTexts } from "../../i18n/text.js";
import { filterValue, jobPath, jobsPath } from "../../shell/routes.js";
import { useRefusal } from "../../ui/allowed-button.js";
import { useCopy } from "../../ui/copy.js";
import { Icon, type IconName } from "../../ui/icon.js";
import { MenuButton, MenuItem } from "../../ui/menu.js";
import { toast } from "../../ui/toasts.js";
import { visible } from "../../ui/visible.js";
import { allows, type JobAction } from "./job-action.js";

/** Of an error's first line, for a filter: more of it is different each time. */
const ERROR_PART = 120;

/** What the menu of each row needs of its list. The same object for as long as its list is. */
export interface RowActions {
  /** "More like this" stays among the jobs of this state. */
  readonly tab: JobState | null;
  readonly act: (action: JobAction, job: JobView) => void;
  readonly onOpenChange: (open: boolean) => void;
}

/** What can be done with one job. */
export function RowMenu({
  job,
  actions,
}: {
  readonly job: JobView;
  readonly actions: RowActions;
}): ReactNode {
  const { t } = useTexts();
  return (
    <MenuButton
      label={t("jobs.menu", { id: job.id })}
      face={<Icon name="more" />}
      className="button quiet icon"
      onOpenChange={actions.onOpenChange}
    >
      <Items job={job} actions={actions} />
    </MenuButton>
  );
}

function Items({ job, actions }: { readonly job: JobView; readonly actions: RowActions }): ReactNode {
  const { t } = useTexts();
  const [, navigate] = useLocation();
  const { tab, act } = actions;
  const copy = useCopy();
  const operate = useRefusal("operate");
  const item = (action: JobAction, icon: IconName): ReactNode => (
    <MenuItem
      icon={icon}
      danger={action === "delete"}
      refusal={operate ?? (allows(action, job) ? null : t("jobs.refusal.state"))}
      onChoose={() => {
        act(action, job);
      }}
    >
      {t(`jobs.action.${action}`)}
      {action === "delete" && "…"}
    </MenuItem>
  );
  const like = (filter: string) => () => {
    navigate(jobsPath(filter, tab ?? undefined));
  };
  return (
    <>
      <MenuItem
        icon="right"
        onChoose={() => {
          navigate(jobPath(job.id));
        }}
      >
        {t("jobs.open")}
      </MenuItem>
      {item("retry", "retry")}
      {item("run-now", "play")}
      {item("cancel", "close")}
      {item("delete", "trash")}
      <MenuItem
        icon="copy"
        onChoose={() => {
          copy(job.id);
        }}
      >
        {t("jobs.copyId")}
      </MenuItem>
      <MenuItem icon="search" onChoose={like(`name:${filterValue(job.name)}`)}>
        {t("jobs.like.name")}
      </MenuItem>
      <MenuItem icon="search" onChoose={like(`queue:${filterValue(job.queue)}`)}>
        {t("jobs.like.queue")}
      </MenuItem>
      <MenuItem
        icon="search"
        refusal={job.attempt > 0 && job.state !== "completed" ? null : t("jobs.refusal.noError")}
        onChoose={() => {
          void filterOfError(job.id).then(
            (filter) => {
              if (filter === null) toast(t("jobs.refusal.noError"));
              else like(filter)();
            },
            (error: unknown) => {
              toast(visible(asProblem(error).message), "bad");
            },
          );
        }}
      >
        {t("jobs.like.error")}
      </MenuItem>
    </>
  );
}

/** Jobs whose last error says the same in its first line. A list of jobs does not tell errors. */
async function filterOfError(id: string): Promise<string | null> {
  const { lastError } = await read<JobDetailView>(`/v1/jobs/${encodeURIComponent(id)}`);
  const line = (lastError?.message ?? "").split("\n", 1)[0]?.trim() ?? "";
  const said = line === "" ? (lastError?.type ?? "") : line;
  return said === "" ? null : `error~${filterValue(said.slice(0, ERROR_PART))}`;
}
