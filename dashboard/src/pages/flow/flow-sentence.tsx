import type { ReactNode } from "react";
import type { FlowDetailView } from "../../api/types.js";
import { useTexts } from "../../i18n/text.js";
import { RelativeTime } from "../../ui/time.js";

/** How the flow stands, and what there is to do. */
export function FlowSentence({ flow }: { readonly flow: FlowDetailView }): ReactNode {
  const { t } = useTexts();
  const tone = toneOf(flow);
  return (
    <section className={`notice ${tone}`} aria-label={t("flow.sentence")}>
      <p>
        {flow.finishedAt === null ? <Unfinished flow={flow} /> : <Ended flow={flow} at={flow.finishedAt} />}
      </p>
    </section>
  );
}

function toneOf({ state, stuck }: FlowDetailView): "" | "bad" | "warn" {
  if (stuck) return "warn";
  return state === "failed" ? "bad" : "";
}

function Unfinished({ flow: { counts, states, stuck } }: { readonly flow: FlowDetailView }): ReactNode {
  const { t } = useTexts();
  const { jobs, completed, dead, cancelled } = counts;
  const left = jobs - completed - dead - cancelled;
  if (stuck) return t("flow.stuck", { count: left });
  const now = t("flow.running", { count: left, states: statesOf(states, t) });
  return dead > 0 ? `${now} ${t("flow.running.dead", { count: dead })}` : now;
}

/** Those that have not ended, by their states. */
function statesOf(states: FlowDetailView["states"], t: ReturnType<typeof useTexts>["t"]): string {
  return (["running", "pending", "scheduled", "blocked"] as const)
    .flatMap((state) => {
      const n = states[state] ?? 0;
      return n === 0 ? [] : [t(`flow.part.${state}`, { n })];
    })
    .join(", ");
}

function Ended({ flow, at }: { readonly flow: FlowDetailView; readonly at: string }): ReactNode {
  const { rich, duration } = useTexts();
  const { jobs, completed, dead, cancelled } = flow.counts;
  const when = <RelativeTime at={at} />;
  const took = duration(Math.max(0, Date.parse(at) - Date.parse(flow.createdAt)));
  if (flow.state === "failed") return rich("flow.failed", { count: dead, when, took, completed, cancelled });
  if (flow.state === "cancelled") return rich("flow.cancelled", { count: cancelled, when, took, completed });
  return rich("flow.completed", { count: jobs, when, took });
}
