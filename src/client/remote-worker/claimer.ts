import { randomUUID } from "node:crypto";
import type { ClaimView } from "../../api/claim.js";
import { ApiError, mayPass } from "../errors.js";
import { pause, pauseMs } from "../pause.js";
import type { Link } from "./link.js";

/** Well below the time after which proxies give up on a silent connection. */
const LONGEST_WAIT_MS = 20_000;
/** At a stop: how long to ask for what may have been handed out. */
const LAST_QUESTION_MS = 2_000;

export interface Demand {
  readonly queues: readonly string[];
  readonly names: readonly string[];
  /** How many jobs there is room for now. */
  free(): number;
  /** Resolves when that may have grown. */
  room(): Promise<void>;
  /** @param sentAt monotonic time before the request */
  claimed(answer: ClaimView, sentAt: number): void;
}

/**
 * Asks for jobs while there is room, one request at a time, each waiting at the server for the first job.
 * A request whose answer is lost is made again under the same `claimId`, so that no job is stranded.
 */
export class Claimer {
  readonly #stop = new AbortController();
  readonly #waitMs: number;
  #done: Promise<void> = Promise.resolve();

  constructor(
    private readonly link: Link,
    private readonly demand: Demand,
  ) {
    // A lease is counted from before the request, so a wait must leave most of it.
    this.#waitMs = Math.min(LONGEST_WAIT_MS, Math.floor(link.leaseMs / 3));
  }

  start(): void {
    this.#done = this.#loop();
  }

  /** Resolves when no more jobs will come. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#done;
  }

  async #loop(): Promise<void> {
    const { signal } = this.#stop;
    const stopped = new Promise<void>((resolve) => {
      signal.addEventListener("abort", () => {
        resolve();
      });
    });
    while (!this.#isStopped()) {
      if (this.demand.free() === 0) await Promise.race([this.demand.room(), stopped]);
      else await this.#claim(randomUUID());
    }
  }

  /** One claim, made again until it is answered. */
  async #claim(claimId: string): Promise<void> {
    const { link } = this;
    const { signal } = this.#stop;
    for (let failures = 1; ; failures += 1) {
      try {
        await this.#ask(claimId, this.#waitMs, signal);
        return;
      } catch (error) {
        if (this.#isStopped()) return this.#collect(claimId);
        if (error instanceof ApiError && !mayPass(error)) {
          link.refused(error);
          return;
        }
        link.problem(error, "claiming jobs");
        await pause(link.clock, pauseMs(failures, error, link.random), signal).catch(() => undefined);
      }
    }
  }

  #isStopped(): boolean {
    return this.#stop.signal.aborted;
  }

  /** Whatever the interrupted request was answered: those jobs are given back, not left to their leases. */
  async #collect(claimId: string): Promise<void> {
    try {
      await this.#ask(claimId, 0, AbortSignal.timeout(LAST_QUESTION_MS));
    } catch {
      // Nobody knows whether there are any; if so, their leases end by themselves.
    }
  }

  async #ask(claimId: string, waitMs: number, signal: AbortSignal): Promise<void> {
    const { client, workerId, leaseMs, clock } = this.link;
    const { queues, names } = this.demand;
    const max = Math.max(1, this.demand.free());
    const sentAt = clock.monotonic();
    const answer = await client.leases.claim(
      { workerId, claimId, queues: [...queues], names: [...names], max, waitMs, leaseMs },
      { signal, maxTries: 1 },
    );
    this.demand.claimed(answer, sentAt);
  }
}
