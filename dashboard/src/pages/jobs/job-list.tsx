import { useCallback, useEffect, useRef, useState, type ReactNode, type RefObject } from "react";
import type { StateCount } from "../../api/job-counts.js";
import { useTexts } from "../../i18n/text.js";
import { useShortcut } from "../../shell/shortcuts.js";
import { ColumnMenu } from "./column-menu.js";
import { EmptyList } from "./empty-list.js";
import { JobsTable, TableSkeleton } from "./jobs-table.js";
import { wholeFilter, type JobsFilter } from "./jobs-url.js";
import { useListDialogs } from "./list-dialogs.js";
import { NewRowsButton } from "./new-rows-button.js";
import { SelectionBar } from "./selection-bar.js";
import { allToggled, noSelection, toggled, type Selection } from "./selection.js";
import type { JobsList } from "./use-jobs-list.js";
import { useCountText } from "./state-tabs.js";
import { useRowKeys } from "./use-row-keys.js";

/** The rows, what is selected of them, and what is done with them. */
export function JobList({
  filter,
  list,
  total,
  frame,
  onBusy,
}: {
  readonly filter: JobsFilter;
  readonly list: JobsList;
  /** How many match, where it is known. */
  readonly total: StateCount | null;
  readonly frame: RefObject<HTMLDivElement | null>;
  /** Told whether something is selected or open, so that the rows must stay where they are. */
  readonly onBusy: (busy: boolean) => void;
}): ReactNode {
  const { answer, rows } = list;
  const key = answer?.list ?? "";
  const ids = rows.map(({ job }) => job.id);
  const { selection, setSelection, toggle } = useSelection(key, ids);
  const clear = (): void => {
    setSelection(noSelection(key));
  };
  const dialogs = useListDialogs(filter.tab, clear);
  const jobs = rows.filter(({ job, deleted }) => !deleted && selection.ids.has(job.id)).map(({ job }) => job);
  // While the rows of another filter are still shown, neither they nor its number are what an action would be for.
  const selects = !list.changing && (selection.all || jobs.length > 0);
  useEffect(() => {
    onBusy(selects || dialogs.open);
  }, [onBusy, selects, dialogs.open]);
  useRowKeys(frame, toggle);
  useShortcut("Escape", clear);

  if (answer === null) return list.error === null ? <TableSkeleton /> : null;
  return (
    <>
      <div className="list-tools">
        {selects ? (
          <SelectionBar
            filter={filter}
            all={selection.all}
            jobs={jobs}
            total={total}
            onAll={() => {
              setSelection({ ...noSelection(key), all: true });
            }}
            onClear={clear}
            onAct={(action) => {
              dialogs.openBulk(
                action,
                selection.all ? { kind: "filter", q: wholeFilter(filter) } : { kind: "rows", jobs },
              );
            }}
          />
        ) : (
          <Total of={total} />
        )}
        <NewRowsButton list={list} />
        <ColumnMenu />
      </div>
      {rows.length === 0 ? (
        <EmptyList filter={filter} />
      ) : (
        <div ref={frame} className="table-frame">
          <JobsTable
            rows={rows}
            selected={new Set(selection.all ? ids : jobs.map(({ id }) => id))}
            onToggle={toggle}
            onToggleAll={() => {
              setSelection(allToggled(selection, ids));
            }}
            actions={dialogs.actions}
          />
        </div>
      )}
      {dialogs.element}
    </>
  );
}

function Total({ of }: { readonly of: StateCount | null }): ReactNode {
  const { t } = useTexts();
  const countText = useCountText();
  if (of === null) return <span className="spacer" />;
  const text = of.capped
    ? t("jobs.matchMore", { number: countText(of) })
    : t("jobs.match", { count: of.count });
  return <span className="spacer muted">{text}</span>;
}

interface Selecting {
  readonly selection: Selection;
  readonly setSelection: (selection: Selection) => void;
  readonly toggle: (id: string, range: boolean) => void;
}

/** What is selected belongs to one page of one list: on another one nothing is selected. */
function useSelection(key: string, ids: readonly string[]): Selecting {
  const [made, setSelection] = useState(noSelection(key));
  const selection = made.list === key ? made : noSelection(key);
  const latest = useRef({ selection, ids });
  useEffect(() => {
    latest.current = { selection, ids };
  });
  // The same function for as long as the page is open: rows are drawn again only when they change.
  const toggle = useCallback((id: string, range: boolean) => {
    const now = latest.current;
    setSelection(toggled(now.selection, id, now.ids, range));
  }, []);
  return { selection, setSelection, toggle };
}
