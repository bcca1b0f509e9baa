import { afterEach, expect, it, vi } from "vitest";
import { serverNow, setServerTime } from "./clock.js";

afterEach(() => {
  vi.useRealTimers();
});

it("goes on by the server's clock when this one is set back", () => {
  vi.useFakeTimers();
  const at = Date.UTC(2026, 0, 5);
  setServerTime(at);
  vi.advanceTimersByTime(5_000);
  expect(serverNow()).toBe(at + 5_000);
  vi.setSystemTime(Date.now() - 3_600_000);
  expect(serverNow()).toBe(at + 5_000);
  vi.advanceTimersByTime(5_000);
  expect(serverNow()).toBe(at + 10_000);
});
