import { expect, it } from "vitest";
import { stepOf, subjectOf } from "./first-run-steps.js";

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

it("tells of a job that is still at the step, and of none that was cancelled", () => {
  const waiting = { id: "3", state: "pending", attempt: 0 } as const;
  const cancelled = { id: "2", state: "cancelled", attempt: 0 } as const;
  const done = { id: "1", state: "completed", attempt: 1 } as const;
  expect(subjectOf([cancelled], 1)).toBeUndefined();
  expect(subjectOf([waiting, cancelled], 1)).toBe(waiting);
  expect(subjectOf([waiting, cancelled, done], 3)).toBe(done);
  expect(subjectOf([waiting], 3)).toBeUndefined();
});
