import type { ReactNode } from "react";
import { Link } from "wouter";
import { addressOf } from "../../api/request.js";
import type { DeadGroupView } from "../../api/types.js";
import { useTexts } from "../../i18n/text.js";
import { jobPath, jobsPath } from "../../shell/routes.js";
import { AllowedButton } from "../../ui/allowed-button.js";
import { RelativeTime } from "../../ui/time.js";
import type { GroupAction } from "./use-group-work.js";
import { ErrorCell } from "./error-cell.js";
import { GroupMenu } from "./group-menu.js";
import { groupQuery } from "./group-rows.js";
import { TRIAL_SIZE } from "./outcome.js";
import { groupMarkdown } from "./markdown.js";

/** Why its jobs cannot be retried just now. `null`: they can. */
interface Refusals {
  readonly retry: string | null;
  readonly trial: string | null;
}

/** One error, with what can be done about the jobs that died of it. */
export function GroupRow({
  group,
  readsNewest,
  refusals,
  onAsk,
  children,
}: {
  readonly group: DeadGroupView;
  readonly readsNewest: boolean;
  readonly refusals: Refusals;
  readonly onAsk: (action: GroupAction) => void;
  /** What is going on with its jobs. `false`: nothing. */
  readonly children: ReactNode;
}): ReactNode {
  const { t, format } = useTexts();
  const { count, firstAt, lastAt } = group;
  const busy = children !== false;
  return (
    <>
      <tr className={busy ? "with-panel" : ""}>
        <th scope="row" className="dead-error">
          <ErrorCell group={group} readsNewest={readsNewest} />
        </th>
        <td className="number dead-count" data-label={t("dead.column.count")}>
          {count === 0 ? (
            <span className="muted">{t("dead.none")}</span>
          ) : (
            <Link href={jobsPath(groupQuery(group))} title={t("dead.view")}>
              {format.number(count)}
            </Link>
          )}
        </td>
        <td data-label={t("dead.column.first")}>
          <RelativeTime at={firstAt} />
        </td>
        <td data-label={t("dead.column.last")}>
          <RelativeTime at={lastAt} />
        </td>
        <td className="dead-actions">
          {count > 0 && <Actions group={group} refusals={refusals} onAsk={onAsk} />}
        </td>
      </tr>
      {busy && (
        <tr className="dead-panel">
          <td colSpan={5}>{children}</td>
        </tr>
      )}
    </>
  );
}

function Actions({
  group,
  refusals,
  onAsk,
}: {
  readonly group: DeadGroupView;
  readonly refusals: Refusals;
  readonly onAsk: (action: GroupAction) => void;
}): ReactNode {
  const { t } = useTexts();
  const { count, latestJobId } = group;
  return (
    <div className="toolbar">
      {count > TRIAL_SIZE && (
        <AllowedButton
          needs="operate"
          refusal={refusals.retry ?? refusals.trial}
          hint={t("dead.trial.hint", { count: TRIAL_SIZE })}
          onPress={() => {
            onAsk("trial");
          }}
        >
          {t("dead.trial", { number: TRIAL_SIZE })}
        </AllowedButton>
      )}
      <AllowedButton
        needs="operate"
        refusal={refusals.retry}
        hint={t("dead.retryAll.hint")}
        onPress={() => {
          onAsk("retry");
        }}
      >
        {count > TRIAL_SIZE ? t("dead.retryAll", { number: count }) : t("dead.retry", { number: count })}
      </AllowedButton>
      <GroupMenu
        markdown={() =>
          groupMarkdown(group, latestJobId === null ? null : addressOf(jobPath(latestJobId)).href)
        }
        jobs={jobsPath(groupQuery(group))}
        onDelete={() => {
          onAsk("delete");
        }}
      />
    </div>
  );
}
