import type { LiveMessage } from "./frames.js";
import type { TabMessage } from "./shared-stream.js";
import { LiveStream } from "./stream.js";

/** How a tab listens to the stream: together with the browser's other tabs, or by itself. */
export interface Connection {
  look(): void;
  leave(): void;
  /** Do not wait any longer before connecting again. */
  hurry(): void;
}

/** The script of the shared worker is asked for again after these pauses; after that a tab goes on without. */
const PAUSES_MS = [1_000, 2_000, 4_000];

/**
 * A shared worker answers a look at once. One that does not is taken for one whose script could not be had: a browser may
 * join a page to it all the same, and say nothing.
 */
const ANSWER_MS = 3_000;

type Tell = (message: LiveMessage) => void;

export function connect(tell: Tell): Connection {
  return new LastingConnection(tell);
}

/** Together with the other tabs where that can be had, and by itself where not. */
class LastingConnection implements Connection {
  #via: Connection;
  #looks = false;
  #failures = 0;

  constructor(private readonly tell: Tell) {
    this.#via = this.#open();
  }

  look(): void {
    this.#looks = true;
    this.#via.look();
  }

  leave(): void {
    this.#looks = false;
    this.#via.leave();
  }

  hurry(): void {
    this.#via.hurry();
  }

  #open(): Connection {
    if (this.#failures > PAUSES_MS.length) return ownStream(this.tell);
    try {
      return sharedStream(this.tell, () => {
        this.#again();
      });
    } catch {
      // The browser has none, or forbids them here.
      return ownStream(this.tell);
    }
  }

  /** The script could not be had, such as during a deploy. */
  #again(): void {
    const pause = PAUSES_MS[this.#failures] ?? 0;
    this.#failures += 1;
    setTimeout(() => {
      this.#via = this.#open();
      if (this.#looks) this.#via.look();
    }, pause);
  }
}

function sharedStream(tell: Tell, onFailure: () => void): Connection {
  const worker = new SharedWorker(new URL("./shared-stream.ts", import.meta.url), {
    type: "module",
    name: "konveier live",
  });
  let failed = false;
  let patience: ReturnType<typeof setTimeout> | undefined;
  const fail = () => {
    if (failed) return;
    failed = true;
    clearTimeout(patience);
    onFailure();
  };
  worker.port.addEventListener("message", ({ data }: MessageEvent<LiveMessage>) => {
    clearTimeout(patience);
    if (!failed) tell(data);
  });
  worker.addEventListener("error", fail);
  worker.port.start();
  const say = (message: TabMessage) => {
    worker.port.postMessage(message);
  };
  return {
    look: () => {
      clearTimeout(patience);
      patience = setTimeout(fail, ANSWER_MS);
      say("look");
    },
    leave: () => {
      clearTimeout(patience);
      say("leave");
    },
    hurry: () => {
      say("hurry");
    },
  };
}

function ownStream(tell: Tell): Connection {
  const stream = new LiveStream(new URL("v1/live", document.baseURI).href, tell);
  return {
    look: () => {
      stream.start();
    },
    leave: () => {
      stream.stop();
    },
    hurry: () => {
      stream.hurry();
    },
  };
}
