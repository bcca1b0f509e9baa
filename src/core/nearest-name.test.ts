import { expect, test } from "vitest";
import { nearestName } from "./nearest-name.js";

const FIELDS = [
  "name",
  "payload",
  "queue",
  "priority",
  "delayMs",
  "runAt",
  "maxAttempts",
  "timeoutMs",
  "tags",
];

test.each([
  ["maxAtempts", "maxAttempts"],
  ["max_attempts", "maxAttempts"],
  ["MAXATTEMPTS", "maxAttempts"],
  ["prioritty", "priority"],
  ["nme", "name"],
  ["tag", "tags"],
  ["runat", "runAt"],
])("%s was meant to be %s", (name, meant) => {
  expect(nearestName(name, FIELDS)).toBe(meant);
});

test.each(["", "x", "retries", "__proto__", "constructor", "name".repeat(100)])(
  "%j is near to nothing",
  (name) => {
    expect(nearestName(name, FIELDS)).toBeNull();
  },
);
