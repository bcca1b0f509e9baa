import type { EventFilter, EventMessage } from "../../client/events.js";
import { connect } from "../connect.js";
import { EXIT, type ExitCode } from "../exit-codes.js";
import { interruption } from "../interrupt.js";
import type { RemoteFlags } from "../remote-flags.js";

export interface EventFlags extends RemoteFlags {
  readonly topics?: readonly string[];
  readonly queue?: readonly string[];
  readonly job?: readonly string[];
  readonly state?: readonly string[];
  readonly after?: number;
  readonly limit?: number;
}

/** Writes events as lines of JSON until Ctrl-C, or until there were as many as asked for. */
export async function followEvents({ limit, ...flags }: EventFlags): Promise<ExitCode> {
  const { client, output } = connect(flags);
  let last: EventMessage | null = null;
  const signal = interruption(() => (last === null ? "interrupted" : `interrupted after ${idOf(last)}`));
  const onReconnect = (why: unknown): void => {
    output.message(`konveier: ${(why as Error).message}; connecting again`);
  };
  let count = 0;
  for await (const message of client.events.follow(filterOf(flags), { signal, onReconnect })) {
    last = message;
    output.line(message);
    count += 1;
    if (count === limit) break;
  }
  return EXIT.ok;
}

function idOf(message: EventMessage): number {
  return message.type === "reset" ? message.id : message.seq;
}

/** The server checks the words. */
function filterOf({ topics, queue, job, state, after }: EventFlags): EventFilter {
  return {
    ...(topics !== undefined && { topics: [...topics] }),
    ...(queue !== undefined && { queue: [...queue] }),
    ...(job !== undefined && { job: [...job] }),
    ...(state !== undefined && { state: [...state] }),
    ...(after !== undefined && { after: String(after) }),
  } as EventFilter;
}
