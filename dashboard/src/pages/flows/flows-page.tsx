import type { ReactNode } from "react";
import { Link, useLocation, useSearchParams } from "wouter";
import { FLOW_STATES } from "../../../../src/core/flow.js";
import type { FlowView } from "../../api/types.js";
import { useTexts } from "../../i18n/text.js";
import { usePageTitle } from "../../shell/page-title.js";
import { flowsPath } from "../../shell/routes.js";
import { useChosenTab } from "../../ui/chosen-tab.js";
import { LoadingRows } from "../../ui/loading-rows.js";
import { NameField } from "../../ui/name-field.js";
import { Paging } from "../../ui/paging.js";
import { ProblemNote } from "../../ui/problem-note.js";
import { useFlows, type FlowFilter } from "./flow-queries.js";
import { FlowTable } from "./flow-table.js";
import { NoFlows } from "./no-flows.js";

/** All flows, newest first. */
export function FlowsPage(): ReactNode {
  const { t } = useTexts();
  usePageTitle([t("nav.flows")]);
  const [parameters] = useSearchParams();
  const filter = filterOf(parameters);
  const { data, error, refetch } = useFlows(filter);
  const isAll = Object.values(filter).every((value) => value === null);
  return (
    <div className="page">
      <header className="page-header">
        <h1>{t("nav.flows")}</h1>
      </header>
      {error !== null && <ProblemNote error={error} retry={() => void refetch()} />}
      {isAll && data?.items.length === 0 ? (
        <NoFlows />
      ) : (
        <section
          className="card"
          aria-label={t("nav.flows")}
          aria-busy={data === undefined && error === null}
        >
          <StateTabs filter={filter} />
          <FilterBar filter={filter} />
          {data === undefined && error === null && <LoadingRows />}
          {data !== undefined && <Shown flows={data.items} filter={filter} />}
          <Paging nextCursor={data?.nextCursor ?? null} />
        </section>
      )}
    </div>
  );
}

function filterOf(parameters: URLSearchParams): FlowFilter {
  const state = parameters.get("state");
  return {
    state: FLOW_STATES.find((each) => each === state) ?? null,
    name: parameters.get("name"),
    cursor: parameters.get("cursor"),
  };
}

function StateTabs({ filter: { state, name } }: { readonly filter: FlowFilter }): ReactNode {
  const { t } = useTexts();
  const tabs = useChosenTab(state ?? "");
  return (
    <nav ref={tabs} className="tabs" aria-label={t("flows.states")}>
      {([null, ...FLOW_STATES] as const).map((tab) => (
        <Link
          key={tab}
          href={flowsPath({ state: tab, name, cursor: null })}
          aria-current={tab === state ? "page" : undefined}
        >
          {t(`flows.tab.${tab ?? "all"}`)}
        </Link>
      ))}
    </nav>
  );
}

function FilterBar({ filter: { state, name } }: { readonly filter: FlowFilter }): ReactNode {
  const { t } = useTexts();
  const [, navigate] = useLocation();
  return (
    <div className="toolbar list-toolbar flows-filter">
      <NameField
        label={t("flows.name")}
        hint={t("flows.name.any")}
        name={name ?? ""}
        onChange={(text) => {
          navigate(flowsPath({ state, name: text === "" ? null : text, cursor: null }), { replace: true });
        }}
      />
    </div>
  );
}

function Shown({
  flows,
  filter: { state, name },
}: {
  readonly flows: readonly FlowView[];
  readonly filter: FlowFilter;
}): ReactNode {
  const { t } = useTexts();
  if (flows.length > 0) return <FlowTable flows={flows} />;
  if (name === null) return <p className="empty">{t("flows.noneHere")}</p>;
  return (
    <div className="empty">
      <p className="job-text">{t("flows.noneOfName", { name })}</p>
      <Link href={flowsPath({ state, name: null, cursor: null })}>{t("schedules.clearFilter")}</Link>
    </div>
  );
}
