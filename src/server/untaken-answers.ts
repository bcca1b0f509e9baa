import type { Socket } from "node:net";
import type { FastifyInstance, FastifyRequest } from "fastify";

/** What is smaller lies in the buffers of the system, not here. */
const LARGE_BYTES = 64 * 1024;
const MAX_BYTES = 128 * 1024 * 1024;

interface Untaken {
  readonly answer: Buffer;
  readonly socket: Socket;
}

/**
 * Bounds the memory of answers that were made and that their clients do not read: when all have too much together, the
 * connection is ended on which one waits the longest. Large answers wait as bytes, as a text may take two for each
 * character here and three in the socket. One that is made for many is there once.
 */
export function limitUntakenAnswers(app: FastifyInstance, maxBytes = MAX_BYTES): void {
  const untaken = new Map<FastifyRequest, Untaken>();
  const waitingFor = new Map<Buffer, number>();
  let sum = 0;
  const hold = (request: FastifyRequest, answer: Buffer): void => {
    untaken.set(request, { answer, socket: request.raw.socket });
    const others = waitingFor.get(answer) ?? 0;
    waitingFor.set(answer, others + 1);
    if (others === 0) sum += answer.length;
  };
  const forget = (request: FastifyRequest): void => {
    const answer = untaken.get(request)?.answer;
    if (answer === undefined) return;
    untaken.delete(request);
    const others = (waitingFor.get(answer) ?? 0) - 1;
    if (others > 0) {
      waitingFor.set(answer, others);
      return;
    }
    waitingFor.delete(answer);
    sum -= answer.length;
  };
  app.addHook("onSend", (request, _reply, payload, done) => {
    const answer = largeAnswer(payload);
    if (answer !== null && !request.raw.socket.destroyed) {
      hold(request, answer);
      for (const [oldest, { socket: slow }] of untaken) {
        if (sum <= maxBytes) break;
        forget(oldest);
        slow.destroy();
      }
    }
    done(null, answer ?? payload);
  });
  app.onCallEnd(forget);
}

function largeAnswer(payload: unknown): Buffer | null {
  if (typeof payload === "string" && Buffer.byteLength(payload) >= LARGE_BYTES) return Buffer.from(payload);
  return Buffer.isBuffer(payload) && payload.length >= LARGE_BYTES ? payload : null;
}
