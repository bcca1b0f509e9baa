import type { ReactNode } from "react";
import { Link } from "wouter";
import { JOB_STATES } from "../../../../src/core/states.js";
import { sumOf, type JobCountsView, type StateCount } from "../../api/job-counts.js";
import { useTexts } from "../../i18n/text.js";
import { jobsPath } from "../../shell/routes.js";
import { useChosenTab } from "../../ui/chosen-tab.js";
import type { JobsFilter } from "./jobs-url.js";

/** A tab for each state, with how many jobs of it the rest of the filter matches. */
export function StateTabs({
  filter,
  counts,
}: {
  readonly filter: JobsFilter;
  readonly counts: JobCountsView | undefined;
}): ReactNode {
  const { t } = useTexts();
  const { rest, state, anyState } = filter;
  // The counts make all of them wider.
  const tabs = useChosenTab(`${state ?? ""} ${String(counts !== undefined)}`);
  return (
    <nav ref={tabs} className="tabs" aria-label={t("jobs.tabs")}>
      <Link href={jobsPath(rest)} aria-current={anyState ? "page" : undefined}>
        {t("jobs.all")}
        {counts !== undefined && <Count of={sumOf(JOB_STATES.map((each) => counts.states[each]))} />}
      </Link>
      {JOB_STATES.map((each) => (
        <Link key={each} href={jobsPath(rest, each)} aria-current={each === state ? "page" : undefined}>
          {t(`jobs.tab.${each}`)}
          {counts?.states[each] !== undefined && <Count of={counts.states[each]} />}
        </Link>
      ))}
    </nav>
  );
}

function Count({ of }: { readonly of: StateCount }): ReactNode {
  const shown = useCountText();
  return <span className="count">{shown(of)}</span>;
}

/** `10 000+` where more were not counted. */
export function useCountText(): (count: StateCount) => string {
  const { t, format } = useTexts();
  return ({ count, capped }) =>
    capped ? t("jobs.orMore", { number: format.number(count) }) : format.number(count);
}
