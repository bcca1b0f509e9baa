import { useMemo, type ReactNode } from "react";
import { Link, useSearchParams } from "wouter";
import type { FlowDetailView, FlowJobView } from "../../api/types.js";
import { useTexts } from "../../i18n/text.js";
import { useParameterLinks } from "../../shell/search-parameters.js";
import { LoadingRows } from "../../ui/loading-rows.js";
import { Paging } from "../../ui/paging.js";
import { ProblemNote } from "../../ui/problem-note.js";
import { useAllFlowJobs, useFlowJobs } from "../flows/flow-queries.js";
import { FlowGraph } from "./flow-graph.js";
import { FlowJobsTable } from "./flow-jobs-table.js";
import { layoutOf, MOST_JOBS } from "./graph-layout.js";

/** The jobs of a flow: a picture and a table of those that can be drawn, else pages of a table. */
export function FlowJobs({ flow }: { readonly flow: FlowDetailView }): ReactNode {
  return flow.counts.jobs > MOST_JOBS ? <PagesOfJobs id={flow.id} /> : <AllJobs id={flow.id} />;
}

function AllJobs({ id }: { readonly id: string }): ReactNode {
  const { t } = useTexts();
  const [parameters] = useSearchParams();
  const { data: jobs, error, refetch } = useAllFlowJobs(id);
  const layout = useMemo(() => (jobs === undefined ? null : layoutOf(jobs)), [jobs]);
  const isTable = layout === null || parameters.get("view") === "table";
  return (
    <section className="card" aria-label={t("flow.jobs")} aria-busy={jobs === undefined && error === null}>
      <div className="card-header">
        <h2>{t("flow.jobs")}</h2>
        {layout !== null && <Views isTable={isTable} />}
      </div>
      {error !== null && <ProblemNote error={error} retry={() => void refetch()} />}
      {jobs === undefined && error === null && <LoadingRows />}
      {jobs !== undefined && layout === null && <p className="card-body muted">{t("flow.tangled")}</p>}
      {jobs !== undefined && isTable && <FlowJobsTable jobs={jobs} />}
      {jobs !== undefined && layout !== null && !isTable && <FlowGraph jobs={jobs} layout={layout} />}
    </section>
  );
}

function Views({ isTable }: { readonly isTable: boolean }): ReactNode {
  const { t } = useTexts();
  const linkWith = useParameterLinks();
  return (
    <nav className="switch" aria-label={t("flow.view")}>
      <Link href={linkWith("view", null)} replace aria-current={isTable ? undefined : "true"}>
        {t("flow.view.graph")}
      </Link>
      <Link href={linkWith("view", "table")} replace aria-current={isTable ? "true" : undefined}>
        {t("flow.view.table")}
      </Link>
    </nav>
  );
}

function PagesOfJobs({ id }: { readonly id: string }): ReactNode {
  const { t } = useTexts();
  const [parameters] = useSearchParams();
  const { data, error, refetch } = useFlowJobs(id, parameters.get("cursor"));
  const items: readonly FlowJobView[] = data?.items ?? [];
  return (
    <section className="card" aria-label={t("flow.jobs")} aria-busy={data === undefined && error === null}>
      <div className="card-header">
        <h2>{t("flow.jobs")}</h2>
        <span className="muted">{t("flow.tooMany", { most: MOST_JOBS })}</span>
      </div>
      {error !== null && <ProblemNote error={error} retry={() => void refetch()} />}
      {data === undefined && error === null && <LoadingRows />}
      {items.length > 0 && <FlowJobsTable jobs={items} />}
      <Paging nextCursor={data?.nextCursor ?? null} />
    </section>
  );
}
