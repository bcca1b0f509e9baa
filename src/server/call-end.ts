import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { onSocketClose, tookAnswer } from "./socket-end.js";

/** @param isDelivered whether the answer was handed over to the network as a whole */
export type CallEndListener = (request: FastifyRequest, reply: FastifyReply, isDelivered: boolean) => void;

declare module "fastify" {
  interface FastifyInstance {
    /** Calls at the end of every call, once: when its answer was handed over, or its client has gone. */
    onCallEnd: (listener: CallEndListener) => void;
  }
  interface FastifyRequest {
    callEnd: CallEnd | null;
  }
}

/**
 * Adds `onCallEnd`. Fastify's own hook says nothing of an answer whose client has gone, although the call did what it
 * does.
 */
export function followCallEnds(app: FastifyInstance): void {
  const listeners: CallEndListener[] = [];
  app.decorate("onCallEnd", (listener: CallEndListener) => {
    listeners.push(listener);
  });
  app.decorateRequest("callEnd", null);
  app.addHook("onRequest", (request, reply, done) => {
    request.callEnd = new CallEnd(request, reply, listeners);
    done();
  });
  app.addHook("onSend", (request, _reply, payload, done) => {
    request.callEnd?.decided();
    done(null, payload);
  });
}

class CallEnd {
  readonly #unfollow;
  #isDecided = false;
  #isOver = false;

  constructor(
    private readonly request: FastifyRequest,
    private readonly reply: FastifyReply,
    private readonly listeners: readonly CallEndListener[],
  ) {
    const { socket } = request.raw;
    // The socket's event and not the response's: of a pipelined request the response may not have a socket yet.
    this.#unfollow = onSocketClose(socket, () => {
      // Otherwise the call is still at work, and how it ends is told when that is known.
      if (this.#isDecided || reply.sent) this.#end(false);
    });
    reply.raw.once("finish", () => {
      this.#end(tookAnswer(socket));
    });
  }

  /** The status of the answer is known. */
  decided(): void {
    this.#isDecided = true;
    if (this.request.raw.socket.destroyed) this.#end(false);
  }

  #end(isDelivered: boolean): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#unfollow();
    for (const listener of this.listeners) listener(this.request, this.reply, isDelivered);
  }
}
