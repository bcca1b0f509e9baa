import { Type } from "typebox";
import { describe, expect, test } from "vitest";
import { FailBody, HeartbeatBody } from "../../api/lease.js";
import { BatchBody, JobRequestBody } from "../../api/job-request.js";
import { QueuePatchBody } from "../../api/queue.js";
import { explain } from "./explain.js";
import { JOB_RULES } from "./job-rules.js";

function faults(schema: object, value: unknown): Record<string, string> {
  const found = explain(schema, value, JOB_RULES);
  return Object.fromEntries(found.map(({ pointer, code }) => [pointer, code]));
}

describe("the faults of a job", () => {
  test("are all told, each once", () => {
    const job = {
      queue: "a b",
      priority: 10,
      delayMs: -1,
      runAt: "tomorrow",
      maxAttempts: 0,
      backoff: { type: "fixed" },
      timeoutMs: "5",
      idempotencyKey: "",
      tags: ["ok", "\0", 5],
      retries: 3,
    };
    const found = explain(JobRequestBody, job, JOB_RULES);
    expect(found.map(({ pointer, code }) => `${pointer} ${code}`).sort()).toEqual([
      "/backoff/delayMs required",
      "/delayMs out_of_range",
      "/idempotencyKey invalid_key",
      "/maxAttempts out_of_range",
      "/name required",
      "/priority out_of_range",
      "/queue invalid_name",
      "/retries unknown_field",
      "/runAt conflict",
      "/runAt invalid_instant",
      "/tags/1 invalid_tag",
      "/tags/2 invalid_tag",
      "/timeoutMs out_of_range",
    ]);
  });

  test("are the core's where the schema has nothing to say", () => {
    expect(faults(JobRequestBody, { name: "a", retries: 1, runAt: "2026-02-30T99:00:00Z" })).toEqual({
      "/retries": "unknown_field",
      "/runAt": "invalid_instant",
    });
  });

  test("in a batch have the place of their job", () => {
    expect(
      faults(BatchBody, { jobs: [{ name: "a" }, { name: 1, delayMs: 1, runAt: "2026-01-05T00:00:00Z" }] }),
    ).toEqual({
      "/jobs/1/name": "invalid_name",
      "/jobs/1/runAt": "conflict",
    });
  });

  test.each([[null], [5], ["x"], [true], [[]]])("of something that is none: %j", (value) => {
    expect(faults(JobRequestBody, value)).toEqual({ "": "wrong_type" });
    expect(faults(BatchBody, { jobs: [value] })).toEqual({ "/jobs/0": "wrong_type" });
  });

  test("name the field that was meant", () => {
    const [fault] = explain(JobRequestBody, { name: "a", maxAtempts: 3 }, JOB_RULES);
    expect(fault?.detail).toBe('is not known here; did you mean "maxAttempts"?');
  });

  test.each(["__proto__", "constructor", "toString", "hasOwnProperty"])("%s is an unknown field", (field) => {
    const body: unknown = JSON.parse(`{"name":"a","${field}":{"priority":9}}`);
    expect(faults(JobRequestBody, body)).toEqual({ [`/${field}`]: "unknown_field" });
  });
});

describe("a choice", () => {
  const lease = { leaseToken: "x", error: { message: "m" } };

  test("of words and an object is explained by what came", () => {
    expect(faults(FailBody, { ...lease, retry: { delayMs: -1, x: 1 } })).toEqual({
      "/retry/delayMs": "out_of_range",
      "/retry/x": "unknown_field",
    });
    const [fault] = explain(FailBody, { ...lease, retry: "later" });
    expect(fault).toEqual({
      pointer: "/retry",
      code: "unknown_value",
      detail: 'must be "auto", "never" or an object with "delayMs"',
    });
  });

  test("of objects goes by their type", () => {
    const job = (backoff: unknown) => ({ name: "a", backoff });
    expect(faults(JobRequestBody, job({ type: "fixed", delayMs: 1, maxMs: 2 }))).toEqual({
      "/backoff/maxMs": "unknown_field",
    });
    expect(faults(JobRequestBody, job({ type: "linear" }))).toEqual({ "/backoff/type": "unknown_value" });
    expect(faults(JobRequestBody, job({}))).toEqual({ "/backoff/type": "unknown_value" });
    expect(faults(JobRequestBody, job("fixed"))).toEqual({ "/backoff": "wrong_type" });
    expect(faults(JobRequestBody, job(null))).toEqual({ "/backoff": "wrong_type" });
  });

  test.each([
    [{ concurrency: 0 }, "/concurrency out_of_range must be a whole number from 1 to 100000, or null"],
    [{ rateLimit: "fast" }, "/rateLimit wrong_type must be an object, or null"],
    [
      { perKey: { rateLimit: { max: 1, perMs: 0 } } },
      "/perKey/rateLimit/perMs out_of_range must be a whole number from 1 to 2678400000",
    ],
  ])("of something or nothing is explained by what it may be: %j", (body, told) => {
    const found = explain(QueuePatchBody, body);
    expect(found.map(({ pointer, code, detail }) => `${pointer} ${code} ${detail}`)).toEqual([told]);
  });
});

describe("a hostile body", () => {
  test("gets a bounded answer", () => {
    const leases = Array.from({ length: 2_000 }, () => ({}));
    expect(faults(HeartbeatBody, { workerId: "w", leases })).toEqual({ "/leases": "out_of_range" });
    const fields = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`field${index}`, 1]));
    expect(explain(JobRequestBody, fields, JOB_RULES).length).toBe(100);
  });

  test("cannot make pointers ambiguous or endless", () => {
    const [fault] = explain(Type.Object({}, { additionalProperties: false }), { "a/b~c": 1 });
    expect(fault?.pointer).toBe("/a~1b~0c");
    const [long] = explain(Type.Object({}, { additionalProperties: false }), { ["x".repeat(10_000)]: 1 });
    expect(long?.pointer.length).toBeLessThan(200);
  });
});
