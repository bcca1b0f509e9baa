import { expect, it } from "vitest";
import { bodyOf, differences, fieldOf, NEW, NOTHING_KEPT, valuesOf } from "./form-values.js";
import type { ReadSchedule } from "./queries.js";

const AT = "2026-01-05T09:00:00.000Z";

function stored(payload: string): ReadSchedule {
  return {
    etag: '"v3"',
    payload,
    schedule: {
      key: "report",
      source: "api",
      cron: null,
      everyMs: 5_400_000,
      timezone: "Europe/Berlin",
      job: {
        queue: "reports",
        name: "report",
        priority: 7,
        maxAttempts: 3,
        backoff: { type: "fixed", delayMs: 5_000 },
        timeoutMs: 1_500,
        unique: { key: "k", scope: "all", states: ["pending"], ttlMs: null, onConflict: "reject" },
        expiresInMs: 5_000,
        concurrencyKey: "tenant-1",
        rateKey: "tenant-2",
        tags: ["a", "b"],
      },
      missed: "all",
      maxMissed: 7,
      overlap: "queue",
      startAt: AT,
      endAt: null,
      jitterMs: 500,
      nextRunAt: AT,
      waitingSlot: null,
      pausedAt: null,
      pauseReason: null,
      problem: null,
      createdAt: AT,
      updatedAt: AT,
      version: 3,
      totals: { enqueued: 0, skipped: 0, missed: 0 },
      payload: null,
      next: [],
      notes: [],
    },
  };
}

it("sends back what it was given, down to the digits of the payload", () => {
  const read = stored('{"id": 9007199254740993, "x": 1.0}');
  const body = bodyOf(valuesOf(read), read.schedule.job);
  expect(body).toContain('"payload":{"id": 9007199254740993, "x": 1.0}');
  expect(JSON.parse(bodyOf(valuesOf(stored("[1]")), read.schedule.job))).toEqual({
    everyMs: 5_400_000,
    timezone: "Europe/Berlin",
    missed: "all",
    maxMissed: 7,
    overlap: "queue",
    jitterMs: 500,
    startAt: AT,
    job: {
      name: "report",
      queue: "reports",
      priority: 7,
      maxAttempts: 3,
      backoff: { type: "fixed", delayMs: 5_000 },
      timeoutMs: 1_500,
      unique: { key: "k", scope: "all", states: ["pending"], onConflict: "reject" },
      expiresInMs: 5_000,
      concurrencyKey: "tenant-1",
      rateKey: "tenant-2",
      tags: ["a", "b"],
      payload: [1],
    },
  });
});

it("leaves to the server what is no number", () => {
  const body = JSON.parse(bodyOf({ ...NEW, name: "x", priority: "high", jitter: "" }, NOTHING_KEPT)) as {
    jitterMs: unknown;
    job: { priority: unknown };
  };
  expect(body.job.priority).toBe("high");
  expect(body.jitterMs).toBe("");
});

it("tells what somebody else changed", () => {
  const mine = valuesOf(stored("{}"));
  expect(differences(mine, { ...mine, cron: "0 1 * * *", tags: "a" })).toEqual(["cron", "tags"]);
});

it("finds the field of a fault", () => {
  expect(fieldOf("/job/payload/user/id")).toBe("payload");
  expect(fieldOf("/cron")).toBe("cron");
  expect(fieldOf("/cronology")).toBeNull();
  expect(fieldOf("")).toBeNull();
});
