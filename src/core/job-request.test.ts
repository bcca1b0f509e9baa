import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { MAX_BACKOFF_MS } from "./backoff.js";
import { KonveierError } from "./errors.js";
import { checkJobRequest } from "./job-request.js";

/** The faults that a request is refused with, as "pointer code". */
function faultsOf(request: object, at?: string): string[] {
  try {
    checkJobRequest({ name: "work", ...request }, at);
  } catch (error) {
    if (error instanceof KonveierError && error.code === "validation_failed") {
      return error.faults.map(({ pointer, code }) => `${pointer} ${code}`);
    }
    throw error;
  }
  return [];
}

describe("checkJobRequest", () => {
  test("fills in the defaults", () => {
    expect(checkJobRequest({ name: "work" })).toEqual({
      queue: "default",
      priority: 4,
      runAt: null,
      delayMs: 0,
      maxAttempts: 20,
      backoff: null,
      timeoutMs: null,
      tags: [],
      unique: null,
      expiresAt: null,
      expiresInMs: null,
      concurrencyKey: null,
      rateKey: null,
    });
    expect(checkJobRequest({ name: "work", unique: { key: "k" } }).unique).toEqual({
      key: "k",
      scope: "name",
      states: ["blocked", "scheduled", "pending", "running"],
      ttlMs: null,
      onConflict: "existing",
    });
  });

  test("RTY-04 a value of 0 is not taken for a missing one", () => {
    expect(checkJobRequest({ name: "work", priority: 0, delayMs: 0 })).toMatchObject({
      priority: 0,
      delayMs: 0,
    });
    const backoff = { type: "fixed", delayMs: 0 } as const;
    expect(checkJobRequest({ name: "work", backoff }).backoff).toEqual(backoff);
  });

  test("takes the ends of every range", () => {
    const low = { priority: 0, delayMs: 0, maxAttempts: 1, timeoutMs: 1, idempotencyKey: "k", tags: [] };
    const high = {
      priority: 9,
      delayMs: 100 * MAX_BACKOFF_MS,
      maxAttempts: 1_000,
      timeoutMs: MAX_BACKOFF_MS,
      idempotencyKey: "k".repeat(255),
      tags: Array.from({ length: 16 }, (_, index) => "t".repeat(63) + String(index % 10)),
      queue: "q".repeat(128),
    };
    expect(faultsOf(low)).toEqual([]);
    expect(faultsOf(high)).toEqual([]);
  });

  test("keeps a tag once", () => {
    expect(checkJobRequest({ name: "work", tags: ["a", "b", "a"] }).tags).toEqual(["a", "b"]);
  });

  test("an undefined setting is a missing one", () => {
    const settings = ["queue", "priority", "delayMs", "runAt", "maxAttempts", "backoff", "timeoutMs", "tags"];
    expect(faultsOf(Object.fromEntries(settings.map((field) => [field, undefined])))).toEqual([]);
  });

  const wholeNumbers = [
    ["priority", [-1, 10, 0.5]],
    ["delayMs", [-1, 1.5, 100 * MAX_BACKOFF_MS + 1]],
    ["maxAttempts", [0, -1, 1.5, 1_001, 2 ** 31]],
    ["timeoutMs", [0, -1, 0.5, MAX_BACKOFF_MS + 1]],
    ["expiresInMs", [0, -1, 0.5, 100 * MAX_BACKOFF_MS + 1]],
  ] as const;
  for (const [field, values] of wholeNumbers) {
    const nonsense = [...values, Number.NaN, Infinity, "3", null, true, [3], {}, 3n];
    test(`RTY-04 LSE-16 ${field} refuses what is no whole number in its range`, () => {
      for (const value of nonsense)
        expect(faultsOf({ [field]: value }), inspect(value)).toEqual([`/${field} out_of_range`]);
    });
  }

  test.each<[string, object, string[]]>([
    ["no name", { name: undefined }, ["/name invalid_name"]],
    ["an empty name", { name: "" }, ["/name invalid_name"]],
    ["a name that is a number", { name: 5 }, ["/name invalid_name"]],
    ["a bad queue", { queue: "../x" }, ["/queue invalid_name"]],
    ["a queue of null", { queue: null }, ["/queue invalid_name"]],
    ["an empty key", { idempotencyKey: "" }, ["/idempotencyKey invalid_key"]],
    ["a key of null", { idempotencyKey: null }, ["/idempotencyKey invalid_key"]],
    ["tags as text", { tags: "a" }, ["/tags out_of_range"]],
    ["too many tags", { tags: new Array(17).fill("a") }, ["/tags out_of_range"]],
    ["bad tags", { tags: ["ok", "", 5] }, ["/tags/1 invalid_tag", "/tags/2 invalid_tag"]],
    ["both times", { delayMs: 5, runAt: "2026-01-05T09:00:00Z" }, ["/runAt conflict"]],
    ["both expiries", { expiresInMs: 5, expiresAt: "2026-01-05T09:00:00Z" }, ["/expiresAt conflict"]],
    ["a bad expiry", { expiresAt: "soon" }, ["/expiresAt invalid_instant"]],
    ["an expiry before the delay is over", { delayMs: 5, expiresInMs: 5 }, ["/expiresInMs out_of_range"]],
    [
      "an expiry before its time",
      { runAt: "2026-01-05T09:00:00Z", expiresAt: "2026-01-05T09:00:00Z" },
      ["/expiresAt out_of_range"],
    ],
    ["a unique of text", { unique: "k" }, ["/unique wrong_type"]],
    ["a unique of null", { unique: null }, ["/unique wrong_type"]],
    ["a unique without a key", { unique: {} }, ["/unique/key invalid_key"]],
    [
      "a unique of nonsense",
      { unique: { key: "k", scope: "job", states: ["done"], ttlMs: 0, onConflict: "panic", x: 1 } },
      [
        "/unique/x unknown_field",
        "/unique/scope unknown_value",
        "/unique/onConflict unknown_value",
        "/unique/ttlMs out_of_range",
        "/unique/states/0 unknown_value",
      ],
    ],
    ["a unique of no states", { unique: { key: "k", states: [] } }, ["/unique/states out_of_range"]],
    [
      "a job that replaces others than those of its name",
      { unique: { key: "k", scope: "all", onConflict: "replace" } },
      ["/unique/onConflict conflict"],
    ],
    ["a bad instant", { runAt: "tomorrow" }, ["/runAt invalid_instant"]],
    ["an instant of null", { runAt: null }, ["/runAt invalid_instant"]],
    ["an instant of a list", { runAt: [] }, ["/runAt invalid_instant"]],
    ["a backoff of null", { backoff: null }, ["/backoff/type unknown_value"]],
    ["a backoff of text", { backoff: "fixed" }, ["/backoff/type unknown_value"]],
    ["an unknown backoff", { backoff: { type: "linear" } }, ["/backoff/type unknown_value"]],
    [
      "a backoff that is a prototype's key",
      { backoff: { type: "constructor" } },
      ["/backoff/type unknown_value"],
    ],
    ["a fixed backoff without a delay", { backoff: { type: "fixed" } }, ["/backoff/delayMs required"]],
    [
      "a fixed backoff of the wrong fields",
      { backoff: { type: "fixed", delayMs: -1, baseMs: 5, jitter: 2 } },
      ["/backoff/delayMs out_of_range", "/backoff/baseMs unknown_field", "/backoff/jitter out_of_range"],
    ],
    [
      "an exponential backoff of nonsense",
      {
        backoff: {
          type: "exponential",
          baseMs: "1",
          maxMs: MAX_BACKOFF_MS + 1,
          jitter: Number.NaN,
          delayMs: 1,
        },
      },
      [
        "/backoff/baseMs out_of_range",
        "/backoff/maxMs out_of_range",
        "/backoff/jitter out_of_range",
        "/backoff/delayMs unknown_field",
      ],
    ],
    ["a misspelt field", { priorty: 5 }, ["/priorty unknown_field"]],
    ["a field with a slash", { "a/b~c": 5 }, ["/a~1b~0c unknown_field"]],
    [
      "PAY-07 __proto__",
      JSON.parse('{"__proto__":{"maxAttempts":999}}') as object,
      ["/__proto__ unknown_field"],
    ],
  ])("API-07 refuses %s and says where", (_, request, faults) => {
    expect(faultsOf(request)).toEqual(faults);
  });

  test("API-07 tells every fault, not only the first, below the request's own pointer", () => {
    const request = {
      name: "a b",
      queue: "",
      priority: 10,
      delayMs: -1,
      maxAttempts: 0,
      timeoutMs: 0,
      tags: 5,
      x: 1,
    };
    expect(faultsOf(request, "/7")).toEqual([
      "/7/x unknown_field",
      "/7/name invalid_name",
      "/7/queue invalid_name",
      "/7/priority out_of_range",
      "/7/delayMs out_of_range",
      "/7/maxAttempts out_of_range",
      "/7/timeoutMs out_of_range",
      "/7/tags out_of_range",
    ]);
  });

  test("the message names the places too", () => {
    expect(() => checkJobRequest({ name: "work", priority: 10, maxAttempts: 0 })).toThrow(
      "/priority must be a whole number from 0 to 9; /maxAttempts must be a whole number from 1 to 1000",
    );
  });
});
