import { expect, it } from "vitest";
import { bulkOf, targetPath } from "./audit-target.js";

it.each([
  ["retryJob", "7", "/jobs/7"],
  ["runJobNow", "7", "/jobs/7"],
  ["retryFlow", "7", "/flows/7"],
  ["pauseQueue", "a b", "/queues/a%20b"],
  ["putSchedule", "nightly", "/schedules/nightly"],
  ["deleteSchedule", "nightly", null],
  ["deleteJob", "7", null],
  ["revokeToken", "tok_1", null],
])("%s of %s has its page at %s", (action, target, path) => {
  expect(targetPath(action, target)).toBe(path);
});

it("tells the action of a bulk operation from its jobs", () => {
  expect(bulkOf("retry · state:dead · after the fix")).toEqual({
    action: "retry",
    jobs: "state:dead · after the fix",
  });
  expect(bulkOf("shop: producer")).toBeNull();
  expect(bulkOf(null)).toBeNull();
});
