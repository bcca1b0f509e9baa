import type { ReactNode } from "react";
import { Link, useParams } from "wouter";
import { asProblem } from "../../api/problem.js";
import type { FlowDetailView } from "../../api/types.js";
import { useTexts } from "../../i18n/text.js";
import { usePageTitle } from "../../shell/page-title.js";
import { decoded, flowsPath, jobsPath } from "../../shell/routes.js";
import { StateBadge } from "../../ui/badge.js";
import { CopyButton } from "../../ui/copy.js";
import { ErrorBoundary } from "../../ui/error-boundary.js";
import { Icon } from "../../ui/icon.js";
import { LoadingRows } from "../../ui/loading-rows.js";
import { ProblemNote } from "../../ui/problem-note.js";
import { RelativeTime } from "../../ui/time.js";
import { visible } from "../../ui/visible.js";
import { useFlow } from "../flows/flow-queries.js";
import { FlowBar, FlowStateBadge } from "../flows/flow-state.js";
import { FlowActions } from "./flow-actions.js";
import { FlowJobs } from "./flow-jobs.js";
import { FlowSentence } from "./flow-sentence.js";

/** One flow: how it stands, and all its jobs. */
export function FlowPage(): ReactNode {
  const id = decoded(useParams<{ id: string }>().id);
  // A page of its own for each flow: what was read of one must not stand there as another's.
  return <OneFlow key={id} id={id} />;
}

function OneFlow({ id }: { readonly id: string }): ReactNode {
  const { t } = useTexts();
  const { data: flow, error, refetch } = useFlow(id);
  usePageTitle(
    [flow === undefined ? t("flow.title", { id }) : `${flow.name} #${id}`, t("nav.flows")],
    flow === undefined ? null : troubleOf(flow, t),
  );
  const status = error === null ? 0 : asProblem(error).status;
  const isGone = status === 404 || status === 422;
  return (
    <div className="page flow-page">
      <header className="page-header">
        <div className="job-title">
          <Link href={flowsPath({ state: null, name: null, cursor: null })} className="back-link">
            <Icon name="left" />
            {t("flow.back")}
          </Link>
          <h1 className="job-text" translate="no" dir="auto">
            {flow === undefined ? t("flow.title", { id: visible(id) }) : visible(flow.name)}
          </h1>
          {flow !== undefined && <Subtitle flow={flow} />}
        </div>
        {flow !== undefined && <FlowActions flow={flow} />}
      </header>
      {isGone && <p className="card empty">{t("error.flow_not_found")}</p>}
      {error !== null && !isGone && <ProblemNote error={error} retry={() => void refetch()} />}
      {flow === undefined && error === null && (
        <div className="card">
          <LoadingRows />
        </div>
      )}
      {flow !== undefined && (
        <>
          <FlowSentence flow={flow} />
          <Counts flow={flow} />
          <ErrorBoundary>
            <FlowJobs flow={flow} />
          </ErrorBoundary>
        </>
      )}
    </div>
  );
}

function troubleOf({ state, stuck }: FlowDetailView, t: ReturnType<typeof useTexts>["t"]): string | null {
  if (stuck) return t("flow.state.stuck");
  return state === "failed" ? t("flow.state.failed") : null;
}

function Subtitle({ flow: { id, state, stuck, createdAt } }: { readonly flow: FlowDetailView }): ReactNode {
  const { t, rich } = useTexts();
  return (
    <p className="job-subtitle">
      <FlowStateBadge state={stuck ? "stuck" : state} />
      <span className="with-copy">
        {t("flow.title", { id })}
        <CopyButton text={id} label={t("flow.copyId")} />
      </span>
      <span className="muted">{rich("flow.made", { when: <RelativeTime at={createdAt} /> })}</span>
    </p>
  );
}

/** How many jobs are in which state, each with the way to them. */
function Counts({ flow: { id, counts, states } }: { readonly flow: FlowDetailView }): ReactNode {
  const { t, format } = useTexts();
  const present = Object.entries(states).filter(([, count]) => count > 0);
  return (
    <section className="flow-counts" aria-label={t("flow.counts")}>
      <FlowBar counts={counts} />
      <ul className="bulk-states">
        {present.map(([state, count]) => (
          <li key={state}>
            <Link href={jobsPath(`flow:${id}`, state)}>
              <StateBadge state={state} />
              {format.number(count)}
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
