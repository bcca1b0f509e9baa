/**
 * Runs as a shared worker: one stream for all tabs of the browser. Over HTTP/1.1 a browser opens six connections to a
 * host, and with one stream a tab the seventh tab would not load.
 */
import type { LiveMessage, Snapshot } from "./frames.js";
import { LiveStream } from "./stream.js";

/** What a tab says: that it looks, that it looks away, that the stream should not wait any longer. */
export type TabMessage = "look" | "leave" | "hurry";

const looking = new Set<MessagePort>();
/** For tabs that come later: the queues as they are now. */
let known: Snapshot | null = null;

const stream = new LiveStream(new URL("v1/live", baseOf(location.href)).href, (message) => {
  remember(message);
  for (const port of looking) port.postMessage(message);
});

addEventListener("connect", (event) => {
  const [port] = (event as MessageEvent).ports;
  if (port === undefined) return;
  port.addEventListener("message", ({ data }: MessageEvent<TabMessage>) => {
    if (data === "look") look(port);
    else if (data === "leave") leave(port);
    else stream.hurry();
  });
  port.start();
});

function look(port: MessagePort): void {
  looking.add(port);
  port.postMessage({ type: "status", status: stream.status } satisfies LiveMessage);
  if (known !== null) port.postMessage({ type: "snapshot", data: known } satisfies LiveMessage);
  stream.start();
}

function leave(port: MessagePort): void {
  looking.delete(port);
  if (looking.size > 0) return;
  stream.stop();
  known = null;
}

function remember(message: LiveMessage): void {
  if (message.type === "snapshot") known = message.data;
  if (message.type !== "change" || known === null) return;
  const { at, queues, gone } = message.data;
  const changed = new Map([...known.queues, ...queues].map((queue) => [queue.name, queue]));
  for (const name of gone) changed.delete(name);
  known = { ...known, at, queues: [...changed.values()] };
}

/** This script lies in the folder `assets`. */
function baseOf(href: string): URL {
  return new URL("..", href);
}
