/** A server with all its background loops that tells what it holds in memory, and what was wrong with its answers. */
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { pino } from "pino";
import { createContext } from "../../../src/engine/context.js";
import { Background } from "../../../src/engine/loops/background.js";
import { openStore } from "../../../src/open-store.js";
import { createServer } from "../../../src/server/index.js";
import { holdToContract } from "../../support/answer-contract.js";
import { input, leave, onCommand, tell } from "../../processes/programs/parent.js";

export interface WatchedServerInput {
  readonly file: string;
  readonly apiToken: string;
}

export type WatchedServerMessage =
  | { readonly type: "ready"; readonly url: string }
  | {
      readonly type: "measured";
      readonly number: number;
      /** Of the heap after a garbage collection, and of the process. */
      readonly heapBytes: number;
      readonly rssBytes: number;
      readonly peakRssBytes: number;
      readonly resources: number;
      /** The longest time since the last measure in which the event loop did not turn. */
      readonly longestBlockMs: number;
    }
  | {
      readonly type: "stopped";
      readonly faults: readonly string[];
      readonly errors: readonly string[];
      /** What still keeps the process, such as timers and sockets. */
      readonly resources: readonly string[];
    };

export type WatchedServerCommand =
  { readonly type: "measure"; readonly number: number } | { readonly type: "stop" };

const { file, apiToken } = input() as WatchedServerInput;
setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

const blocks = monitorEventLoopDelay({ resolution: 5 });
blocks.enable();

const errors: string[] = [];
const logger = pino(
  { level: "error" },
  {
    write: (line: string) => {
      if (errors.length < 20) errors.push(line);
    },
  },
);
// Nothing here is about losing power.
const store = await openStore(`sqlite:${file}`, { synchronous: "normal" });
const context = createContext(store);
const server = await createServer({ context, apiToken, logger, dashboard: false });
const faults = holdToContract(server.app);
const background = new Background(context);
const url = await server.listen({ host: "127.0.0.1", port: 0 });
background.start();
onCommand((command) => {
  const asked = command as WatchedServerCommand;
  if (asked.type === "measure") measure(asked.number);
  else stop().catch(fail);
});
tell({ type: "ready", url } satisfies WatchedServerMessage);

function measure(number: number): void {
  const longestBlockMs = blocks.max / 1e6;
  collectGarbage();
  tell({
    type: "measured",
    number,
    heapBytes: process.memoryUsage().heapUsed,
    rssBytes: process.memoryUsage.rss(),
    peakRssBytes: process.resourceUsage().maxRSS * 1024,
    resources: process.getActiveResourcesInfo().length,
    longestBlockMs: Math.round(longestBlockMs),
  } satisfies WatchedServerMessage);
  blocks.reset();
}

async function stop(): Promise<void> {
  server.drain();
  await background.stop();
  await server.close();
  await store.close();
  blocks.disable();
  // Node forgets what was closed after a turn of its event loop.
  await setImmediate();
  const resources = process.getActiveResourcesInfo();
  tell({ type: "stopped", faults: faults.slice(0, 20), errors, resources } satisfies WatchedServerMessage);
  leave();
}

function fail(error: unknown): void {
  console.error(error);
  process.exit(1);
}
