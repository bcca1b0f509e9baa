import { expect, it } from "vitest";
import { targetPath } from "./audit-target.js";

it.each([
  ["retryJob", "7", "/jobs/7"],
  ["runJobNow", "7", "/jobs/7"],
  ["pauseQueue", "a b", "/queues/a%20b"],
  ["putSchedule", "nightly", "/schedules/nightly"],
  ["deleteSchedule", "nightly", null],
  ["deleteJob", "7", null],
  ["revokeToken", "tok_1", null],
])("%s of %s has its page at %s", (action, target, path) => {
  expect(targetPath(action, target)).toBe(path);
});
