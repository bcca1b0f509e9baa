import type { Clock } from "../core/clock.js";

/**
 * - `graceful`: let running jobs finish, within their grace
 * - `forced`: give running jobs back now
 * - `kill`: end the process whatever it is doing
 */
export type StopStep = "graceful" | "forced" | "kill";

const NEXT = { graceful: "forced", forced: "kill", kill: "kill" } as const satisfies Record<
  StopStep,
  StopStep
>;

/**
 * For how long after a request another signal is only its echo: npm, a shell and a terminal all forward
 * the signal that they get themselves. Echoes of the second request come as quickly, and whoever sends a
 * third one should not have to wait.
 */
const ECHO_MS = { graceful: 1_000, forced: 100, kill: 0 } as const satisfies Record<StopStep, number>;

/** Makes requests to stop of the signals that arrive: the first is graceful, each later one is harder. */
export class StopRequests {
  #step: StopStep | null = null;
  #since = 0;

  constructor(
    private readonly clock: Clock,
    private readonly act: (step: StopStep) => void,
  ) {}

  signalled(): void {
    const now = this.clock.monotonic();
    if (this.#step !== null && now - this.#since < ECHO_MS[this.#step]) return;
    this.#step = this.#step === null ? "graceful" : NEXT[this.#step];
    this.#since = now;
    this.act(this.#step);
  }
}
