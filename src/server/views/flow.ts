import type {
  CreatedFlowView,
  DependencyView,
  FlowDetailView,
  FlowJobView,
  FlowLinkView,
  FlowView,
} from "../../api/flow.js";
import type { CreatedFlow, DependencyResult, Flow, FlowDetail, FlowJob, FlowLink } from "../../core/flow.js";
import { formatInstant } from "../../core/instant.js";
import { instantOrNull, jobView } from "./job.js";

export function flowView(flow: Flow): FlowView {
  return {
    id: flow.id,
    name: flow.name,
    state: flow.state,
    createdAt: formatInstant(flow.createdAt),
    finishedAt: instantOrNull(flow.finishedAt),
    counts: { ...flow.counts },
  };
}

export function createdFlowView(flow: CreatedFlow): CreatedFlowView {
  return flow.deduplicated ? { ...flowView(flow), deduplicated: true } : flowView(flow);
}

export function flowDetailView(flow: FlowDetail): FlowDetailView {
  return { ...flowView(flow), states: { ...flow.states }, stuck: flow.stuck };
}

export function flowLinkView({ id, ref, queue, state, onFailure, resolved }: FlowLink): FlowLinkView {
  return { id, ref, queue, state, onFailure, resolved };
}

/** @param isVisible whether the caller may know about jobs of a queue */
export function flowJobView(job: FlowJob, isVisible: (queue: string) => boolean): FlowJobView {
  return {
    ...jobView(job),
    ref: job.ref,
    dependsOn: job.dependsOn.filter(({ queue }) => isVisible(queue)).map(flowLinkView),
    dependencies: job.dependencies,
  };
}

/** As JSON text: the result goes in as the text that is stored, as parsing and writing it again could change it. */
export function dependencyText(link: DependencyResult): string {
  const view: Omit<DependencyView, "result"> = flowLinkView(link);
  const text = JSON.stringify(view);
  return link.result === null ? text : `${text.slice(0, -1)},"result":${link.result}}`;
}
