import { describe, expect, test } from "vitest";
import { NonRetryableError, RetryAfter, Snooze } from "./outcomes.js";

describe("what a handler may throw", () => {
  test("are errors with names of their own", () => {
    const thrown = [new NonRetryableError("no"), new RetryAfter(5), new Snooze(5)];
    expect(thrown.map(({ name }) => name)).toEqual(["NonRetryableError", "RetryAfter", "Snooze"]);
    for (const error of thrown) expect(error).toBeInstanceOf(Error);
    expect(new RetryAfter(5).message).toBe("Retry after 5 ms");
    expect(new RetryAfter(5, "slow down", { cause: 1 })).toMatchObject({ message: "slow down", cause: 1 });
  });

  test.each([-1, Number.NaN, Infinity])("refuse a delay of %d where it is made", (delayMs) => {
    expect(() => new RetryAfter(delayMs)).toThrow(RangeError);
    expect(() => new Snooze(delayMs)).toThrow(RangeError);
  });

  test("take 0", () => {
    expect(new RetryAfter(0).delayMs).toBe(0);
    expect(new Snooze(0).delayMs).toBe(0);
  });
});
