import { framesOf } from "../../../src/client/event-frames.js";
import type { Change, LiveMessage, Snapshot, StreamStatus } from "./frames.js";

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
/** The server says something at least every 15 seconds. */
const SILENCE_MS = 40_000;
const LOOK_MS = 4_000;
/** What is no fault of the connection. */
const REFUSALS = new Map<number, StreamStatus>([
  [401, "signed-out"],
  [403, "forbidden"],
]);
const REFUSED = new Set(REFUSALS.values());

/**
 * The stream of what changes, connected anew for as long as it is wanted. A browser's own EventSource gives up for
 * good after any answer that is not 200, such as a proxy's 503 during a deploy, and cannot tell a 401 from it.
 */
export class LiveStream {
  #stop: AbortController | null = null;
  #status: StreamStatus = "connecting";
  #wake: (() => void) | null = null;

  constructor(
    private readonly url: string,
    private readonly tell: (message: LiveMessage) => void,
  ) {}

  get status(): StreamStatus {
    return this.#status;
  }

  start(): void {
    if (this.#stop !== null) return;
    this.#stop = new AbortController();
    this.#become("connecting");
    void this.#run(this.#stop.signal);
  }

  stop(): void {
    this.#stop?.abort();
    this.#stop = null;
  }

  /** Connects at once where it is waiting to: after a sign-in, or when the network is back. */
  hurry(): void {
    this.#wake?.();
  }

  async #run(signal: AbortSignal): Promise<void> {
    let failures = 0;
    for (;;) {
      const connected = await this.#follow(signal);
      if (isOver(signal)) return;
      failures = connected ? 1 : failures + 1;
      if (!REFUSED.has(this.#status)) this.#become("reconnecting");
      await this.#pause(pauseMs(failures), signal);
      if (isOver(signal)) return;
    }
  }

  /** @returns whether the stream had begun */
  async #follow(signal: AbortSignal): Promise<boolean> {
    const silence = new Silence(SILENCE_MS);
    let connected = false;
    try {
      const answer = await fetch(this.url, {
        credentials: "same-origin",
        headers: { Accept: "text/event-stream" },
        signal: AbortSignal.any([signal, silence.signal]),
      });
      const refusal = REFUSALS.get(answer.status);
      if (refusal !== undefined) this.#become(refusal);
      if (!answer.ok || answer.body === null) return false;
      for await (const { event, data } of framesOf(answer.body)) {
        silence.broken();
        if (data === null) continue;
        if (event === "snapshot") {
          connected = true;
          this.#become("live");
          this.tell({ type: "snapshot", data: JSON.parse(data) as Snapshot });
        } else if (event === "change") {
          this.tell({ type: "change", data: JSON.parse(data) as Change });
        }
      }
    } catch {
      // Cut off, refused, or silent for too long: in all cases the next thing is to connect again.
    } finally {
      silence.end();
    }
    return connected;
  }

  #become(status: StreamStatus): void {
    this.#status = status;
    this.tell({ type: "status", status });
  }

  #pause(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
      signal.addEventListener("abort", this.#wake, { once: true });
    });
  }
}

/** Asked anew each time: it may have become so while one waited. */
function isOver(signal: AbortSignal): boolean {
  return signal.aborted;
}

function pauseMs(failures: number): number {
  const longest = Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), LONGEST_PAUSE_MS);
  // Many browsers lose the same server at the same moment.
  return longest * (0.7 + 0.6 * Math.random());
}

/**
 * A connection that was cut without a word looks alive for ever: after so much silence it counts as cut. Timers stand
 * still while a machine sleeps, the clock does not: what was silent through a night counts as cut when it wakes.
 */
class Silence {
  readonly #controller = new AbortController();
  readonly #timer: ReturnType<typeof setInterval>;
  #since = Date.now();
  #looks = 0;

  constructor(private readonly ms: number) {
    this.#timer = setInterval(() => {
      this.#look();
    }, LOOK_MS);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  broken(): void {
    this.#since = Date.now();
    this.#looks = 0;
  }

  end(): void {
    clearInterval(this.#timer);
  }

  /** Looks are counted too: the clock may be set back. */
  #look(): void {
    this.#looks += 1;
    if (Math.max(Date.now() - this.#since, this.#looks * LOOK_MS) >= this.ms) this.#controller.abort();
  }
}
