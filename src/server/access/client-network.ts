import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

const IPV6_NETWORK_PARTS = 4;

/**
 * What stands for one client where failures are counted: an IPv4 address, or the /64 network that one IPv6 client has
 * for itself. Some proxies add the port to an address: it is left out.
 */
export function clientNetwork(ip: string): string {
  const bare = isIP(ip) === 0 ? ip.replace(/^\[?([^\]]*?)\]?(?::\d+)?$/, "$1") : ip;
  if (!ipaddr.isValid(bare)) return ip;
  const address = ipaddr.process(bare);
  if (address instanceof ipaddr.IPv6) return `${address.parts.slice(0, IPV6_NETWORK_PARTS).join(":")}::/64`;
  return address.toString();
}
