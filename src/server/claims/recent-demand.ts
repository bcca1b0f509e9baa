import type { ClaimRequest } from "../../store/claims.js";

type Demand = Pick<ClaimRequest, "queues" | "names" | "max">;

/**
 * What one worker asks for: the queues and names of its claims together, as it may make several in turn, each for other
 * queues. Which name was asked for of which queue is not kept apart.
 */
export class RecentDemand {
  /** With the time of the last claim for each. */
  readonly #queues = new Map<string, number>();
  readonly #names = new Map<string, number>();
  #allNamesAt = Number.NEGATIVE_INFINITY;
  #askedAt = Number.NEGATIVE_INFINITY;
  #max = 0;

  get queues(): readonly string[] {
    return [...this.#queues.keys()];
  }

  /** `null`: all names. */
  get names(): readonly string[] | null {
    return this.#allNamesAt === Number.NEGATIVE_INFINITY ? [...this.#names.keys()] : null;
  }

  /** Jobs that the latest claim asked for. */
  get max(): number {
    return this.#max;
  }

  /** Queues and names that are kept. */
  get size(): number {
    return this.#queues.size + this.#names.size;
  }

  /** By how much a claim would make it grow. */
  growth({ queues, names }: Demand): number {
    const newQueues = queues.filter((queue) => !this.#queues.has(queue));
    const newNames = names?.filter((name) => !this.#names.has(name)) ?? [];
    return new Set(newQueues).size + new Set(newNames).size;
  }

  asks({ queues, names, max }: Demand, now: number): void {
    for (const queue of queues) this.#queues.set(queue, now);
    if (names === null) this.#allNamesAt = now;
    else for (const name of names) this.#names.set(name, now);
    this.#askedAt = now;
    this.#max = max;
  }

  /**
   * Forgets what was last asked for so much longer ago than the latest claim. A worker that is too busy to claim at all
   * still serves what it served.
   */
  forgetOlder(ms: number): void {
    const oldest = this.#askedAt - ms;
    for (const asked of [this.#queues, this.#names]) {
      for (const [name, at] of asked) if (at < oldest) asked.delete(name);
    }
    if (this.#allNamesAt < oldest) this.#allNamesAt = Number.NEGATIVE_INFINITY;
  }
}
