import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

export type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** All addresses that share their first `prefix` bits with `address`. */
export interface Network {
  readonly address: Address;
  readonly prefix: number;
}

const DOTTED_TAIL = /(?<=:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/;
const CIDR = /^([^/]+)\/(\d{1,3})$/;

/**
 * Parses a network such as `10.0.0.0/8` or `fd00::/8`.
 *
 * @throws RangeError saying what is wrong with the text
 */
export function parseNetwork(cidr: string): Network {
  const [, text = "", bits = ""] = CIDR.exec(cidr) ?? [];
  // ipaddr.js also takes "10/8", as 0.0.0.10/8: a typo would open another network than the one meant.
  if (isIP(text) === 0 || text.includes("%")) {
    throw new RangeError("must be a network such as 10.0.0.0/8 or fd00::/8");
  }
  const address = read(text);
  const prefix = Number(bits);
  if (prefix > bitsOf(address)) throw new RangeError(`must have a prefix of at most ${bitsOf(address)} bits`);
  if (address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress()) {
    throw new RangeError("must be written as an IPv4 network");
  }
  const first = firstAddress(address, prefix);
  if (first.toString() !== address.toString()) {
    throw new RangeError(`has bits set after its prefix: write ${first.toString()}/${prefix}`);
  }
  return { address, prefix };
}

/** The address that text stands for, an IPv4-mapped one as IPv4; `null` when it is none. */
export function parseAddress(text: string): Address | null {
  if (isIP(text) === 0) return null;
  const address = read(text);
  // The system connects to ::ffff:127.0.0.1 over IPv4.
  return address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() ? address.toIPv4Address() : address;
}

/** Reads what `isIP` takes. Which interface an address belongs to (`%eth0`) changes nothing. */
function read(text: string): Address {
  const [address = ""] = text.split("%");
  // ipaddr.js takes ::8.8.8.8 for ::ffff:8.8.8.8, another address, so it gets no dotted tail to read.
  return ipaddr.parse(
    address.replace(DOTTED_TAIL, (_, ...octets: string[]) => hexGroups(octets.slice(0, 4))),
  );
}

function hexGroups(octets: readonly string[]): string {
  return Buffer.from(octets.map(Number)).toString("hex").replace(/^.{4}/, "$&:");
}

export function contains({ address, prefix }: Network, other: Address): boolean {
  return address.kind() === other.kind() && other.match(address, prefix);
}

export function bitsOf(address: Address): 32 | 128 {
  return address.kind() === "ipv4" ? 32 : 128;
}

function firstAddress(address: Address, prefix: number): Address {
  const bytes = address.toByteArray().map((byte, index) => {
    const kept = Math.min(Math.max(prefix - index * 8, 0), 8);
    return byte & (0xff << (8 - kept));
  });
  return ipaddr.fromByteArray(bytes);
}
