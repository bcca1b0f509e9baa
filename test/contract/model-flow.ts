import type { OnFailure } from "../../src/core/flow-request.js";
import { isFinished, type FinishedState, type JobState } from "../../src/core/states.js";

interface ModelEdge {
  readonly on: string;
  readonly onFailure: OnFailure;
  open: boolean;
}

interface ModelNode {
  state: JobState | "gone";
  readonly edges: ModelEdge[];
}

/** What the jobs of one flow must be, worked out in the plainest way: after each change everybody looks at everybody. */
export class ModelFlow {
  readonly nodes = new Map<string, ModelNode>();

  add(ref: string, dependsOn: readonly { readonly ref: string; readonly onFailure: OnFailure }[]): void {
    const edges = dependsOn.map(({ ref: on, onFailure }) => ({ on, onFailure, open: true }));
    this.nodes.set(ref, { state: edges.length === 0 ? "pending" : "blocked", edges });
    this.#settle();
  }

  claim(ref: string): void {
    this.#node(ref).state = "running";
  }

  /** A claim that is given back, or fails and has attempts left. */
  giveBack(ref: string): void {
    this.#node(ref).state = "pending";
  }

  end(ref: string, state: FinishedState | "gone"): void {
    this.#node(ref).state = state;
    this.#settle();
  }

  wait(ref: string, refs: readonly string[]): void {
    const node = this.#node(ref);
    if (refs.some((other) => !this.#hasEnded(other) && this.#isBehind(other, ref, new Set()))) {
      this.end(ref, "dead");
      return;
    }
    for (const on of refs) {
      const known = node.edges.findIndex((edge) => edge.on === on);
      if (known >= 0) node.edges.splice(known, 1);
      node.edges.push({ on, onFailure: "run", open: true });
    }
    node.state = node.edges.some(({ open }) => open) ? "blocked" : "pending";
    this.#settle();
  }

  revive(ref: string): void {
    const node = this.#node(ref);
    for (const edge of node.edges) edge.open = !this.#hasEnded(edge.on);
    node.state = node.edges.some(({ open }) => open) ? "blocked" : "pending";
  }

  /** Those that wait although nothing that they wait for can go on: a person has to retry it. */
  waitingForSomebody(ref: string): boolean {
    return this.#node(ref).edges.some(
      (edge) =>
        edge.open && (this.#hasEnded(edge.on) ? edge.onFailure === "block" : this.#isBlockedForGood(edge.on)),
    );
  }

  #isBlockedForGood(ref: string): boolean {
    return this.#node(ref).state === "blocked" && this.waitingForSomebody(ref);
  }

  /** Also by way of a job that has ended and is waited for until somebody retries it: then it would wait too. */
  #isBehind(ref: string, wanted: string, seen: Set<string>): boolean {
    if (ref === wanted) return true;
    if (seen.has(ref)) return false;
    seen.add(ref);
    return this.#node(ref).edges.some(({ on, open }) => open && this.#isBehind(on, wanted, seen));
  }

  #hasEnded(ref: string): boolean {
    const { state } = this.#node(ref);
    return state === "gone" || isFinished(state);
  }

  /** Lets ends have their effect until nothing changes. */
  #settle(): void {
    for (let changed = true; changed;) {
      changed = false;
      for (const node of this.nodes.values()) {
        for (const edge of node.edges) {
          if (!edge.open || !this.#hasEnded(edge.on)) continue;
          const end = this.#node(edge.on).state;
          if (edge.onFailure === "block" && end !== "completed" && end !== "gone") continue;
          edge.open = false;
          changed = true;
          if (node.state === "blocked" && end !== "completed" && edge.onFailure !== "run")
            node.state = "cancelled";
        }
        if (node.state !== "blocked" || node.edges.some(({ open }) => open)) continue;
        node.state = "pending";
        changed = true;
      }
    }
  }

  #node(ref: string): ModelNode {
    const node = this.nodes.get(ref);
    if (node === undefined) throw new Error(`There is no job ${ref}`);
    return node;
  }
}
