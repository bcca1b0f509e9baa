import ipaddr from "ipaddr.js";
import { bitsOf, contains, parseAddress, parseNetwork, type Address, type Network } from "./network.js";

/** Whether a webhook may connect to `address`, an IPv4 or IPv6 address as text. False for other text. */
export type AddressPolicy = (address: string) => boolean;

/** The part of IPv6 that is given out for the public internet. The rest is special or not assigned. */
const GLOBAL_UNICAST = parseNetwork("2000::/3");

/**
 * Where clouds serve credentials to whoever asks. One of them is a public address, and the others lie in
 * networks that an operator may want to open as a whole, so only naming the address itself opens it.
 */
const METADATA_SERVICES = [
  "169.254.169.254/32", // AWS, Azure, Google Cloud and most others
  "169.254.170.2/32", // AWS ECS tasks
  "169.254.170.23/32", // AWS EKS pods
  "fd00:ec2::254/128", // AWS
  "fd00:ec2::23/128", // AWS EKS pods
  "fd20:ce::254/128", // Google Cloud
  "168.63.129.16/32", // Azure host agent
  "100.100.100.200/32", // Alibaba Cloud
  "192.0.0.192/32", // Oracle Cloud
].map(parseNetwork);

/** IPv6 networks whose addresses carry an IPv4 address, and the byte where it begins. */
const IPV4_CARRIERS = [
  { network: parseNetwork("::/96"), at: 12 }, // IPv4-compatible
  { network: parseNetwork("::ffff:0:0:0/96"), at: 12 }, // IPv4-translated
  { network: parseNetwork("64:ff9b::/96"), at: 12 }, // NAT64
  { network: parseNetwork("64:ff9b:1::/48"), at: 12 }, // local NAT64, taken as /96
  { network: parseNetwork("2002::/16"), at: 2 }, // 6to4
  { network: parseNetwork("2001::/32"), at: 12, inverted: true }, // Teredo
];

/**
 * Permits public addresses and those in `allowCidrs`. A metadata service is permitted only by an entry
 * for exactly its address, and an IPv6 address that carries an IPv4 one only where both are permitted.
 *
 * @throws RangeError naming the entry of `allowCidrs` that is no network
 */
export function addressPolicy(allowCidrs: readonly string[]): AddressPolicy {
  const allowed = allowCidrs.map(parseEntry);

  const permits = (address: Address): boolean => {
    const entries = allowed.filter((network) => contains(network, address));
    if (METADATA_SERVICES.some((service) => contains(service, address))) {
      return entries.some(({ prefix }) => prefix === bitsOf(address));
    }
    return entries.length > 0 || isPublic(address);
  };

  return (text) => {
    const address = parseAddress(text);
    if (address === null) return false;
    const carried = carriedIPv4(address);
    return permits(address) && (carried === null || permits(carried));
  };
}

function parseEntry(entry: string): Network {
  try {
    return parseNetwork(entry);
  } catch (error) {
    throw new RangeError(`${JSON.stringify(entry)} ${(error as Error).message}`, { cause: error });
  }
}

function isPublic(address: Address): boolean {
  if (address.range() !== "unicast") return false;
  return address.kind() === "ipv4" || contains(GLOBAL_UNICAST, address);
}

function carriedIPv4(address: Address): ipaddr.IPv4 | null {
  const carrier = IPV4_CARRIERS.find(({ network }) => contains(network, address));
  // `::` and `::1` look IPv4-compatible but are addresses of their own.
  if (carrier === undefined || address.range() === "unspecified" || address.range() === "loopback")
    return null;
  const bytes = address.toByteArray().slice(carrier.at, carrier.at + 4);
  return new ipaddr.IPv4(carrier.inverted === true ? bytes.map((byte) => byte ^ 0xff) : bytes);
}
