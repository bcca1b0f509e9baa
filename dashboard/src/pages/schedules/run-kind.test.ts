import { expect, it } from "vitest";
import { countKinds, kindOf } from "./run-kind.js";
import { statusOf } from "./status.js";

it.each([
  ["enqueued", "completed", "ok"],
  ["enqueued", "dead", "failed"],
  ["enqueued", "running", "underway"],
  ["enqueued", "scheduled", "underway"],
  ["enqueued", "cancelled", "cancelled"],
  ["enqueued", null, "removed"],
  ["waiting", null, "waiting"],
  ["skipped", null, "skipped"],
  ["missed", null, "missed"],
] as const)("a run that is %s with a job that is %s is %s", (outcome, jobState, kind) => {
  expect(kindOf({ outcome, jobState })).toBe(kind);
});

it("counts what there is", () => {
  const ok = { outcome: "enqueued", jobState: "completed" } as const;
  expect(countKinds([ok, { outcome: "missed", jobState: null }, ok])).toEqual([
    { kind: "ok", count: 2 },
    { kind: "missed", count: 1 },
  ]);
});

it("says what a schedule does", () => {
  const at = "2026-01-05T09:00:00.000Z";
  expect(statusOf({ pausedAt: null, problem: null, nextRunAt: at })).toBe("active");
  expect(statusOf({ pausedAt: null, problem: null, nextRunAt: null })).toBe("ended");
  expect(statusOf({ pausedAt: at, problem: null, nextRunAt: null })).toBe("paused");
  expect(statusOf({ pausedAt: null, problem: "unknown zone", nextRunAt: null })).toBe("stopped");
});
