import { describe, expect, it } from "vitest";
import { countOutcomes, isFinal, isSettled, outcomeOf, type Outcome } from "./outcome.js";

describe("a job that was retried on trial", () => {
  it("waits until it is claimed, also where an old answer still says dead", () => {
    expect(outcomeOf(7, { state: "pending", token: 7 })).toBe("waiting");
    expect(outcomeOf(7, { state: "dead", token: 7 })).toBe("waiting");
  });

  it("ends as its new run ends", () => {
    expect(outcomeOf(7, { state: "running", token: 8 })).toBe("running");
    expect(outcomeOf(7, { state: "completed", token: 8 })).toBe("completed");
    expect(outcomeOf(7, { state: "dead", token: 8 })).toBe("dead");
  });

  it("has failed again when it waits for another attempt", () => {
    expect(outcomeOf(7, { state: "scheduled", token: 8 })).toBe("again");
    expect(outcomeOf(7, { state: "pending", token: 8 })).toBe("again");
    expect(isSettled("again")).toBe(true);
  });

  it("goes on for as long as something can become of it by itself", () => {
    expect(["waiting", "running", "again"].map((outcome) => isFinal(outcome as Outcome))).toEqual([
      false,
      false,
      false,
    ]);
    expect(isFinal("dead") && isFinal("completed") && isFinal("gone")).toBe(true);
  });

  it("was left out by a retry that is over, when it is still as it was", () => {
    expect(outcomeOf(7, { state: "dead", token: 7 }, true)).toBe("untouched");
    expect(outcomeOf(7, { state: "dead", token: 8 }, true)).toBe("dead");
    expect(outcomeOf(7, { state: "pending", token: 7 }, true)).toBe("waiting");
  });

  it("may be cancelled or deleted by somebody", () => {
    expect(outcomeOf(7, { state: "cancelled", token: 7 })).toBe("cancelled");
    expect(outcomeOf(7, null)).toBe("gone");
  });

  it("is counted with the others", () => {
    expect([...countOutcomes(["dead", "completed", "dead"])]).toEqual([
      ["dead", 2],
      ["completed", 1],
    ]);
  });
});
