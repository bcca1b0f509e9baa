import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Link } from "wouter";
import type { Problem } from "../../api/problem.js";
import { useIsLimited } from "../../api/queries.js";
import { read } from "../../api/request.js";
import type { FlowLinkView, JobDetailView } from "../../api/types.js";
import { useTexts } from "../../i18n/text.js";
import { useLiveQuery } from "../../live/use-live-query.js";
import { flowPath } from "../../shell/routes.js";
import { DependencyList } from "../../ui/dependency-list.js";
import { ProblemNote } from "../../ui/problem-note.js";
import { visible } from "../../ui/visible.js";
import { jobAddress, jobKey } from "./job-queries.js";

/** The others are in the flow. */
const SHOWN = 10;

/** What the job depends on, and what depends on it; nothing where it is in no flow. */
export function PlaceInFlow({ job }: { readonly job: JobDetailView }): ReactNode {
  return job.flow === null ? null : <Place job={job} flow={job.flow} />;
}

function Place({
  job,
  flow,
}: {
  readonly job: JobDetailView;
  readonly flow: NonNullable<JobDetailView["flow"]>;
}): ReactNode {
  const { t } = useTexts();
  const { data: dependencies, error, refetch } = useLinks(job, "dependencies", job.state === "blocked");
  const { data: dependants } = useLinks(job, "dependants", true);
  const isMore = (dependencies?.nextCursor ?? dependants?.nextCursor ?? null) !== null;
  return (
    <section className="card">
      <div className="card-header">
        <h2>{t("place.title")}</h2>
        <Link href={flowPath(flow.id)}>{t("flow.title", { id: flow.id })}</Link>
      </div>
      {error !== null && dependencies === undefined && (
        <ProblemNote error={error} retry={() => void refetch()} />
      )}
      <dl className="card-body facts">
        <dt>{t("flow.column.ref")}</dt>
        <dd className="job-text" translate="no" dir="auto">
          {visible(flow.ref)}
        </dd>
        <Links title={t("flow.column.dependsOn")} page={dependencies} />
        <Links title={t("place.dependants")} page={dependants} />
      </dl>
      {isMore && (
        <footer className="card-footer">
          <span className="muted">{t("place.whole")}</span>
        </footer>
      )}
    </section>
  );
}

interface LinkPage {
  readonly items: readonly FlowLinkView[];
  readonly nextCursor: string | null;
}

/** @param changes whether they may be in other states soon: what a job depended on has ended when it is released */
function useLinks(
  { id }: JobDetailView,
  side: "dependencies" | "dependants",
  changes: boolean,
): UseQueryResult<LinkPage, Problem> {
  return useLiveQuery(
    [...jobKey(id), "of", side],
    (signal) => read<LinkPage>(`${jobAddress(id)}/${side}`, { limit: SHOWN }, signal),
    changes ? { topics: ["jobs"], everyMs: 2_000 } : null,
  );
}

function Links({ title, page }: { readonly title: string; readonly page: LinkPage | undefined }): ReactNode {
  const { t } = useTexts();
  const isLimited = useIsLimited();
  if (page === undefined) return null;
  return (
    <>
      <dt>{title}</dt>
      <dd>
        {page.items.length === 0 ? (
          <span className="muted">{t(isLimited === false ? "options.none" : "place.noneSeen")}</span>
        ) : (
          <DependencyList links={page.items} more={0} />
        )}
      </dd>
    </>
  );
}
