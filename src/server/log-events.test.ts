import { pino } from "pino";
import { describe, expect, test } from "vitest";
import { KonveierError } from "../core/errors.js";
import { Events, type EventMap, type EventName } from "../core/events.js";
import { logEvents } from "./log-events.js";

const fact = { id: "7", queue: "default", name: "email.send", attempt: 2, token: 4_711, workerId: "w1" };
const error = { type: "TypeError", message: "password is hunter2", stack: "at hunter2" };

const EVENTS: { [Name in EventName]: [level: number, event: EventMap[Name]] } = {
  "job.completed": [20, { ...fact, durationMs: 5, resultProblem: null }],
  "job.retrying": [20, { ...fact, delayMs: 1_000, error }],
  "job.dead": [40, { ...fact, error }],
  "job.lost": [40, { ...fact, next: "dead" }],
  "job.released": [20, fact],
  "job.snoozed": [20, { ...fact, delayMs: 5 }],
  "job.waiting": [20, { ...fact, refs: ["a", "b"] }],
  "job.cancelled": [30, { id: "7", queue: "default", name: "email.send" }],
  "lease.lost": [40, { ...fact, reason: "reclaimed" }],
  "handler.stuck": [40, fact],
  "jobs.unhandled": [40, { queue: "default", name: "nope", pending: 3 }],
  "schedule.fired": [20, { key: "nightly", slot: 0, jobId: "7" }],
  "schedule.skipped": [30, { key: "nightly", slot: 0 }],
  "schedule.missed": [40, { key: "nightly", from: 0, through: 60_000 }],
  "schedule.stopped": [50, { key: "nightly", problem: "no such zone" }],
  "operation.completed": [30, { id: "1", action: "retry", changed: 2 }],
  "worker.started": [30, { workerId: "w1", queues: ["default"], names: ["email.send"] }],
  "worker.stopped": [30, { workerId: "w1", released: 1 }],
  "store.unavailable": [50, { error: new KonveierError("store_io", "the disk is gone") }],
  "store.recovered": [30, { after: "outage" }],
  "internal.error": [50, { error: new Error("a defect"), during: "a test" }],
};

function logged(): {
  events: Events;
  lines: Record<string, unknown>[];
  text: () => string;
  stop: () => void;
} {
  const raw: string[] = [];
  const lines: Record<string, unknown>[] = [];
  const logger = pino(
    { level: "trace" },
    {
      write(line: string) {
        raw.push(line);
        lines.push(JSON.parse(line) as Record<string, unknown>);
      },
    },
  );
  const events = new Events();
  return { events, lines, text: () => raw.join(""), stop: logEvents(events, logger) };
}

describe("the log of events", () => {
  test.each(Object.keys(EVENTS) as EventName[])("has one line for %s, at its level", (name) => {
    const { events, lines } = logged();
    const [level, event] = EVENTS[name];
    events.emit(name, event);
    expect(lines).toEqual([
      expect.objectContaining({ level, event: name, msg: expect.any(String) as string }),
    ]);
  });

  test("says which job it is about", () => {
    const { events, lines } = logged();
    events.emit("job.dead", EVENTS["job.dead"][1]);
    expect(lines[0]).toMatchObject({
      jobId: "7",
      queue: "default",
      name: "email.send",
      attempt: 2,
      workerId: "w1",
      errorType: "TypeError",
    });
  });

  test("warns of a result that could not be kept, without the result", () => {
    const { events, lines, text } = logged();
    events.emit("job.completed", { ...fact, durationMs: 5, resultProblem: "The number 12345 would change" });
    expect(lines[0]).toMatchObject({ level: 40 });
    expect(text()).not.toContain("12345");
  });

  test("holds neither tokens nor what an error says", () => {
    const { events, text } = logged();
    for (const name of Object.keys(EVENTS) as EventName[]) events.emit(name, EVENTS[name][1]);
    expect(text()).not.toMatch(/4711|hunter2/);
  });

  test("has the error of an outage and of a defect", () => {
    const { events, text } = logged();
    events.emit("store.unavailable", EVENTS["store.unavailable"][1]);
    events.emit("internal.error", EVENTS["internal.error"][1]);
    expect(text()).toContain("the disk is gone");
    expect(text()).toContain("a defect");
  });

  test("ends when it is told to", () => {
    const { events, lines, stop } = logged();
    stop();
    events.emit("store.recovered", { after: "outage" });
    expect(lines).toEqual([]);
  });
});
