import { describe, expect, it } from "vitest";
import { addressPolicy } from "./address-policy.js";

const permitsByDefault = addressPolicy([]);

describe("addressPolicy without allowed networks", () => {
  it.each([
    "1.1.1.1",
    "8.8.8.8",
    "100.63.255.255",
    "100.128.0.0",
    "172.15.255.255",
    "172.32.0.0",
    "223.255.255.255",
  ])("permits %s", (address) => {
    expect(permitsByDefault(address)).toBe(true);
  });

  it.each(["2606:4700:4700::1111", "2a00:1450:4001:81b::200e", "::ffff:1.1.1.1"])("permits %s", (address) => {
    expect(permitsByDefault(address)).toBe(true);
  });

  it.each([
    ["this network", "0.0.0.0", "0.255.255.255"],
    ["private", "10.0.0.0", "10.255.255.255"],
    ["carrier-grade NAT", "100.64.0.0", "100.127.255.255"],
    ["loopback", "127.0.0.0", "127.255.255.255"],
    ["link-local", "169.254.0.0", "169.254.255.255"],
    ["private", "172.16.0.0", "172.31.255.255"],
    ["protocol assignments", "192.0.0.0", "192.0.0.255"],
    ["documentation", "192.0.2.0", "192.0.2.255"],
    ["6to4 relays", "192.88.99.0", "192.88.99.255"],
    ["private", "192.168.0.0", "192.168.255.255"],
    ["benchmarks", "198.18.0.0", "198.19.255.255"],
    ["documentation", "198.51.100.0", "198.51.100.255"],
    ["documentation", "203.0.113.0", "203.0.113.255"],
    ["multicast", "224.0.0.0", "239.255.255.255"],
    ["reserved", "240.0.0.0", "255.255.255.254"],
    ["broadcast", "255.255.255.255", "255.255.255.255"],
    ["unspecified", "::", "::"],
    ["loopback", "::1", "::1"],
    ["IPv4-compatible", "::127.0.0.1", "::8.8.8.8"],
    ["IPv4-mapped", "::ffff:127.0.0.1", "::ffff:10.0.0.1"],
    ["IPv4-translated", "::ffff:0:127.0.0.1", "::ffff:0:8.8.8.8"],
    ["NAT64", "64:ff9b::127.0.0.1", "64:ff9b::8.8.8.8"],
    ["local NAT64", "64:ff9b:1::", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff"],
    ["discard", "100::", "100::ffff:ffff:ffff:ffff"],
    ["not assigned", "200::1", "1fff:ffff::1"],
    ["Teredo", "2001::", "2001:0:ffff:ffff:ffff:ffff:ffff:ffff"],
    ["protocol assignments", "2001:1::1", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff"],
    ["benchmarks", "2001:2::", "2001:2:0:ffff:ffff:ffff:ffff:ffff"],
    ["documentation", "2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff"],
    ["6to4", "2002:7f00:1::", "2002:808:808::1"],
    ["documentation", "3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff"],
    ["not assigned", "4000::1", "fbff:ffff::1"],
    ["segment routing", "5f00::", "5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
    ["unique local", "fc00::", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
    ["link-local", "fe80::", "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
    ["link-local with a zone", "fe80::1%eth0", "fe80::1%2"],
    ["site-local", "fec0::", "feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
    ["multicast", "ff00::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
  ])("refuses %s, %s to %s", (_, first, last) => {
    expect([first, last].filter(permitsByDefault)).toEqual([]);
  });

  it.each([
    "169.254.169.254",
    "168.63.129.16",
    "100.100.100.200",
    "192.0.0.192",
    "fd00:ec2::254",
    "fd20:ce::254",
  ])("refuses the metadata service %s", (address) => {
    expect(permitsByDefault(address)).toBe(false);
  });

  it.each(["", "localhost", "1.1", "0x01010101", "1.1.1.1:80", "[2606:4700:4700::1111]"])(
    "refuses %j, which is no address",
    (text) => {
      expect(permitsByDefault(text)).toBe(false);
    },
  );
});

describe("addressPolicy with allowed networks", () => {
  it.each([
    ["10.1.0.0/16", "10.1.255.255", "10.2.0.0"],
    ["127.0.0.1/32", "127.0.0.1", "127.0.0.2"],
    ["127.0.0.0/8", "::ffff:127.0.0.1", "::1"],
    ["::1/128", "::1", "127.0.0.1"],
    ["fd12:3456::/32", "fd12:3456::1", "fd12:3457::1"],
  ])("%s opens %s and not %s", (cidr, permitted, refused) => {
    const permits = addressPolicy([cidr]);
    expect([permitted, refused].filter(permits)).toEqual([permitted]);
  });

  it("takes several networks, and public addresses stay permitted", () => {
    const permits = addressPolicy(["10.0.0.0/8", "fd00::/8"]);
    expect(["10.0.0.1", "fd00::1", "1.1.1.1"].every(permits)).toBe(true);
  });

  it.each([
    ["169.254.169.254", "169.254.169.254/32"],
    ["168.63.129.16", "168.63.129.16/32"],
    ["100.100.100.200", "100.100.100.200/32"],
    ["fd00:ec2::254", "fd00:ec2::254/128"],
  ])("opens the metadata service %s only by %s", (service, exact) => {
    const broad = [
      "0.0.0.0/0",
      "169.254.169.254/31",
      "100.64.0.0/10",
      "::/0",
      "fd00:ec2::/32",
      "fd00:ec2::254/127",
    ];
    expect(addressPolicy(broad)(service)).toBe(false);
    expect(addressPolicy([exact])(service)).toBe(true);
    expect(addressPolicy([...broad, exact])(service)).toBe(true);
  });

  it("does not open the metadata service by its mapped spelling", () => {
    expect(addressPolicy(["0.0.0.0/0", "::/0"])("::ffff:169.254.169.254")).toBe(false);
  });

  it.each([
    ["NAT64", "64:ff9b::/96", "64:ff9b::808:808", "64:ff9b::a9fe:a9fe", "64:ff9b::a00:1"],
    ["local NAT64", "64:ff9b:1::/96", "64:ff9b:1::808:808", "64:ff9b:1::a9fe:a9fe", "64:ff9b:1::a00:1"],
    ["6to4", "2002::/16", "2002:808:808::1", "2002:a9fe:a9fe::1", "2002:a00:1::1"],
    ["Teredo", "2001::/32", "2001::f7f7:f7f7", "2001::5601:5601", "2001::f5ff:fffe"],
    ["IPv4-compatible", "::/96", "::808:808", "::a9fe:a9fe", "::a00:1"],
    ["IPv4-translated", "::ffff:0:0:0/96", "::ffff:0:808:808", "::ffff:0:a9fe:a9fe", "::ffff:0:a00:1"],
  ])("through an open %s network leads only to permitted IPv4 addresses", (_, cidr, open, metadata, ten) => {
    expect([open, metadata, ten].filter(addressPolicy([cidr]))).toEqual([open]);
    expect([open, metadata, ten].filter(addressPolicy([cidr, "0.0.0.0/0"]))).toEqual([open, ten]);
  });

  it("names the entry that is no network", () => {
    expect(() => addressPolicy(["10.0.0.0/8", "10.0.0.1"])).toThrow(
      new RangeError('"10.0.0.1" must be a network such as 10.0.0.0/8 or fd00::/8'),
    );
  });
});
