import type { AckItem, AckedView } from "../../api/lease.js";
import type { Run } from "../../core/run.js";
import { isRefusedToken, mayPass } from "../errors.js";
import { pause, pauseMs } from "../pause.js";
import type { Link } from "./link.js";

const MAX_ITEMS = 500;
/** Half of what the server takes in one body. */
const MAX_BYTES = 4 * 1024 * 1024;

interface Ack {
  readonly run: Run;
  readonly item: AckItem;
}

/**
 * Tells the server how attempts ended, many in one request, one request at a time. While the server does
 * not answer the outcomes wait here and are said again: the work is done, and forgetting that would do it twice.
 */
export class Acknowledger {
  #waiting: Ack[] = [];
  #sending = 0;
  #busy = false;
  readonly #stop = new AbortController();

  constructor(
    private readonly link: Link,
    /** The server has answered for this run; `null`: it will not. */
    private readonly onDone: (run: Run, answer: AckedView | null) => void,
  ) {}

  get pending(): number {
    return this.#waiting.length + this.#sending;
  }

  add(run: Run, item: AckItem): void {
    this.#waiting.push({ run, item });
    if (this.#busy) return;
    this.#busy = true;
    // What ends in the same turn of the event loop shares a request.
    queueMicrotask(() => {
      this.#sendAll().catch((error: unknown) => {
        this.link.problem(error, "acknowledging finished jobs");
      });
    });
  }

  /** Gives up what could not be said: the leases end by themselves. */
  stop(): void {
    this.#stop.abort();
    this.#waiting = [];
  }

  async #sendAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#take();
      this.#sending = batch.length;
      await this.#send(batch);
    }
    this.#busy = false;
  }

  #take(): Ack[] {
    let bytes = 0;
    let count = 0;
    for (const { item } of this.#waiting) {
      bytes += JSON.stringify(item).length;
      if (count === MAX_ITEMS || (count > 0 && bytes > MAX_BYTES)) break;
      count += 1;
    }
    return this.#waiting.splice(0, count);
  }

  async #send(batch: readonly Ack[]): Promise<void> {
    const { link } = this;
    const { signal } = this.#stop;
    for (let failures = 1; !this.#isStopped(); failures += 1) {
      try {
        const items = batch.map(({ item }) => item);
        const { results } = await link.client.leases.ack(items, { signal, maxTries: 1 });
        for (const [index, { run }] of batch.entries()) this.#answered(run, results[index] ?? null);
        return;
      } catch (error) {
        if (this.#isStopped()) return;
        link.problem(error, "acknowledging finished jobs");
        if (isRefusedToken(error)) link.refused(error);
        else if (!mayPass(error)) return this.#giveUp(batch);
        await pause(link.clock, pauseMs(failures, error, link.random), signal).catch(() => undefined);
      }
    }
  }

  #isStopped(): boolean {
    return this.#stop.signal.aborted;
  }

  /** The server does not take the batch. One of them is at fault: each for itself, so that the others are kept. */
  async #giveUp(batch: readonly Ack[]): Promise<void> {
    if (batch.length > 1) for (const ack of batch) await this.#send([ack]);
    else for (const { run } of batch) this.#answered(run, null);
  }

  #answered(run: Run, answer: AckedView | null): void {
    this.#sending -= 1;
    this.onDone(run, answer);
  }
}
