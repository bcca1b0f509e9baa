import type { Socket } from "node:net";
import type { FastifyInstance, FastifyRequest } from "fastify";

/** What is smaller lies in the buffers of the system, not here. */
const LARGE_BYTES = 64 * 1024;
const MAX_BYTES = 128 * 1024 * 1024;

/**
 * Bounds the memory of answers that were made and that their clients do not read: when all have too much together, the
 * connection is ended on which one waits the longest.
 */
export function limitUntakenAnswers(app: FastifyInstance, maxBytes = MAX_BYTES): void {
  const untaken = new Map<FastifyRequest, { readonly bytes: number; readonly socket: Socket }>();
  let sum = 0;
  const forget = (request: FastifyRequest): void => {
    sum -= untaken.get(request)?.bytes ?? 0;
    untaken.delete(request);
  };
  app.addHook("onSend", (request, _reply, payload, done) => {
    const bytes = typeof payload === "string" || Buffer.isBuffer(payload) ? payload.length : 0;
    const { socket } = request.raw;
    if (bytes >= LARGE_BYTES && !socket.destroyed) {
      untaken.set(request, { bytes, socket });
      sum += bytes;
      for (const [oldest, { socket: slow }] of untaken) {
        if (sum <= maxBytes) break;
        forget(oldest);
        slow.destroy();
      }
    }
    done(null, payload);
  });
  app.onCallEnd(forget);
}
