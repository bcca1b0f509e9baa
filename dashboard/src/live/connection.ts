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

export function connect(tell: (message: LiveMessage) => void): Connection {
  return typeof SharedWorker === "undefined" ? ownStream(tell) : sharedStream(tell);
}

function sharedStream(tell: (message: LiveMessage) => void): Connection {
  const worker = new SharedWorker(new URL("./shared-stream.ts", import.meta.url), {
    type: "module",
    name: "konveier live",
  });
  worker.port.addEventListener("message", ({ data }: MessageEvent<LiveMessage>) => {
    tell(data);
  });
  worker.port.start();
  const say = (message: TabMessage) => () => {
    worker.port.postMessage(message);
  };
  return { look: say("look"), leave: say("leave"), hurry: say("hurry") };
}

function ownStream(tell: (message: LiveMessage) => void): Connection {
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
