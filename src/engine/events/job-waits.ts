import { callAt } from "../../core/clock.js";
import type { JobDetail } from "../../core/job.js";
import type { JournalEvent } from "../../core/journal.js";
import { isFinished } from "../../core/states.js";
import type { EngineContext } from "../context.js";
import { jobNotFound } from "../job-change.js";
import type { Follower } from "./journal-reader.js";

class Wait {
  /** Its time is up, or nobody waits any more. */
  over = false;
  #woken = false;
  #resolve = (): void => undefined;

  /** Its job may have finished. */
  wake(): void {
    this.#woken = true;
    this.#resolve();
  }

  end(): void {
    this.over = true;
    this.wake();
  }

  /** Resolves when it was woken since this was asked last. */
  async woken(): Promise<void> {
    if (!this.#woken) {
      await new Promise<void>((resolve) => {
        this.#resolve = resolve;
      });
    }
    this.#woken = false;
  }
}

/**
 * Lets callers wait until a job has finished. All of them share one reading of the journal, and each looks
 * at its job only when the journal says that it has ended.
 */
export class JobWaits implements Follower {
  readonly #waits = new Map<string, Set<Wait>>();
  #joined: Promise<unknown> | null = null;
  #closed = false;

  constructor(private readonly context: EngineContext) {}

  /**
   * Resolves with the job when it has finished, or as it is when `timeoutMs` have passed, `gone` has fired
   * or these waits are closed.
   *
   * @throws KonveierError `job_not_found`, also when the job is removed meanwhile; `store_…`
   */
  async untilFinished(id: string, timeoutMs: number, gone?: AbortSignal): Promise<JobDetail> {
    // Most jobs that are asked for have finished: for those nothing needs to be recorded.
    const job = await this.#read(id);
    if (isFinished(job.state) || timeoutMs <= 0 || this.#closed || gone?.aborted) return job;
    const wait = new Wait();
    const end = (): void => {
      wait.end();
    };
    const { clock } = this.context;
    const cancelTimer = callAt(clock, clock.monotonic() + timeoutMs, end);
    gone?.addEventListener("abort", end);
    this.#add(id, wait);
    try {
      await this.#join();
      return await this.#follow(id, wait);
    } finally {
      cancelTimer();
      gone?.removeEventListener("abort", end);
      this.#remove(id, wait);
    }
  }

  /** Ends all waits, and those that come later at once. */
  close(): void {
    this.#closed = true;
    for (const wait of this.#all()) wait.end();
  }

  events(events: readonly JournalEvent[]): void {
    for (const event of events) {
      if (event.type !== "job" || (event.to !== null && !isFinished(event.to))) continue;
      for (const wait of this.#waits.get(event.id) ?? []) wait.wake();
    }
  }

  lost(): void {
    for (const wait of this.#all()) wait.wake();
  }

  /** Reads after it has begun to listen, so that no end falls between the two. */
  async #follow(id: string, wait: Wait): Promise<JobDetail> {
    for (;;) {
      const job = await this.#read(id);
      if (isFinished(job.state) || wait.over || this.#closed) return job;
      await wait.woken();
    }
  }

  async #read(id: string): Promise<JobDetail> {
    const job = await this.context.store.jobs.detail(id);
    if (job === null) throw jobNotFound(id);
    return job;
  }

  #add(id: string, wait: Wait): void {
    const waits = this.#waits.get(id);
    if (waits === undefined) this.#waits.set(id, new Set([wait]));
    else waits.add(wait);
  }

  async #join(): Promise<void> {
    const joined = (this.#joined ??= this.context.journal.join(this));
    try {
      await joined;
    } catch (error) {
      if (this.#joined === joined) this.#joined = null;
      throw error;
    }
  }

  #remove(id: string, wait: Wait): void {
    const waits = this.#waits.get(id);
    waits?.delete(wait);
    if (waits?.size === 0) this.#waits.delete(id);
    if (this.#waits.size > 0) return;
    this.#joined = null;
    this.context.journal.leave(this);
  }

  #all(): Wait[] {
    return [...this.#waits.values()].flatMap((waits) => [...waits]);
  }
}
