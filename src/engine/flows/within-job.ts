import type { FlowCalls } from "../../core/job-flow.js";
import type { EngineContext } from "../context.js";
import { extendFlow } from "./make.js";

/** Dependencies of a job that are read at once, with their results. */
const PAGE = 100;

/** What handlers of this process have to do with the flows of their jobs. */
export function flowCallsOf(context: EngineContext): FlowCalls {
  const { flows } = context.store;
  return {
    add: (key, jobs) => extendFlow(context, key, jobs),
    members: ({ id }, refs) => flows.members(id, refs),
    dependencies: async ({ id }, after) =>
      (await flows.dependencies(id, PAGE, after)) ?? { items: [], next: null },
  };
}
