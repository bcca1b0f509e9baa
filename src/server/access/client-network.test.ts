import { expect, test } from "vitest";
import { clientNetwork } from "./client-network.js";

test.each([
  ["7.7.7.7", "7.7.7.7:1", "7.7.7.7:65535", "::ffff:7.7.7.7"],
  ["2001:db8:1:2::1", "2001:db8:1:2:ffff::9", "[2001:db8:1:2::1]:443", "2001:DB8:1:2::abcd"],
])("%s and %s are one client", (...same) => {
  expect(new Set(same.map(clientNetwork)).size).toBe(1);
});

test("other networks and what is no address stay apart", () => {
  const others = ["7.7.7.8", "2001:db8:1:3::1", "2001:db8:1:2::1", "unknown", ""];
  expect(new Set(others.map(clientNetwork)).size).toBe(others.length);
});
