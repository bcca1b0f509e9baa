import type { Clock } from "../../core/clock.js";

/**
 * The one way to do something in the background again and again. Runs never overlap. May be started
 * and stopped in any order and any number of times; `stop` resolves when the present run has ended.
 */
export class Loop {
  #running = false;
  #busy: Promise<void> | null = null;
  #cancelTimer: (() => void) | null = null;
  #nudged = false;
  /** The timer that is set is already as short as can be. */
  #soon = false;

  /**
   * @param work resolves with the milliseconds until it wants to run again
   * @param onError decides the same after a failure
   */
  constructor(
    private readonly clock: Clock,
    private readonly work: () => Promise<number>,
    private readonly onError: (error: unknown) => number,
  ) {}

  start(): void {
    if (this.#running) return;
    this.#running = true;
    // A run that a stop left behind goes on to the next one by itself.
    if (this.#busy === null) this.#schedule(0);
  }

  /** Runs as soon as possible; once more when it is running already. */
  nudge(): void {
    if (!this.#running) return;
    if (this.#busy !== null) this.#nudged = true;
    // Setting the timer anew would put it off: who is nudged all the time would never run.
    else if (!this.#soon) this.#schedule(0);
  }

  async stop(): Promise<void> {
    this.#running = false;
    this.#cancelTimer?.();
    this.#cancelTimer = null;
    this.#soon = false;
    await this.#busy;
  }

  #schedule(delayMs: number): void {
    this.#cancelTimer?.();
    this.#soon = delayMs === 0;
    this.#cancelTimer = this.clock.setTimer(delayMs, () => {
      this.#cancelTimer = null;
      this.#soon = false;
      this.#busy = this.#run();
    });
  }

  async #run(): Promise<void> {
    let delayMs: number;
    try {
      delayMs = await this.work();
    } catch (error) {
      delayMs = this.onError(error);
    }
    this.#busy = null;
    if (this.#running) this.#schedule(this.#takeNudge() ? 0 : delayMs);
  }

  #takeNudge(): boolean {
    const nudged = this.#nudged;
    this.#nudged = false;
    return nudged;
  }
}
