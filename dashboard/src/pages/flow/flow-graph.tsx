import { useState, type ReactNode } from "react";
import { Link } from "wouter";
import type { FlowJobView, FlowLinkView } from "../../api/types.js";
import { useTexts } from "../../i18n/text.js";
import { jobPath } from "../../shell/routes.js";
import { StateBadge } from "../../ui/badge.js";
import { visible } from "../../ui/visible.js";
import { NODE, type DrawnEdge, type Layout, type Place } from "./graph-layout.js";

/** The jobs from left to right, each behind those that it depends on. */
export function FlowGraph({
  jobs,
  layout,
}: {
  readonly jobs: readonly FlowJobView[];
  readonly layout: Layout<FlowLinkView>;
}): ReactNode {
  const { t } = useTexts();
  const [pointed, setPointed] = useState<string | null>(null);
  const { places, edges, width, height } = layout;
  return (
    <>
      <div className="graph" role="group" aria-label={t("flow.graph")} tabIndex={0}>
        <div className="graph-picture" style={{ width, height }}>
          <svg width={width} height={height} aria-hidden="true">
            {edges.map((edge) => (
              <Edge key={`${edge.from} ${edge.to}`} edge={edge} pointed={pointed} />
            ))}
          </svg>
          {jobs.map((job) => (
            <Node key={job.id} job={job} place={places.get(job.id)} onPoint={setPointed} />
          ))}
        </div>
      </div>
      <Legend edges={edges} />
    </>
  );
}

function Edge({
  edge: { from, to, link, path },
  pointed,
}: {
  readonly edge: DrawnEdge<FlowLinkView>;
  readonly pointed: string | null;
}): ReactNode {
  const isPointed = pointed === from || pointed === to;
  const classes = ["edge", link.onFailure, link.resolved ? "resolved" : "", isPointed ? "pointed" : ""];
  return <path className={classes.join(" ")} d={path} />;
}

function Node({
  job: { id, ref, name, state },
  place,
  onPoint,
}: {
  readonly job: FlowJobView;
  readonly place: Place | undefined;
  readonly onPoint: (id: string | null) => void;
}): ReactNode {
  if (place === undefined) return null;
  const point = (): void => {
    onPoint(id);
  };
  const leave = (): void => {
    onPoint(null);
  };
  return (
    <Link
      href={jobPath(id)}
      className={`graph-node ${state}`}
      style={{ left: place.x, top: place.y - NODE.height / 2, width: NODE.width, height: NODE.height }}
      title={`${visible(ref)} · ${visible(name)} #${id}`}
      onMouseEnter={point}
      onMouseLeave={leave}
      onFocus={point}
      onBlur={leave}
    >
      <span className="graph-ref one-line job-text" translate="no" dir="auto">
        {visible(ref)}
      </span>
      <span className="graph-line">
        <span className="one-line job-text muted" translate="no">
          {visible(name)}
        </span>
        <StateBadge state={state} />
      </span>
    </Link>
  );
}

/** What the strokes mean that are there. */
function Legend({ edges }: { readonly edges: readonly DrawnEdge<FlowLinkView>[] }): ReactNode {
  const { t } = useTexts();
  const kinds = (["cancel", "run", "block"] as const).filter((kind) =>
    edges.some(({ link }) => link.onFailure === kind),
  );
  if (kinds.length === 0) return null;
  return (
    <footer className="card-footer graph-legend">
      <ul aria-label={t("flow.legend")}>
        {kinds.map((kind) => (
          <li key={kind}>
            <svg width="32" height="8" aria-hidden="true">
              <path className={`edge ${kind}`} d="M0 4H32" />
            </svg>
            {t(`flow.legend.${kind}`)}
          </li>
        ))}
      </ul>
    </footer>
  );
}
