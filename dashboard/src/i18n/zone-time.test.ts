import { expect, it } from "vitest";
import { isZone, zoneNames, zonesLike, zoneTime } from "./zone-time.js";

it("tells the two times of a repeated hour apart", () => {
  const berlin = zoneTime("ru", "Europe/Berlin");
  const first = Date.parse("2026-10-25T00:30:00Z");
  const second = Date.parse("2026-10-25T01:30:00Z");
  expect(berlin?.wall(first)).toBe(berlin?.wall(second));
  expect(berlin?.full(first)).toContain("02:30 GMT+2");
  expect(berlin?.full(second)).toContain("02:30 GMT+1");
});

it("shows seconds only where there are some", () => {
  expect(zoneTime("en", "UTC")?.full(Date.parse("2026-01-05T09:00:00Z"))).toBe("Mon, 5 Jan 2026, 09:00 UTC");
  expect(zoneTime("en", "UTC")?.full(Date.parse("2026-01-05T09:00:05Z"))).toBe(
    "Mon, 5 Jan 2026, 09:00:05 UTC",
  );
});

it("leaves the year out where it goes without saying", () => {
  const brief = zoneTime("en", "UTC")?.brief;
  expect(brief?.(Date.parse("2026-01-05T09:00:00Z"))).toBe("Mon 5 Jan, 09:00 UTC");
  expect(brief?.(Date.parse("2026-01-05T09:00:05Z"))).toBe("Mon 5 Jan, 09:00:05 UTC");
});

it("does not fail over a zone that it does not know", () => {
  expect(zoneTime("en", "Mars/Olympus")).toBeNull();
  expect(isZone("Mars/Olympus")).toBe(false);
  expect(isZone("")).toBe(false);
  expect(isZone("Asia/Singapore")).toBe(true);
  expect(zoneNames()).toContain("UTC");
});

it("suggests the zones of a city", () => {
  expect(zonesLike("Moscow")).toEqual(["Europe/Moscow"]);
  expect(zonesLike(" new york ")[0]).toBe("America/New_York");
  expect(zonesLike("Par")).toContain("Europe/Paris");
  expect(zonesLike("Atlantis")).toEqual([]);
  expect(zonesLike("")).toEqual([]);
});
