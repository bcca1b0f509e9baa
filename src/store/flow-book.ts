import type { OnFailure } from "../core/flow-request.js";
import { isFinished, type FinishedState, type JobState } from "../core/states.js";

/** How a job ended, for those that depend on it. */
export type End = FinishedState | "deleted";

export interface EndedJob {
  readonly id: number;
  readonly end: End;
}

/** What changed in the counts of a flow. */
export interface FlowChange {
  jobs: number;
  completed: number;
  dead: number;
  cancelled: number;
}

/**
 * What one transaction did to jobs of flows. Whoever ends, adds, reopens or removes one says so here; before the commit
 * those that depend on it are told, and the counts of the flows are changed.
 */
export class FlowBook {
  readonly #changes = new Map<number, FlowChange>();
  #ended: EndedJob[] = [];

  get empty(): boolean {
    return this.#changes.size === 0 && this.#ended.length === 0;
  }

  ended(id: number, flowId: number, state: FinishedState): void {
    this.#of(flowId)[state] += 1;
    this.#ended.push({ id, end: state });
  }

  /** A job that had ended in this state goes on. */
  reopened(flowId: number, state: FinishedState): void {
    this.#of(flowId)[state] -= 1;
  }

  /** A job is about to be removed. */
  removed(id: number, flowId: number, state: JobState): void {
    const change = this.#of(flowId);
    change.jobs -= 1;
    if (isFinished(state)) change[state] -= 1;
    this.#ended.push({ id, end: "deleted" });
  }

  added(flowId: number, jobs: number): void {
    this.#of(flowId).jobs += jobs;
  }

  /** Something new depends on a job that had ended before, or is gone: whoever waits for it is told. */
  tellAgain(id: number, state: JobState | undefined): void {
    if (state === undefined) this.#ended.push({ id, end: "deleted" });
    else if (isFinished(state)) this.#ended.push({ id, end: state });
  }

  takeEnded(): readonly EndedJob[] {
    const ended = this.#ended;
    this.#ended = [];
    return ended;
  }

  /** In one order for all transactions, so that no two wait for each other. */
  takeChanges(): [flowId: number, change: Readonly<FlowChange>][] {
    const changes = [...this.#changes].sort(([a], [b]) => a - b);
    this.#changes.clear();
    return changes;
  }

  clear(): void {
    this.#changes.clear();
    this.#ended = [];
  }

  #of(flowId: number): FlowChange {
    let change = this.#changes.get(flowId);
    if (change === undefined) {
      change = { jobs: 0, completed: 0, dead: 0, cancelled: 0 };
      this.#changes.set(flowId, change);
    }
    return change;
  }
}

/** Dependencies that stay open at this end: they wait until somebody retries the job. */
export function keptOpenBy(end: End): OnFailure | "none" {
  return end === "dead" || end === "cancelled" ? "block" : "none";
}

/** What an end does to a job that is blocked by it. */
export function effectOf(end: End, onFailure: OnFailure): "waits less" | "is cancelled" {
  return end === "completed" || onFailure === "run" ? "waits less" : "is cancelled";
}
