import type { FastifyInstance } from "fastify";

/**
 * Drops requests of clients that have reset their connection before anything was done. Node asks the system for the
 * address of a client when somebody wants to know it, and gets none any more; once it got one, it keeps that. So behind
 * this hook `request.ip` is always there.
 */
export function dropResetConnections(app: FastifyInstance): void {
  app.addHook("onRequest", ({ raw: { socket } }, _reply, done) => {
    if (socket.remoteAddress === undefined) socket.destroy();
    else done();
  });
}
