import { useEffect, useRef, type ReactNode } from "react";
import { useTexts } from "../../i18n/text.js";
import { NUMBERS, useListPreferences } from "./columns.js";
import type { Row } from "./held-rows.js";
import { JobRow } from "./job-row.js";
import type { RowActions } from "./row-menu.js";

/** Jobs as rows, on a phone as cards. */
export function JobsTable({
  rows,
  selected,
  onToggle,
  onToggleAll,
  actions,
}: {
  readonly rows: readonly Row[];
  readonly selected: ReadonlySet<string>;
  readonly onToggle: (id: string, range: boolean) => void;
  readonly onToggleAll: () => void;
  readonly actions: RowActions;
}): ReactNode {
  const { t } = useTexts();
  const { columns } = useListPreferences();
  const ticked = rows.filter(({ job }) => selected.has(job.id)).length;
  return (
    <table className="stacks jobs-table">
      <caption className="visually-hidden">{t("jobs.caption")}</caption>
      <thead>
        <tr>
          <th scope="col" className="tick">
            <AllBox ticked={ticked} of={rows.length} onToggle={onToggleAll} />
          </th>
          <th scope="col">{t("jobs.column.name")}</th>
          {columns.map((column) => (
            <th key={column} scope="col" className={NUMBERS.includes(column) ? "number" : undefined}>
              {t(`jobs.column.${column}`)}
            </th>
          ))}
          <th scope="col" className="row-menu">
            <span className="visually-hidden">{t("jobs.column.actions")}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ job, gone }) => (
          <JobRow
            key={job.id}
            job={job}
            gone={gone}
            selected={selected.has(job.id)}
            columns={columns}
            onToggle={onToggle}
            actions={actions}
          />
        ))}
      </tbody>
    </table>
  );
}

/** Ticked, not ticked, or some. */
function AllBox({
  ticked,
  of,
  onToggle,
}: {
  readonly ticked: number;
  readonly of: number;
  readonly onToggle: () => void;
}): ReactNode {
  const { t } = useTexts();
  const box = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (box.current !== null) box.current.indeterminate = ticked > 0 && ticked < of;
  }, [ticked, of]);
  return (
    <label className="target">
      <input
        ref={box}
        type="checkbox"
        aria-label={t("jobs.selectPage")}
        checked={of > 0 && ticked === of}
        onChange={onToggle}
      />
      <span className="tick-all" aria-hidden="true">
        {t("jobs.selectPage")}
      </span>
    </label>
  );
}

/** Grey lines where rows will be, of the same height. */
export function TableSkeleton(): ReactNode {
  const { t } = useTexts();
  return (
    <div className="rows-skeleton" role="status" aria-label={t("list.loading")}>
      {Array.from({ length: 10 }, (_, index) => (
        <div key={index} className="skeleton" />
      ))}
    </div>
  );
}
