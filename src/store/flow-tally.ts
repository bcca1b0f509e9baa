import type { FinishedState } from "../core/states.js";

/** What changed in the counts of a flow. */
export interface FlowChange {
  jobs: number;
  completed: number;
  dead: number;
  cancelled: number;
}

/** What one transaction changed in the counts of flows. */
export class FlowTally {
  readonly #changes = new Map<number, FlowChange>();

  get empty(): boolean {
    return this.#changes.size === 0;
  }

  added(flowId: number, jobs: number): void {
    this.#of(flowId).jobs += jobs;
  }

  removed(flowId: number): void {
    this.#of(flowId).jobs -= 1;
  }

  ended(flowId: number, state: FinishedState): void {
    this.#of(flowId)[state] += 1;
  }

  /** A job that had ended in this state goes on, or is gone. */
  reopened(flowId: number, state: FinishedState): void {
    this.#of(flowId)[state] -= 1;
  }

  /** In one order for all transactions, so that no two wait for each other. */
  take(): [flowId: number, change: Readonly<FlowChange>][] {
    const changes = [...this.#changes].sort(([a], [b]) => a - b);
    this.#changes.clear();
    return changes;
  }

  clear(): void {
    this.#changes.clear();
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
