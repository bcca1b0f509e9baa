import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";

const ACCEPTABLE = /^[A-Za-z0-9._-]{1,64}$/;

/** The id that a proxy gave the request, when it is harmless to repeat it; else a new one. */
export function requestIdOf({ headers }: Pick<IncomingMessage, "headers">): string {
  const given = headers["x-request-id"];
  return typeof given === "string" && ACCEPTABLE.test(given) ? given : randomUUID();
}
