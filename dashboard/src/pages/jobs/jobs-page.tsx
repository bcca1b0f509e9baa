import { useCallback, useRef, type ReactNode } from "react";
import { useJobCounts, sumOf, type JobCountsView, type StateCount } from "../../api/job-counts.js";
import { useTexts } from "../../i18n/text.js";
import { usePageTitle } from "../../shell/page-title.js";
import { FirstRun } from "../../ui/first-run.js";
import { useFirstRun } from "../../ui/first-run-state.js";
import { OperationsStrip } from "../../ui/operations-strip.js";
import { ProblemNote } from "../../ui/problem-note.js";
import { isAtWork } from "./at-work.js";
import { useListPreferences } from "./columns.js";
import { FilterBar } from "./filter-bar.js";
import { filterFaultOf } from "./filter-fault.js";
import { JobList } from "./job-list.js";
import { useJobsFilter, wholeFilter, type JobsFilter } from "./jobs-url.js";
import { Pager } from "./pager.js";
import { StateTabs } from "./state-tabs.js";
import { useJobsList } from "./use-jobs-list.js";

/** Finds jobs, and acts on one or many of them. */
export function JobsPage(): ReactNode {
  const { t } = useTexts();
  const filter = useJobsFilter();
  usePageTitle([wholeFilter(filter), t("nav.jobs")]);
  const { limit } = useListPreferences();
  const frame = useRef<HTMLDivElement>(null);
  const busy = useRef(false);
  const list = useJobsList(filter, limit, () => !busy.current && !isAtWork(frame.current));
  const setBusy = useCallback((is: boolean) => {
    busy.current = is;
  }, []);
  const { data: counts, isPlaceholderData: ofAnotherFilter } = useJobCounts(filter.rest);
  const fault = filterFaultOf(list.error);
  const teaching = useFirstRun() === "shown";
  return (
    <div className="page jobs-page">
      <header className="page-header">
        <h1>{t("nav.jobs")}</h1>
      </header>
      <OperationsStrip />
      {teaching && <FirstRun />}
      <FilterBar filter={filter} fault={fault} />
      <section className="card" aria-busy={list.changing || ofAnotherFilter}>
        <StateTabs filter={filter} counts={counts} />
        {list.error !== null && fault === null && (
          <div className="card-body">
            <ProblemNote error={list.error} retry={list.retry} />
          </div>
        )}
        {fault === null && !(teaching && list.rows.length === 0) && (
          <JobList
            filter={filter}
            list={list}
            total={ofAnotherFilter ? null : totalOf(filter, counts)}
            frame={frame}
            onBusy={setBusy}
          />
        )}
        {fault === null && <Pager filter={filter} page={list.answer?.page} />}
      </section>
    </div>
  );
}

/** How many jobs the whole filter matches, where the counts tell. */
function totalOf({ state, anyState }: JobsFilter, counts: JobCountsView | undefined): StateCount | null {
  if (counts === undefined) return null;
  if (state !== null) return counts.states[state] ?? null;
  return anyState ? sumOf(Object.values(counts.states)) : null;
}
