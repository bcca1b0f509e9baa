import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { callAt, type Clock } from "../core/clock.js";
import { onSocketClose } from "./socket-end.js";

const UPLOAD_TIMEOUT_MS = 60_000;
/** What is read of a body that nobody wants any more. Clients that send more may miss their answer. */
const MAX_UNWANTED_BYTES = 32 * 1024 * 1024;

/** What Node calls a request that does not come in time. */
class Late extends Error {
  readonly code = "ERR_HTTP_REQUEST_TIMEOUT";
}

/**
 * Bounds the time in which a body comes, from the turn of its request on: while those before it on its connection are in
 * work, nothing of it may be read. Node would count from its headers. Register behind what makes requests wait for their
 * turn.
 */
export function limitUploadTime(
  app: FastifyInstance,
  clock: Clock,
  refuse: (error: Late, socket: Socket) => void,
): void {
  const cancels = new WeakMap<FastifyRequest, () => void>();
  app.addHook("onRequest", (request, _reply, done) => {
    const { raw } = request;
    if (hasBody(raw)) {
      const cancel = callAt(clock, clock.monotonic() + UPLOAD_TIMEOUT_MS, () => {
        if (!raw.complete) refuse(new Late(), raw.socket);
      });
      cancels.set(request, cancel);
    }
    done();
  });
  app.onCallEnd((request) => {
    cancels.get(request)?.();
  });
}

/**
 * Reads on behind an answer that is there before the whole request. On a connection that is closed with something unread
 * the answer is lost, and many clients do not look for one before they have sent everything.
 */
export function readOnBehindAnswers(app: FastifyInstance, clock: Clock): void {
  app.addHook("onSend", ({ raw }, reply, payload, done) => {
    if (!raw.complete) {
      // What is not read to its end would be taken for the next request.
      reply.header("Connection", "close");
      readOn(raw, clock);
    }
    done(null, payload);
  });
}

function readOn(request: IncomingMessage, clock: Clock): void {
  const { socket } = request;
  // Node calls this when it has written the last answer, and would close both directions.
  socket.destroySoon = () => {
    socket.end();
    const close = (): void => {
      socket.destroy();
    };
    onSocketClose(socket, callAt(clock, clock.monotonic() + UPLOAD_TIMEOUT_MS, close));
    const enough = socket.bytesRead + MAX_UNWANTED_BYTES;
    request.on("data", () => {
      if (socket.bytesRead > enough) close();
    });
    request.once("end", close).resume();
  };
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}
