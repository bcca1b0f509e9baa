import { describe, expect, test } from "vitest";
import { EventLog } from "../../test/support/event-log.js";
import { MAX_BACKOFF_MS } from "../core/backoff.js";
import { Events } from "../core/events.js";
import { failure, type FailedClaim } from "./fail.js";

const FAILED = { outcome: "failed", error: { type: "Error", message: "boom", stack: null } } as const;

function setUp() {
  const events = new Events();
  const backoffFunctions = new Map<string, (input: { failures: number }) => number>();
  const context = { random: () => 0, events, backoffFunctions };
  const claim: FailedClaim = {
    id: "1",
    token: 1,
    name: "work",
    attempt: 1,
    maxAttempts: 3,
    failures: 0,
    backoff: { type: "fixed", delayMs: 100 },
  };
  return { context, claim, log: new EventLog(events), backoffFunctions };
}

describe("failure", () => {
  test("RTY-04 there is another attempt as long as the budget lasts", () => {
    const { context, claim } = setUp();
    const verbs = [1, 2, 3, 4].map((attempt) => failure(context, { ...claim, attempt }, FAILED).verb);
    expect(verbs).toEqual(["retry", "retry", "bury", "bury"]);
    expect(failure(context, { ...claim, maxAttempts: 1 }, FAILED).verb).toBe("bury");
  });

  test("a wish of never buries, a wished delay replaces the backoff but not the budget", () => {
    const { context, claim } = setUp();
    expect(failure(context, claim, FAILED, "never").verb).toBe("bury");
    expect(failure(context, claim, FAILED, { delayMs: 7 })).toMatchObject({ verb: "retry", delayMs: 7 });
    expect(failure(context, { ...claim, attempt: 3 }, FAILED, { delayMs: 7 }).verb).toBe("bury");
    expect(failure(context, claim, FAILED, { delayMs: 1e300 })).toMatchObject({ delayMs: MAX_BACKOFF_MS });
  });

  test("a function of the job name decides before the stored policy", () => {
    const { context, claim, backoffFunctions } = setUp();
    backoffFunctions.set("work", ({ failures }) => failures * 10.4);
    backoffFunctions.set("other", () => 1);
    expect(failure(context, { ...claim, failures: 1 }, FAILED)).toMatchObject({ delayMs: 21 });
  });

  test.each([
    [-5, 0],
    [Infinity, MAX_BACKOFF_MS],
  ])("RTY-01 a function that answers %s gives a storable delay", (answer, delayMs) => {
    const { context, claim, backoffFunctions } = setUp();
    backoffFunctions.set("work", () => answer);
    expect(failure(context, claim, FAILED)).toMatchObject({ delayMs });
  });

  test.each([Number.NaN, undefined, "500", Promise.resolve(500)])(
    "a function that answers %s is reported, and the stored policy decides",
    (answer) => {
      const { context, claim, log, backoffFunctions } = setUp();
      backoffFunctions.set("work", () => answer as number);
      expect(failure(context, claim, FAILED)).toMatchObject({ verb: "retry", delayMs: 100 });
      expect(log.of("internal.error")).toMatchObject([{ during: "the backoff function of work" }]);
    },
  );

  test("a function that throws is reported, and the stored policy decides", () => {
    const { context, claim, log, backoffFunctions } = setUp();
    const error = new Error("mine");
    backoffFunctions.set("work", () => {
      throw error;
    });
    expect(failure(context, claim, FAILED)).toMatchObject({ verb: "retry", delayMs: 100 });
    expect(log.of("internal.error")).toEqual([{ error, during: "the backoff function of work" }]);
  });
});
