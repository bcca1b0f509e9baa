import { describe, expect, it } from "vitest";
import type { AttemptView } from "../../api/types.js";
import { fold, timelineOf, type AttemptStep, type Step } from "./timeline.js";

const at = (seconds: number): string => new Date(Date.UTC(2026, 0, 5) + seconds * 1_000).toISOString();

function attempt(
  number: number,
  from: number,
  to: number | null,
  more: Partial<AttemptView> = {},
): AttemptView {
  return {
    number,
    token: number * 10,
    workerId: "w",
    startedAt: at(from),
    finishedAt: to === null ? null : at(to),
    outcome: to === null ? "running" : "failed",
    error: null,
    retryDelayMs: null,
    ...more,
  };
}

const job = {
  state: "pending",
  createdAt: at(0),
  runAt: at(0),
  startedAt: null,
  finishedAt: null,
  attempt: 0,
  token: null,
} as const;

const types = (steps: readonly Step[]): string[] => steps.map(({ type }) => type);
const attempts = (steps: readonly Step[]): AttemptStep[] =>
  steps.filter((step): step is AttemptStep => step.type === "attempt");

describe("the timeline of a job", () => {
  it("begins with its making, and says that it is ready", () => {
    expect(timelineOf(job, [])).toEqual([{ type: "created", at: at(0) }, { type: "ready" }]);
  });

  it("tells when a job for later is due, once", () => {
    expect(timelineOf({ ...job, state: "scheduled", runAt: at(60) }, [])).toEqual([
      { type: "created", at: at(0) },
      { type: "due", at: at(60) },
    ]);
  });

  it("counts the wait of the first attempt from when the job was due", () => {
    const steps = timelineOf(
      { ...job, state: "completed", runAt: at(60), finishedAt: at(65), attempt: 1, token: 10 },
      [attempt(1, 62, 65, { outcome: "completed" })],
    );
    expect(types(steps)).toEqual(["created", "due", "attempt", "end"]);
    expect(attempts(steps)).toMatchObject([{ waitMs: 2_000, runMs: 3_000 }]);
  });

  it("counts the wait of later attempts from the end of the backoff", () => {
    const steps = timelineOf({ ...job, state: "running", attempt: 2, token: 20 }, [
      attempt(1, 1, 2, { retryDelayMs: 5_000 }),
      attempt(2, 8, null),
    ]);
    expect(types(steps)).toEqual(["created", "attempt", "backoff", "attempt"]);
    expect(attempts(steps)).toMatchObject([{ waitMs: null }, { waitMs: 1_000, runMs: null }]);
  });

  it("tells of a retry by hand, before the next attempt and after it", () => {
    const buried = attempt(1, 1, 2);
    expect(types(timelineOf({ ...job, state: "pending", attempt: 1, token: 10 }, [buried]))).toEqual([
      "created",
      "attempt",
      "revived",
      "ready",
    ]);
    const ready = timelineOf({ ...job, state: "pending", runAt: at(5), attempt: 1, token: 10 }, [buried]);
    expect(ready[2]).toEqual({ type: "revived", at: at(5) });
    const again = timelineOf({ ...job, state: "dead", finishedAt: at(9), attempt: 2, token: 20 }, [
      buried,
      attempt(2, 8, 9),
    ]);
    expect(types(again)).toEqual(["created", "attempt", "revived", "attempt", "end"]);
  });

  it("tells when it was retried by hand as long as nothing else has made it due", () => {
    const revived = (runAt: string, ...attempts: AttemptView[]) =>
      timelineOf(
        { ...job, state: "dead", runAt, finishedAt: at(99), attempt: attempts.length, token: 99 },
        attempts,
      ).filter(({ type }) => type === "revived");
    const buried = attempt(1, 1, 2);
    expect(revived(at(7), buried, attempt(2, 8, 9))).toEqual([{ type: "revived", at: at(7) }]);
    // It was due later than it ran again: after another failure, or by hand.
    expect(revived(at(20), buried, attempt(2, 8, 9))).toEqual([{ type: "revived", at: null }]);
    expect(revived(at(20), buried, attempt(2, 8, 9, { retryDelayMs: 11_000 }), attempt(3, 21, 22))).toEqual([
      { type: "revived", at: null },
    ]);
    // The due time is still that of before.
    expect(revived(at(0), buried, attempt(2, 8, 9))).toEqual([{ type: "revived", at: null }]);
  });

  it("tells when the next attempt comes", () => {
    const steps = timelineOf({ ...job, state: "scheduled", runAt: at(7), attempt: 1, token: 10 }, [
      attempt(1, 1, 2, { retryDelayMs: 5_000 }),
    ]);
    expect(steps.slice(2)).toEqual([{ type: "next", at: at(7), ms: 5_000 }]);
  });

  it("tells of a run that was given back, which has no record", () => {
    const steps = timelineOf(
      { ...job, state: "scheduled", runAt: at(30), startedAt: at(20), attempt: 1, token: 25 },
      [attempt(1, 1, 2, { retryDelayMs: 5_000 })],
    );
    expect(steps.slice(2)).toEqual([
      { type: "given-back", startedAt: at(20) },
      { type: "next", at: at(30), ms: null },
    ]);
  });

  it("says how many attempts are not kept", () => {
    const steps = timelineOf({ ...job, state: "dead", finishedAt: at(9), attempt: 103, token: 1_030 }, [
      attempt(103, 8, 9),
    ]);
    expect(steps[1]).toEqual({ type: "dropped", count: 102 });
    expect(attempts(steps)).toMatchObject([{ waitMs: null }]);
  });

  it("is never negative where clocks differ", () => {
    const steps = timelineOf(
      { ...job, state: "running", attempt: 1, token: 10, createdAt: at(5), runAt: at(5) },
      [attempt(1, 4, 3)],
    );
    expect(attempts(steps)).toMatchObject([{ runMs: 0 }]);
  });
});

describe("folding", () => {
  const history = (count: number): Step[] =>
    timelineOf(
      { ...job, state: "dead", finishedAt: at(9_999), attempt: count, token: count * 10 },
      Array.from({ length: count }, (_, index) =>
        attempt(index + 1, index * 10, index * 10 + 1, { retryDelayMs: index + 1 === count ? null : 1_000 }),
      ),
    );

  it("leaves fifty attempts as they are", () => {
    const steps = history(50);
    expect(fold(steps)).toEqual({ before: steps, hidden: 0, after: [] });
  });

  it("shows of more the first five and the last twenty, and what stands around them", () => {
    const { before, hidden, after } = fold(history(51));
    expect(attempts(before).map((step) => step.attempt.number)).toEqual([1, 2, 3, 4, 5]);
    expect(hidden).toBe(26);
    expect(attempts(after).map((step) => step.attempt.number)).toEqual(
      Array.from({ length: 20 }, (_, index) => index + 32),
    );
    expect(before[0]?.type).toBe("created");
    expect(after.at(-1)?.type).toBe("end");
  });
});
