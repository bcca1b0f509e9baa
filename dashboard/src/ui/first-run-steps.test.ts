import { expect, it } from "vitest";
import { stepOf } from "./first-run-steps.js";

it("goes through all steps, and asks for no certain job", () => {
  const waiting = { state: "pending", attempt: 0 } as const;
  const cancelled = { state: "cancelled", attempt: 0 } as const;
  expect(stepOf([])).toBe(0);
  expect(stepOf([waiting])).toBe(1);
  // Nobody worked on it.
  expect(stepOf([cancelled])).toBe(1);
  expect(stepOf([waiting, { state: "running", attempt: 1 }])).toBe(2);
  expect(stepOf([{ state: "scheduled", attempt: 1 }])).toBe(2);
  expect(stepOf([{ state: "completed", attempt: 1 }, waiting])).toBe(3);
  expect(stepOf([{ state: "dead", attempt: 20 }])).toBe(3);
});
