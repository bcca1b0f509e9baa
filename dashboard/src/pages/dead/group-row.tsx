import { Children, type ReactNode } from "react";
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

/** One error, with what can be done about the jobs that died of it. */
export function GroupRow({
  group,
  readsNewest,
  onAsk,
  children,
}: {
  readonly group: DeadGroupView;
  readonly readsNewest: boolean;
  readonly onAsk: (action: GroupAction) => void;
  /** What is going on with its jobs. */
  readonly children: ReactNode;
}): ReactNode {
  const { t, format } = useTexts();
  const { count, firstAt, lastAt } = group;
  const busy = Children.toArray(children).length > 0;
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
        <td className="dead-actions">{count > 0 && <Actions group={group} onAsk={onAsk} />}</td>
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
  onAsk,
}: {
  readonly group: DeadGroupView;
  readonly onAsk: (action: GroupAction) => void;
}): ReactNode {
  const { t } = useTexts();
  const { count, latestJobId } = group;
  return (
    <div className="toolbar">
      {count > TRIAL_SIZE && (
        <AllowedButton
          needs="operate"
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
