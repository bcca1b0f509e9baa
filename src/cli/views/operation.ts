import type { OperationView } from "../../api/operation.js";
import type { ListView, ThingView } from "../output/output.js";
import { instantText, relative } from "../output/time-text.js";

export function operationList(now: number): ListView<OperationView> {
  return {
    id: ({ id }) => id,
    empty: "There are no operations.",
    columns: [
      { title: "ID", text: ({ id }) => id },
      { title: "ACTION", text: ({ action }) => action },
      { title: "STATE", text: ({ state }) => state },
      { title: "CHANGED", text: changedText, align: "right" },
      { title: "CREATED", text: ({ createdAt }) => relative(createdAt, now), align: "right" },
      { title: "FILTER", text: ({ q }) => q, least: 12 },
    ],
  };
}

export function operationDetail(now: number): ThingView<OperationView> {
  return {
    id: ({ id }) => id,
    fields: (operation) => [
      ["id", operation.id],
      ["action", operation.action],
      ["filter", operation.q],
      ["queues", operation.queues?.join(", ") ?? null],
      ["state", operation.state],
      ["changed", changedText(operation)],
      ["per second", String(operation.perSecond)],
      ["reason", operation.reason],
      ["created", instantText(operation.createdAt, now)],
      ["by token", operation.createdBy],
      ["finished", instantText(operation.finishedAt, now)],
    ],
  };
}

/** More may match by now than in the preview. */
function changedText({ changed, matched }: OperationView): string {
  return `${changed}/${Math.max(matched, changed)}`;
}
