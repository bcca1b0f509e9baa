import { expect, test } from "vitest";
import { messageParts } from "./newest-job.js";

test("what differs in the message of a group is told apart from what its jobs share", () => {
  expect(messageParts("<n> authentication failed for session <n>")).toEqual([
    "",
    "<n>",
    " authentication failed for session ",
    "<n>",
    "",
  ]);
  expect(messageParts("a < b and <B>")).toEqual(["a < b and <B>"]);
});
