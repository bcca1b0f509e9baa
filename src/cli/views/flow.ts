import type { FlowChangedView, FlowDetailView, FlowJobView, FlowView } from "../../api/flow.js";
import type { ListView, ThingView } from "../output/output.js";
import { instantText, relative, relativeOr } from "../output/time-text.js";

export function flowList(now: number): ListView<FlowView> {
  return {
    id: ({ id }) => id,
    empty: "There are no such flows.",
    columns: [
      { title: "ID", text: ({ id }) => id, align: "right" },
      { title: "NAME", text: ({ name }) => name, least: 10 },
      { title: "STATE", text: ({ state }) => state },
      { title: "JOBS", text: ({ counts }) => String(counts.jobs), align: "right" },
      { title: "COMPLETED", text: ({ counts }) => String(counts.completed), align: "right" },
      { title: "DEAD", text: ({ counts }) => String(counts.dead), align: "right" },
      { title: "CANCELLED", text: ({ counts }) => String(counts.cancelled), align: "right" },
      { title: "CREATED", text: ({ createdAt }) => relative(createdAt, now), align: "right" },
      { title: "ENDED", text: ({ finishedAt }) => relativeOr("", finishedAt, now), align: "right" },
    ],
  };
}

export function flowDetail(now: number): ThingView<FlowDetailView> {
  return {
    id: ({ id }) => id,
    fields: (flow) => [
      ["id", flow.id],
      ["name", flow.name],
      ["state", flow.stuck ? `${flow.state}, stuck: retry what the others wait for` : flow.state],
      ["created", instantText(flow.createdAt, now)],
      ["finished", instantText(flow.finishedAt, now)],
      ["jobs", String(flow.counts.jobs)],
      ...Object.entries(flow.states).map(([state, count]) => [state, String(count)] as const),
    ],
  };
}

export const flowJobList: ListView<FlowJobView> = {
  id: ({ id }) => id,
  empty: "It has no jobs any more.",
  columns: [
    { title: "ID", text: ({ id }) => id, align: "right" },
    { title: "REF", text: ({ ref }) => ref, least: 8 },
    { title: "STATE", text: ({ state }) => state },
    { title: "QUEUE", text: ({ queue }) => queue, least: 8 },
    { title: "NAME", text: ({ name }) => name, least: 10 },
    { title: "WAITS FOR", text: awaited, least: 12 },
  ],
};

/** Those that it still waits for, with what they are doing. */
function awaited({ dependsOn, dependencies }: FlowJobView): string {
  const open = dependsOn.filter(({ resolved }) => !resolved).map(({ ref, state }) => `${ref} (${state})`);
  return dependencies > dependsOn.length ? [...open, "…"].join(", ") : open.join(", ");
}

export const flowChanged: ThingView<FlowChangedView> = {
  id: ({ flow }) => flow.id,
  fields: ({ changed, flow }) => [
    ["id", flow.id],
    ["changed", `${changed} jobs`],
    ["state", flow.state],
  ],
};
