import { useState, type ReactNode } from "react";
import { Link, useSearchParams } from "wouter";
import { useTexts } from "../../i18n/text.js";
import { AllowedButton } from "../../ui/allowed-button.js";
import { LoadingRows } from "../../ui/loading-rows.js";
import { Paging } from "../../ui/paging.js";
import { ProblemNote } from "../../ui/problem-note.js";
import { usePageTitle } from "../../shell/page-title.js";
import { listingOf, matching, shownOf } from "./listing.js";
import { useSchedules, type ListedSchedule } from "./queries.js";
import { ScheduleForm } from "./schedule-form.js";
import { RunLegend } from "./run-bars.js";
import { NoSchedules } from "./no-schedules.js";
import { ScheduleTable } from "./schedule-table.js";
import { STATUSES, statusOf } from "./status.js";
import { useParameterLinks } from "../../shell/search-parameters.js";

/** All schedules. */
export function SchedulesPage(): ReactNode {
  const { t } = useTexts();
  usePageTitle([t("nav.schedules")]);
  const [parameters] = useSearchParams();
  const cursor = parameters.get("cursor");
  const { data, error, refetch } = useSchedules(cursor);
  const [creates, setCreates] = useState(false);
  const isEmpty = data?.items.length === 0 && data.nextCursor === null && cursor === null;
  return (
    <div className="page">
      <header className="page-header">
        <h1>{t("nav.schedules")}</h1>
        <AllowedButton
          needs="operate"
          tone="primary"
          icon="plus"
          onPress={() => {
            setCreates(true);
          }}
        >
          {t("schedules.new")}
        </AllowedButton>
      </header>
      {error !== null && <ProblemNote error={error} retry={() => void refetch()} />}
      {isEmpty ? (
        <NoSchedules />
      ) : (
        <section
          className="card"
          aria-label={t("schedules.caption")}
          aria-busy={data === undefined && error === null}
        >
          <StateTabs items={data?.items} />
          <FilterBar />
          {data === undefined && error === null && <LoadingRows />}
          {data !== undefined && <Shown items={data.items} />}
          <Paging nextCursor={data?.nextCursor ?? null} note={t("schedules.onPage")} />
        </section>
      )}
      {creates && (
        <ScheduleForm
          read={null}
          onClose={() => {
            setCreates(false);
          }}
        />
      )}
    </div>
  );
}

/** The numbers go with the text filter, as the list does. */
function StateTabs({ items }: { readonly items: readonly ListedSchedule[] | undefined }): ReactNode {
  const { t, format } = useTexts();
  const linkWith = useParameterLinks();
  const [parameters] = useSearchParams();
  const { status, text } = listingOf(parameters);
  const found = items && matching(items, text);
  return (
    <nav className="tabs" aria-label={t("schedules.states")}>
      {([null, ...STATUSES] as const).map((tab) => (
        <Link key={tab} href={linkWith("state", tab)} aria-current={tab === status ? "true" : undefined}>
          {t(`schedules.state.${tab ?? "all"}`)}
          {found !== undefined && (
            <span className="count">
              {format.number(found.filter((item) => tab === null || statusOf(item) === tab).length)}
            </span>
          )}
        </Link>
      ))}
    </nav>
  );
}

function FilterBar(): ReactNode {
  const { t } = useTexts();
  const [parameters, setParameters] = useSearchParams();
  return (
    <div className="toolbar list-toolbar">
      <input
        className="input list-filter"
        type="search"
        aria-label={t("schedules.filter")}
        placeholder={t("schedules.filterHint")}
        spellCheck={false}
        autoComplete="off"
        value={parameters.get("q") ?? ""}
        onChange={({ target }) => {
          const { value } = target;
          setParameters(
            (before) => {
              if (value === "") before.delete("q");
              else before.set("q", value);
              return before;
            },
            { replace: true },
          );
        }}
      />
    </div>
  );
}

function Shown({ items }: { readonly items: readonly ListedSchedule[] }): ReactNode {
  const { t } = useTexts();
  const linkWith = useParameterLinks();
  const [parameters] = useSearchParams();
  const listing = listingOf(parameters);
  const shown = shownOf(items, listing);
  if (shown.length > 0) {
    return (
      <>
        <ScheduleTable schedules={shown} sort={listing.sort} />
        <footer className="card-footer">
          <RunLegend />
        </footer>
      </>
    );
  }
  if (listing.text.trim() === "") return <p className="empty">{t("schedules.noneOfState")}</p>;
  return (
    <div className="empty">
      <p className="job-text">{t("schedules.noMatch", { text: listing.text })}</p>
      <Link href={linkWith("q", null)}>{t("schedules.clearFilter")}</Link>
    </div>
  );
}
