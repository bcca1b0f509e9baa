import type { Fault } from "../../core/errors.js";
import type { FlowCalls } from "../../core/job-flow.js";
import { validationError } from "../../core/job-request.js";
import { isFinished } from "../../core/states.js";
import type { EngineContext } from "../context.js";
import { extendFlow, MAX_FAULTS } from "./make.js";

/** Dependencies of a job that are read at once, with their results. */
const PAGE = 100;

/** What handlers of this process have to do with the flows of their jobs. */
export function flowCallsOf(context: EngineContext): FlowCalls {
  const { flows } = context.store;
  return {
    add: (key, jobs) => extendFlow(context, key, jobs),
    hasToWait: ({ id }, refs) => hasToWait(context, id, refs),
    dependencies: async ({ id }, after) =>
      (await flows.dependencies(id, PAGE, after)) ?? { items: [], next: null },
  };
}

/**
 * Whether the job must wait for one of these of its flow: also for one that has ended before it waited the first time, as
 * only then it is among those whose results it reads.
 *
 * @throws KonveierError `validation_failed` for refs that the flow does not have; `store_…`
 */
export async function hasToWait(
  { store }: EngineContext,
  jobId: string,
  refs: readonly string[],
): Promise<boolean> {
  const members = await store.flows.members(jobId, refs);
  const known = new Set(members.map(({ ref }) => ref));
  const faults: Fault[] = [];
  for (const [index, ref] of refs.entries()) {
    if (known.has(ref)) continue;
    const detail = `names ${ref}, which no job of the flow is`;
    faults.push({ pointer: `/refs/${index}`, code: "unknown_ref", detail });
    if (faults.length === MAX_FAULTS) break;
  }
  if (faults.length > 0) throw validationError(faults);
  return members.some(({ state, awaited }) => !awaited || !isFinished(state));
}
