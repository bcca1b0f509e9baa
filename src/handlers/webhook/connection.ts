import { once } from "node:events";
import { connect as connectTcp, isIP, type LookupFunction, type Socket } from "node:net";
import { addAbortSignal } from "node:stream";
import { connect as connectTls } from "node:tls";
import { addressRefused, guardedLookup, hostOf, refusalWithoutLookup } from "./address-guard.js";
import type { AddressPolicy } from "./address-policy.js";

export interface Route {
  readonly permits: AddressPolicy;
  readonly lookup: LookupFunction;
  /** Certificate authorities to trust instead of Node's, PEM. */
  readonly ca?: string;
}

/**
 * How long one address may take to answer while others of the name are left to try. Node's 250 ms is
 * less than a handshake with another continent that loses a packet.
 */
const NEXT_ADDRESS_AFTER_MS = 1_000;

/**
 * Connects to the host of `url`, with TLS for https, and checks the address reached. The socket belongs
 * to one request: a kept connection would outlive the check that let it be opened.
 *
 * @throws NonRetryableError for an address that is not permitted
 */
export async function openConnection(url: URL, route: Route, signal: AbortSignal): Promise<Socket> {
  const host = hostOf(url);
  const refusal = refusalWithoutLookup(host, route.permits);
  if (refusal !== null) throw refusal;
  const socket = await openTcp(url, host, route, signal);
  return url.protocol === "https:" ? openTls(socket, host, route, signal) : socket;
}

async function openTcp(url: URL, host: string, route: Route, signal: AbortSignal): Promise<Socket> {
  const socket = connectTcp({
    host,
    port: Number(url.port || (url.protocol === "https:" ? 443 : 80)),
    lookup: guardedLookup(route.permits, route.lookup),
    autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_AFTER_MS,
  });
  return whenReady(socket, "connect", signal, () => {
    // The last word on where the bytes go. The connection is made here and not by an http.Agent because
    // the agent's requests write to a socket before it is connected; here nothing, not even the TLS
    // greeting, is written before this check.
    const address = socket.remoteAddress;
    if (address === undefined) throw new Error("the connection was closed as soon as it was made");
    if (!route.permits(address)) throw addressRefused(address, host);
  });
}

function openTls(socket: Socket, host: string, route: Route, signal: AbortSignal): Promise<Socket> {
  const secure = connectTls({
    socket,
    host,
    // An address is no server name, and a name is sent without its final dot (RFC 6066).
    ...(isIP(host) === 0 ? { servername: host.replace(/\.$/, "") } : {}),
    ...(route.ca === undefined ? {} : { ca: route.ca }),
    ALPNProtocols: ["http/1.1"],
    minVersion: "TLSv1.2",
    // Said explicitly, so that NODE_TLS_REJECT_UNAUTHORIZED=0 in the environment does not reach webhooks.
    rejectUnauthorized: true,
  });
  return whenReady(secure, "secureConnect", signal);
}

/** Waits until `socket` is open and checked; closes it when either fails or `signal` aborts. */
async function whenReady(
  socket: Socket,
  event: "connect" | "secureConnect",
  signal: AbortSignal,
  check?: () => void,
): Promise<Socket> {
  // Whoever waits on the socket is told of its errors; without a listener those in between would be thrown.
  socket.on("error", () => undefined);
  addAbortSignal(signal, socket);
  try {
    await once(socket, event, { signal });
    check?.();
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  }
}
