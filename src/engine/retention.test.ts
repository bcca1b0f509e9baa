import { describe, expect, test } from "vitest";
import type { KonveierError } from "../core/errors.js";
import { completeRetention } from "./retention.js";

const DAY_MS = 24 * 3_600_000;

describe("completeRetention", () => {
  test("fills in the defaults, also for what is undefined", () => {
    const defaults = {
      completedMs: 7 * DAY_MS,
      cancelledMs: 7 * DAY_MS,
      deadMs: 90 * DAY_MS,
      maxCompleted: null,
    };
    expect(completeRetention()).toEqual(defaults);
    expect(completeRetention({ deadMs: 5 })).toEqual({ ...defaults, deadMs: 5 });
    expect(completeRetention({ deadMs: undefined } as object)).toEqual(defaults);
  });

  test("0 keeps nothing and null keeps everything: neither is a missing value", () => {
    const given = { completedMs: 0, cancelledMs: null, deadMs: 0, maxCompleted: 0 };
    expect(completeRetention(given)).toEqual(given);
  });

  test("GRW-07 LSE-16 nonsense is refused with the names of all fields", () => {
    for (const value of [-1, 1.5, Number.NaN, Infinity, "5", false, {}]) {
      try {
        completeRetention({ completedMs: value, maxCompleted: value, completeMs: 1 } as object);
        expect.fail("not refused");
      } catch (error) {
        const faults = (error as KonveierError).faults.map(({ pointer, code }) => `${pointer} ${code}`);
        expect(faults).toEqual([
          "/retention/completedMs out_of_range",
          "/retention/maxCompleted out_of_range",
          "/retention/completeMs unknown_field",
        ]);
      }
    }
  });
});
