import { describe, expect, it } from "vitest";
import { retryAfterMs } from "./retry-after.js";

const NOW = Date.UTC(2026, 0, 5, 12, 0, 0);

describe("retryAfterMs", () => {
  it.each([
    ["seconds", "120", 120_000],
    ["spaces around", " 3 ", 3_000],
    ["an hour", "3600", 3_600_000],
    ["more than an hour", "3601", 3_600_000],
    ["a number beyond all bounds", "9".repeat(400), 3_600_000],
    ["an HTTP date", "Mon, 05 Jan 2026 12:00:30 GMT", 30_000],
    ["the date of RFC 850", "Monday, 05-Jan-26 12:00:30 GMT", 30_000],
    ["the date of asctime, which is UTC", "Mon Jan  5 12:00:30 2026", 30_000],
    ["a date in more than an hour", "Tue, 06 Jan 2026 12:00:00 GMT", 3_600_000],
  ])("takes %s", (_, header, delayMs) => {
    expect(retryAfterMs(header, NOW)).toBe(delayMs);
  });

  it("rounds up, so that the next attempt is not too early", () => {
    expect(retryAfterMs("Mon, 05 Jan 2026 12:00:30 GMT", NOW + 0.5)).toBe(30_000);
  });

  it.each([
    ["no header", undefined],
    ["an empty one", ""],
    ["zero", "0"],
    ["a negative number", "-5"],
    ["a fraction", "1.5"],
    ["words", "soon"],
    ["hexadecimal", "0x10"],
    ["the present second", "Mon, 05 Jan 2026 12:00:00 GMT"],
    ["a date that has passed", "Sun, 04 Jan 2026 12:00:00 GMT"],
    ["a date that does not exist", "Mon, 99 Jan 2026 12:00:00 GMT"],
    ["a date of another kind", "2030-01-05T12:00:00Z"],
    ["a zone that is not GMT", "Mon, 05 Jan 2026 12:00:30 EST"],
  ])("leaves the backoff alone for %s", (_, header) => {
    expect(retryAfterMs(header, NOW)).toBeNull();
  });
});
