import type { ReactNode } from "react";
import { Menu, MenuItem, Popover } from "react-aria-components";
import { useLocation } from "wouter";
import { asProblem } from "../../api/problem.js";
import { useSelf } from "../../api/queries.js";
import { read } from "../../api/request.js";
import type { JobDetailView, JobState, JobView } from "../../api/types.js";
import { useTexts } from "../../i18n/text.js";
import { filterValue, jobPath, jobsPath } from "../../shell/routes.js";
import { useCopy } from "../../ui/copy.js";
import { Icon, type IconName } from "../../ui/icon.js";
import { toast } from "../../ui/toasts.js";
import { visible } from "../../ui/visible.js";
import { allows, type JobAction } from "./job-action.js";

/** Of an error's first line, for a filter: more of it is different each time. */
const ERROR_PART = 120;

/** What can be done with one job. There is one menu for all rows. */
export function RowMenu({
  job,
  button,
  tab,
  onAct,
  onClose,
}: {
  readonly job: JobView;
  readonly button: HTMLElement;
  /** "More like this" stays among the jobs of this state. */
  readonly tab: JobState | null;
  readonly onAct: (action: JobAction) => void;
  readonly onClose: () => void;
}): ReactNode {
  const { t } = useTexts();
  const [, navigate] = useLocation();
  const copy = useCopy();
  const operate = useSelf().data?.capabilities.includes("operate") === true;
  const act = (action: JobAction, icon: IconName): ReactNode => (
    <Item
      icon={icon}
      text={t(`jobs.action.${action}`)}
      danger={action === "delete"}
      refusal={operate ? (allows(action, job) ? null : t("jobs.refusal.state")) : t("jobs.refusal.operate")}
      run={() => {
        onAct(action);
      }}
    />
  );
  const like = (filter: string) => () => {
    navigate(jobsPath(filter, tab ?? undefined));
  };
  return (
    <Popover
      className="popover"
      aria-label={t("jobs.menu", { id: job.id })}
      triggerRef={{ current: button }}
      isOpen
      placement="bottom end"
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
    >
      <Menu className="menu" aria-label={t("jobs.menu", { id: job.id })} onClose={onClose} autoFocus="first">
        <Item
          icon="right"
          text={t("jobs.open")}
          run={() => {
            navigate(jobPath(job.id));
          }}
        />
        {act("retry", "retry")}
        {act("run-now", "play")}
        {act("cancel", "close")}
        {act("delete", "trash")}
        <Item
          icon="copy"
          text={t("jobs.copyId")}
          run={() => {
            copy(job.id);
          }}
        />
        <Item icon="search" text={t("jobs.like.name")} run={like(`name:${filterValue(job.name)}`)} />
        <Item icon="search" text={t("jobs.like.queue")} run={like(`queue:${filterValue(job.queue)}`)} />
        <Item
          icon="search"
          text={t("jobs.like.error")}
          refusal={job.attempt > 0 && job.state !== "completed" ? null : t("jobs.refusal.noError")}
          run={() => {
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
        />
      </Menu>
    </Popover>
  );
}

function Item({
  icon,
  text,
  danger = false,
  refusal = null,
  run,
}: {
  readonly icon: IconName;
  readonly text: string;
  readonly danger?: boolean;
  readonly refusal?: string | null;
  readonly run: () => void;
}): ReactNode {
  return (
    <MenuItem
      className={danger ? "menu-item danger" : "menu-item"}
      isDisabled={refusal !== null}
      textValue={text}
      onAction={run}
    >
      <Icon name={icon} />
      <span>
        {text}
        {refusal !== null && <span className="menu-reason">{refusal}</span>}
      </span>
    </MenuItem>
  );
}

/** Jobs whose last error says the same in its first line. A list of jobs does not tell errors. */
async function filterOfError(id: string): Promise<string | null> {
  const { lastError } = await read<JobDetailView>(`/v1/jobs/${encodeURIComponent(id)}`);
  const line = (lastError?.message ?? "").split("\n", 1)[0]?.trim() ?? "";
  const said = line === "" ? (lastError?.type ?? "") : line;
  return said === "" ? null : `error~${filterValue(said.slice(0, ERROR_PART))}`;
}
