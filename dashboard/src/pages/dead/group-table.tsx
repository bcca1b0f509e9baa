import { useState, type ReactNode } from "react";
import type { DeadGroupView } from "../../api/types.js";
import { useTexts } from "../../i18n/text.js";
import { GroupPanels } from "./group-panels.js";
import { GroupRow } from "./group-row.js";
import { arrange, groupKey } from "./group-rows.js";
import type { GroupWork } from "./use-group-work.js";

/** So many rows tell the message of their newest job, which is read for that. */
const MOST_READ = 20;

/** The groups, in the order in which the reader saw them first. */
export function GroupTable({
  groups,
  complete,
  work,
  empty,
}: {
  readonly groups: readonly DeadGroupView[];
  /** Whether these are all groups. */
  readonly complete: boolean;
  readonly work: GroupWork;
  readonly empty: ReactNode;
}): ReactNode {
  const { t } = useTexts();
  const [known, setKnown] = useState(groups);
  const { rows, fresh } = arrange(known, groups, complete);
  // An empty page has nothing that could move under the pointer.
  if (known.length === 0 && groups.length > 0) setKnown(groups);
  if (known.length === 0) return empty;
  return (
    <>
      {fresh > 0 && (
        <div className="notice">
          <span className="spacer">{t("dead.fresh", { count: fresh })}</span>
          <button
            type="button"
            className="button"
            onClick={() => {
              setKnown(groups);
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
              <GroupRow
                key={groupKey(group)}
                group={group}
                readsNewest={index < MOST_READ}
                onAsk={(action) => {
                  work.ask({ action, group });
                }}
              >
                {work.isGoingOn(group) && <GroupPanels group={group} work={work} />}
              </GroupRow>
            ))}
          </tbody>
        </table>
      </div>
    </>
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
