import { describe, expect, it } from "vitest";
import { contains, parseAddress, parseNetwork } from "./network.js";

function isIn(cidr: string, address: string): boolean {
  const parsed = parseAddress(address);
  if (parsed === null) throw new TypeError(`${address} is no address`);
  return contains(parseNetwork(cidr), parsed);
}

describe("parseNetwork", () => {
  it.each([
    ["10.0.0.0/8", "10.255.255.255", true],
    ["10.0.0.0/8", "11.0.0.0", false],
    ["192.168.4.0/22", "192.168.7.255", true],
    ["192.168.4.0/22", "192.168.8.0", false],
    ["127.0.0.1/32", "127.0.0.1", true],
    ["127.0.0.1/32", "127.0.0.2", false],
    ["0.0.0.0/0", "203.0.113.9", true],
    ["0.0.0.0/0", "::1", false],
    ["fd00::/8", "fdff::1", true],
    ["fd00::/8", "fe00::1", false],
    ["::1/128", "::1", true],
    ["::/0", "127.0.0.1", false],
    ["10.0.0.0/8", "::ffff:10.1.2.3", true],
  ])("%s contains %s: %s", (cidr, address, expected) => {
    expect(isIn(cidr, address)).toBe(expected);
  });

  it.each([
    ["", "must be a network such as 10.0.0.0/8 or fd00::/8"],
    ["10.0.0.0", "must be a network such as 10.0.0.0/8 or fd00::/8"],
    ["10/8", "must be a network such as 10.0.0.0/8 or fd00::/8"],
    ["10.0.0.0/", "must be a network such as 10.0.0.0/8 or fd00::/8"],
    ["10.0.0.0/-1", "must be a network such as 10.0.0.0/8 or fd00::/8"],
    ["10.0.0.0/8/8", "must be a network such as 10.0.0.0/8 or fd00::/8"],
    [" 10.0.0.0/8", "must be a network such as 10.0.0.0/8 or fd00::/8"],
    ["0x0a.0.0.0/8", "must be a network such as 10.0.0.0/8 or fd00::/8"],
    ["localhost/8", "must be a network such as 10.0.0.0/8 or fd00::/8"],
    ["fe80::1%eth0/64", "must be a network such as 10.0.0.0/8 or fd00::/8"],
    ["10.0.0.0/33", "must have a prefix of at most 32 bits"],
    ["fd00::/129", "must have a prefix of at most 128 bits"],
    ["10.1.2.3/8", "has bits set after its prefix: write 10.0.0.0/8"],
    ["192.168.5.0/22", "has bits set after its prefix: write 192.168.4.0/22"],
    ["fd00::1/8", "has bits set after its prefix: write fd00::/8"],
    ["::ffff:10.0.0.0/104", "must be written as an IPv4 network"],
  ])("refuses %j", (cidr, problem) => {
    expect(() => parseNetwork(cidr)).toThrow(new RangeError(problem));
  });
});

describe("parseAddress", () => {
  it.each(["", "127.1", "0x7f.0.0.1", "2130706433", "[::1]", "localhost"])("refuses %j", (text) => {
    expect(parseAddress(text)).toBeNull();
  });

  it.each([
    ["::ffff:127.0.0.1", "127.0.0.1"],
    ["::ffff:7f00:1", "127.0.0.1"],
    ["::127.0.0.1", "::7f00:1"],
    ["64:ff9b::8.8.4.1", "64:ff9b::808:401"],
    ["fe80::1.2.3.4%eth0.1", "fe80::102:304"],
    ["FE80::1%eth0", "fe80::1"],
  ])("reads %s as %s", (text, address) => {
    expect(parseAddress(text)?.toString()).toBe(address);
  });
});
