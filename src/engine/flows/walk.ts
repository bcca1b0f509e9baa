import { KonveierError } from "../../core/errors.js";
import type { FlowWalk } from "../../store/flows.js";
import type { EngineContext } from "../context.js";

/** Jobs that one transaction changes: bounds how long others wait for it. */
const PORTION = 500;

/**
 * Cancels every job of a flow that has not ended. One that a handler adds meanwhile may be missed: its handler was
 * cancelled before, so there is at most one such batch.
 *
 * @returns how many were cancelled
 * @throws KonveierError `flow_not_found`, `store_…`
 */
export function cancelFlow({ store }: EngineContext, id: string): Promise<number> {
  return walk(id, (after) => store.flows.cancel(id, after, PORTION));
}

/**
 * Starts every dead and every cancelled job of a flow over, each when those that it depends on have ended.
 *
 * @returns how many were started over
 * @throws KonveierError `flow_not_found`, `store_…`
 */
export function retryFlow({ store }: EngineContext, id: string): Promise<number> {
  return walk(id, (after) => store.flows.retry(id, after, PORTION));
}

/** Broken off by a crash it has done a part; done again it does the rest. */
async function walk(id: string, step: (after: string | null) => Promise<FlowWalk | null>): Promise<number> {
  let changed = 0;
  let after: string | null = null;
  do {
    const done: FlowWalk | null = await step(after);
    if (done === null) throw flowNotFound(id);
    changed += done.changed;
    after = done.after;
  } while (after !== null);
  return changed;
}

export function flowNotFound(id: string): KonveierError {
  return new KonveierError("flow_not_found", `There is no flow ${id}.`);
}
