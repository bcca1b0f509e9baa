import { describe, expect, test } from "vitest";
import { KonveierError } from "../../core/errors.js";
import { checkScheduleRequest, type ScheduleRequest } from "./request.js";

const job = { name: "work" };

function faultsOf(request: object): string[] {
  try {
    checkScheduleRequest(request as ScheduleRequest);
    return [];
  } catch (error) {
    if (!(error instanceof KonveierError)) throw error;
    return error.faults.map(({ pointer, code }) => `${pointer} ${code}`);
  }
}

describe("checking a schedule", () => {
  test("fills in the defaults", () => {
    expect(checkScheduleRequest({ cron: "@daily", job })).toMatchObject({
      cron: "@daily",
      everyMs: null,
      timezone: "UTC",
      missed: "once",
      maxMissed: 100,
      overlap: "allow",
      startAt: null,
      endAt: null,
      jitterMs: 0,
      job: { queue: "default", name: "work", payload: "null", priority: 4, maxAttempts: 20 },
    });
  });

  test("spells the time zone as the time zone database does", () => {
    expect(checkScheduleRequest({ cron: "@daily", timezone: "europe/BERLIN", job }).timezone).toBe(
      "Europe/Berlin",
    );
  });

  test.each<[string, object, string[]]>([
    ["no rhythm", { job }, ["/cron required"]],
    ["two rhythms", { cron: "@daily", everyMs: 1_000, job }, ["/cron conflict"]],
    ["too short an interval", { everyMs: 999, job }, ["/everyMs out_of_range"]],
    ["half a millisecond", { everyMs: 1_000.5, job }, ["/everyMs out_of_range"]],
    ["an interval as text", { everyMs: "1000", job }, ["/everyMs out_of_range"]],
    ["a faulty expression", { cron: "61 * * * *", job }, ["/cron invalid_cron"]],
    ["a date that never comes", { cron: "0 0 30 2 *", job }, ["/cron invalid_cron"]],
    ["an expression that is no text", { cron: 5, job }, ["/cron invalid_cron"]],
    ["an unknown zone", { cron: "@daily", timezone: "Mars/Olympus", job }, ["/timezone unknown_timezone"]],
    ["an empty zone", { cron: "@daily", timezone: "", job }, ["/timezone unknown_timezone"]],
    ["an offset as zone", { cron: "@daily", timezone: "+02:00", job }, ["/timezone unknown_timezone"]],
    ["a zone that is no text", { cron: "@daily", timezone: 2, job }, ["/timezone unknown_timezone"]],
    [
      "unknown policies",
      { cron: "@daily", missed: "x", overlap: "y", job },
      ["/missed unknown_value", "/overlap unknown_value"],
    ],
    ["no catch-up at all", { cron: "@daily", missed: "all", maxMissed: 0, job }, ["/maxMissed out_of_range"]],
    [
      "an end before the start",
      { cron: "@daily", startAt: "2026-01-02T00:00:00Z", endAt: "2026-01-01T00:00:00Z", job },
      ["/endAt out_of_range"],
    ],
    [
      "a start without offset",
      { cron: "@daily", startAt: "2026-01-02T00:00:00", job },
      ["/startAt invalid_instant"],
    ],
    ["jitter beyond the interval", { everyMs: 60_000, jitterMs: 60_000, job }, ["/jitterMs out_of_range"]],
    [
      "jitter beyond the nearest two runs",
      { cron: "0,1 9 * * *", jitterMs: 60_000, job },
      ["/jitterMs out_of_range"],
    ],
    ["no job", { cron: "@daily" }, ["/job required"]],
    ["a job without a name", { cron: "@daily", job: {} }, ["/job/name invalid_name"]],
    ["a job with its own time", { cron: "@daily", job: { ...job, delayMs: 5 } }, ["/job/delayMs conflict"]],
    [
      "a job with a key",
      { cron: "@daily", job: { ...job, idempotencyKey: "k" } },
      ["/job/idempotencyKey conflict"],
    ],
    ["a job's own faults", { cron: "@daily", job: { ...job, priority: 10 } }, ["/job/priority out_of_range"]],
    [
      "a payload that is no JSON",
      { cron: "@daily", job: { ...job, payload: 5n } },
      ["/job/payload payload_not_json"],
    ],
    ["a misspelt field", { cron: "@daily", timezon: "UTC", job }, ["/timezon unknown_field"]],
    [
      "everything at once",
      { cron: "* * *", timezone: "x", jitterMs: -1, job: { name: "" } },
      [
        "/timezone unknown_timezone",
        "/cron invalid_cron",
        "/jitterMs out_of_range",
        "/job/name invalid_name",
      ],
    ],
  ])("refuses %s", (_what, request, faults) => {
    expect(faultsOf(request)).toEqual(faults);
  });

  test("says which zone was meant", () => {
    expect(() => checkScheduleRequest({ cron: "@daily", timezone: "Europe/Berln", job })).toThrow(
      "did you mean Europe/Berlin?",
    );
  });

  test("takes jitter just below the smallest distance", () => {
    expect(faultsOf({ everyMs: 60_000, jitterMs: 59_999, job })).toEqual([]);
  });
});
