import { useState, type ReactNode } from "react";
import type { DeadGroupView } from "../../api/types.js";
import { useTexts } from "../../i18n/text.js";
import { isOfGroup } from "./dead-operations.js";
import type { DeadFilter } from "./dead-queries.js";
import { GroupPanels } from "./group-panels.js";
import { GroupRow } from "./group-row.js";
import { arrange, groupKey } from "./group-rows.js";
import { OperationNotes } from "./operation-notes.js";
import { deadQuery } from "./use-dead-counts.js";
import type { GroupWork } from "./use-group-work.js";

/** So many rows tell the message of their newest job, which is read for that. */
const MOST_READ = 20;

/** The groups, in the order in which the reader saw them first. */
export function GroupTable({
  groups,
  filter,
  complete,
  work,
  empty,
}: {
  readonly groups: readonly DeadGroupView[];
  readonly filter: DeadFilter;
  /** Whether these are all groups. */
  readonly complete: boolean;
  readonly work: GroupWork;
  readonly empty: ReactNode;
}): ReactNode {
  const { t } = useTexts();
  const [known, setKnown] = useState(() => work.withTried(groups, filter));
  const { rows, fresh } = arrange(known, groups, complete);
  // An empty page has nothing that could move under the pointer.
  if (known.length === 0 && groups.length > 0) setKnown(work.withTried(groups, filter));
  const ofOthers = <NotesOfOthers rows={rows} filter={filter} work={work} />;
  if (known.length === 0) {
    return (
      <>
        {ofOthers}
        {empty}
      </>
    );
  }
  return (
    <>
      {ofOthers}
      {fresh > 0 && (
        <div className="notice">
          <span className="spacer">{t("dead.fresh", { count: fresh })}</span>
          <button
            type="button"
            className="button"
            onClick={() => {
              setKnown(work.withTried(groups, filter));
            }}
          >
            {t("dead.show")}
          </button>
        </div>
      )}
      <div className="card table-frame">
        <table className="stacks dead-table">
          <caption className="visually-hidden">{t("dead.table")}</caption>
          <HeadRow />
          <tbody>
            {rows.map((group, index) => (
              <Row key={groupKey(group)} group={group} readsNewest={index < MOST_READ} work={work} />
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

/** Operations on groups without a row: all of their jobs have gone, or the filter leaves them out. */
function NotesOfOthers({
  rows,
  filter,
  work,
}: {
  readonly rows: readonly DeadGroupView[];
  readonly filter: DeadFilter;
  readonly work: GroupWork;
}): ReactNode {
  const shown = new Set(rows.flatMap((group) => work.operationsOf(group)));
  const operations = work.operations.filter((operation) => isOfGroup(operation) && !shown.has(operation));
  return <OperationNotes operations={operations} pageFilter={deadQuery(filter)} />;
}

function Row({
  group,
  readsNewest,
  work,
}: {
  readonly group: DeadGroupView;
  readonly readsNewest: boolean;
  readonly work: GroupWork;
}): ReactNode {
  const { t } = useTexts();
  const trial = work.trialOf(group);
  const operations = work.operationsOf(group);
  return (
    <GroupRow
      group={group}
      readsNewest={readsNewest}
      refusals={{
        retry: work.isBeingRetried(group) ? t("dead.retry.busy") : null,
        trial: trial === null || trial.told ? null : t("trial.busy"),
      }}
      onAsk={(action) => {
        work.ask({ action, group });
      }}
    >
      {(trial !== null || operations.length > 0) && <GroupPanels trial={trial} operations={operations} />}
    </GroupRow>
  );
}

function HeadRow(): ReactNode {
  const { t } = useTexts();
  return (
    <thead>
      <tr>
        <th scope="col">{t("dead.column.error")}</th>
        <th scope="col" className="number">
          {t("dead.column.count")}
        </th>
        <th scope="col" title={t("dead.column.first.hint")}>
          {t("dead.column.first")}
        </th>
        <th scope="col">{t("dead.column.last")}</th>
        <th scope="col">
          <span className="visually-hidden">{t("dead.column.actions")}</span>
        </th>
      </tr>
    </thead>
  );
}
