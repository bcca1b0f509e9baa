import type { Socket } from "node:net";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";

/** Far more than clients send ahead of their answers. One packet has room for a thousand. */
const MAX_UNANSWERED = 64;

export interface Call {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** @param unread the call of which only the headers came, and which is the next to be answered; `null`: none */
export type AfterAnswers = (unread: Call | null) => void;

interface Waiting extends Call {
  readonly begin: () => void;
}

interface Line {
  /** Calls without a whole answer, in their order. The first one is in work. */
  readonly calls: Waiting[];
  /** Nothing more can be read from the connection; what follows the answers. */
  end: AfterAnswers | null;
}

/**
 * Works on the requests of one connection one after another: the next one begins when the answer before it was handed
 * over to the network as a whole. So a client that sends ahead has no more than one answer made for it that it does not
 * read, and everybody else has a turn between two of its requests.
 */
export class RequestLines {
  readonly #lines = new WeakMap<Socket, Line>();

  follow(app: FastifyInstance): void {
    app.addHook("onRequest", (request, reply, done) => {
      this.#enter({ request, reply, begin: done });
    });
    app.onCallEnd((request) => {
      this.#leave(request);
    });
  }

  /**
   * Calls when whatever was read from this connection is answered, of which no more can be read: at once when nobody
   * waits for an answer.
   *
   * @returns whether it is called at once
   */
  afterAnswers(socket: Socket, end: AfterAnswers): boolean {
    const line = this.#lineOf(socket);
    // Each byte that still comes is the same error again.
    if (line.end !== null) return false;
    line.end = end;
    return endIfAnswered(line);
  }

  #enter(call: Waiting): void {
    const { socket } = call.request.raw;
    const { calls } = this.#lineOf(socket);
    calls.push(call);
    if (calls.length > MAX_UNANSWERED) socket.destroy();
    // Those that were read before the end, and that cannot be answered any more, go no further.
    if (calls.length === 1 && isAnswerable(socket)) call.begin();
  }

  #leave(request: FastifyRequest): void {
    const { socket } = request.raw;
    const line = this.#lineOf(socket);
    const { calls } = line;
    if (calls[0]?.request !== request) return;
    calls.shift();
    if (endIfAnswered(line)) return;
    const next = calls.at(0);
    if (next === undefined) return;
    setImmediate(() => {
      if (isAnswerable(socket)) next.begin();
    });
  }

  #lineOf(socket: Socket): Line {
    let line = this.#lines.get(socket);
    if (line === undefined) {
      line = { calls: [], end: null };
      this.#lines.set(socket, line);
    }
    return line;
  }
}

function isAnswerable({ destroyed, writableEnded }: Socket): boolean {
  return !destroyed && !writableEnded;
}

function endIfAnswered({ calls, end }: Line): boolean {
  const [first = null] = calls;
  const isUnread = calls.length === 1 && first?.request.raw.complete === false;
  if (end === null || (first !== null && !isUnread)) return false;
  end(first);
  return true;
}
