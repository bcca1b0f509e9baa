import type { Socket } from "node:net";
import type { FastifyInstance, FastifyReply, FastifyRequest, HookHandlerDoneFunction } from "fastify";

/** Far more than clients send ahead of their answers. One packet has room for a thousand. */
const MAX_UNANSWERED = 64;

/**
 * Ends a connection on which requests are sent far ahead of their answers: all that arrive at once are begun at once,
 * and everybody else would wait for them.
 */
export function limitPipelining(app: FastifyInstance): void {
  const unanswered = new WeakMap<Socket, number>();
  app.addHook(
    "onRequest",
    ({ raw: { socket } }: FastifyRequest, _reply: FastifyReply, done: HookHandlerDoneFunction) => {
      const count = (unanswered.get(socket) ?? 0) + 1;
      unanswered.set(socket, count);
      if (count > MAX_UNANSWERED) socket.destroy();
      // Those that were read before the end, and that nobody waits for, go no further.
      if (!socket.destroyed) done();
    },
  );
  app.onCallEnd(({ raw: { socket } }) => {
    unanswered.set(socket, (unanswered.get(socket) ?? 1) - 1);
  });
}
