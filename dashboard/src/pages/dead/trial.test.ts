import { describe, expect, it } from "vitest";
import { countOutcomes, isSettled, trialOutcome } from "./trial.js";

describe("a job that was retried on trial", () => {
  it("waits until it is claimed, also where an old answer still says dead", () => {
    expect(trialOutcome(7, { state: "pending", token: 7 })).toBe("waiting");
    expect(trialOutcome(7, { state: "dead", token: 7 })).toBe("waiting");
  });

  it("ends as its new run ends", () => {
    expect(trialOutcome(7, { state: "running", token: 8 })).toBe("running");
    expect(trialOutcome(7, { state: "completed", token: 8 })).toBe("completed");
    expect(trialOutcome(7, { state: "dead", token: 8 })).toBe("dead");
  });

  it("has failed again when it waits for another attempt", () => {
    expect(trialOutcome(7, { state: "scheduled", token: 8 })).toBe("again");
    expect(trialOutcome(7, { state: "pending", token: 8 })).toBe("again");
    expect(isSettled("again")).toBe(true);
  });

  it("may be cancelled or deleted by somebody", () => {
    expect(trialOutcome(7, { state: "cancelled", token: 7 })).toBe("cancelled");
    expect(trialOutcome(7, null)).toBe("gone");
  });

  it("is counted with the others", () => {
    expect([...countOutcomes(["dead", "completed", "dead"])]).toEqual([
      ["dead", 2],
      ["completed", 1],
    ]);
  });
});
