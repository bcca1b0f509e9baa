import { request as httpRequest, type IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { OutgoingRequest } from "./outgoing.js";

/** All headers of an answer, in bytes. A larger head breaks the connection. */
const MAX_RESPONSE_HEAD_BYTES = 16 * 1024;

/**
 * Sends one request over `socket`, which is connected already, and waits for the head of the answer.
 * Ends when the socket is destroyed.
 */
export function exchange(
  socket: Socket,
  { method, url, headers, body }: OutgoingRequest,
): Promise<IncomingMessage> {
  // For https the socket does the TLS, so both go through node:http. No agent: neither a pool of
  // connections nor a proxy from the environment comes between.
  const request = httpRequest({
    method,
    path: url.pathname + url.search,
    createConnection: () => socket,
    setHost: false,
    maxHeaderSize: MAX_RESPONSE_HEAD_BYTES,
  });
  for (const [name, value] of headers) request.setHeader(name, value);
  return new Promise((resolve, reject) => {
    request.once("response", resolve);
    // Stays after the head has come: an error without a listener would be thrown.
    request.on("error", reject);
    // Node reports no error when the peer switches protocols unasked.
    request.once("close", () => {
      reject(new Error("the connection was closed without an answer"));
    });
    request.end(body);
  });
}
