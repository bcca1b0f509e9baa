import { expect, it } from "vitest";
import { expiryIn, queuesOf, statusOf } from "./token-status.js";

const NOW = Date.parse("2026-01-05T09:00:00.000Z");
const BEFORE = "2026-01-05T08:59:59.000Z";
const AFTER = "2026-01-05T09:00:01.000Z";

it.each([
  [null, null, "active"],
  [null, AFTER, "active"],
  [null, BEFORE, "expired"],
  [BEFORE, AFTER, "revoked"],
  [BEFORE, BEFORE, "revoked"],
] as const)("a token revoked at %s that expires at %s is %s", (revokedAt, expiresAt, status) => {
  expect(statusOf({ revokedAt, expiresAt }, NOW)).toBe(status);
});

it("counts the days of a token from now", () => {
  expect(expiryIn(7, NOW)).toBe("2026-01-12T09:00:00.000Z");
  expect(expiryIn(0, NOW)).toBeUndefined();
});

it("reads the queues", () => {
  expect(queuesOf(" emails, images.* ,")).toEqual(["emails", "images.*"]);
  expect(queuesOf("  ")).toBeUndefined();
});
