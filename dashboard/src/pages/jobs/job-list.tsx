import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useRef, useState, type ReactNode } from "react";
import type { StateCount } from "../../api/job-counts.js";
import type { BulkAction, JobView } from "../../api/types.js";
import { useTexts } from "../../i18n/text.js";
import { useShortcut } from "../../shell/shortcuts.js";
import { BulkDialog, type BulkTarget } from "../../ui/bulk-dialog.js";
import { useProblemText } from "../../ui/problem-note.js";
import { toast } from "../../ui/toasts.js";
import { DeleteDialog } from "./delete-dialog.js";
import { EmptyList } from "./empty-list.js";
import { perform, type JobAction } from "./job-action.js";
import { JobsTable, TableSkeleton } from "./jobs-table.js";
import { wholeFilter, type JobsFilter } from "./jobs-url.js";
import { NewRowsBar } from "./new-rows-bar.js";
import { RowMenu } from "./row-menu.js";
import { SelectionBar } from "./selection-bar.js";
import { allToggled, noSelection, toggled } from "./selection.js";
import type { Freedom } from "./use-freedom.js";
import type { JobsList } from "./use-jobs-list.js";
import { useRowKeys } from "./use-row-keys.js";

/** The rows, what is selected of them, and what is done with them. */
export function JobList({
  filter,
  list,
  total,
  freedom,
}: {
  readonly filter: JobsFilter;
  readonly list: JobsList;
  readonly total: StateCount | null;
  readonly freedom: Freedom;
}): ReactNode {
  const frame = useRef<HTMLDivElement>(null);
  const { answer, rows } = list;
  const key = answer?.list ?? "";
  const { selection, setSelection, toggle } = useSelection(
    key,
    rows.map(({ job }) => job.id),
  );
  const [menu, setMenu] = useState<{ job: JobView; button: HTMLElement } | null>(null);
  const [bulk, setBulk] = useState<{ action: BulkAction; target: BulkTarget } | null>(null);
  const [deleting, setDeleting] = useState<JobView | null>(null);
  const act = useAct();
  const clear = (): void => {
    setSelection(noSelection(key));
  };
  const jobs = rows.map(({ job }) => job).filter(({ id }) => selection.ids.has(id));
  const selects = selection.all || jobs.length > 0;
  const { setBusy } = freedom;
  const busy = selects || menu !== null || bulk !== null || deleting !== null;
  useEffect(() => {
    setBusy(busy);
  }, [setBusy, busy]);
  useRowKeys(frame, toggle);
  useShortcut("Escape", clear);
  const onMenu = useCallback((job: JobView, button: HTMLElement) => {
    setMenu({ job, button });
  }, []);

  if (answer === null) return list.error === null ? <TableSkeleton /> : null;
  return (
    <>
      {selects && (
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
            const target: BulkTarget = selection.all
              ? { kind: "filter", q: wholeFilter(filter) }
              : { kind: "rows", jobs };
            setBulk({ action, target });
          }}
        />
      )}
      <NewRowsBar list={list} />
      {rows.length === 0 ? (
        <EmptyList filter={filter} />
      ) : (
        <div ref={frame} className="table-frame" {...freedom.watch}>
          <JobsTable
            rows={rows}
            selected={selection.all ? new Set(rows.map(({ job }) => job.id)) : selection.ids}
            onToggle={toggle}
            onToggleAll={() => {
              setSelection(
                allToggled(
                  selection,
                  rows.map(({ job }) => job.id),
                ),
              );
            }}
            onMenu={onMenu}
          />
        </div>
      )}
      {menu !== null && (
        <RowMenu
          {...menu}
          onAct={(action) => {
            if (action === "delete") setDeleting(menu.job);
            else void act(action, menu.job);
          }}
          onClose={() => {
            setMenu(null);
          }}
        />
      )}
      {deleting !== null && (
        <DeleteDialog
          job={deleting}
          onClose={() => {
            setDeleting(null);
          }}
          onConfirm={() => {
            setDeleting(null);
            void act("delete", deleting);
          }}
        />
      )}
      {bulk !== null && (
        <BulkDialog
          {...bulk}
          onClose={() => {
            setBulk(null);
          }}
          onStarted={() => {
            setBulk(null);
            clear();
          }}
        />
      )}
    </>
  );
}

/** What is selected belongs to one page of one list: on another one nothing is selected. */
function useSelection(key: string, ids: readonly string[]) {
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

function useAct(): (action: JobAction, job: JobView) => Promise<void> {
  const { t } = useTexts();
  const client = useQueryClient();
  const problemText = useProblemText();
  return async (action, { id }) => {
    try {
      await perform(action, id);
      toast(t(`jobs.did.${action}`, { id }));
    } catch (error) {
      toast(problemText(error), "bad");
    }
    await client.invalidateQueries({ queryKey: ["jobs"] });
  };
}
