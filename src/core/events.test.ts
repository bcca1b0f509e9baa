import { describe, expect, test } from "vitest";
import { settled } from "../../test/support/settled.js";
import { Events, type EventMap } from "./events.js";

const RECOVERED = { after: "outage" } as const;

/** Collects `internal.error` events. */
function errorsOf(events: Events): EventMap["internal.error"][] {
  const errors: EventMap["internal.error"][] = [];
  events.on("internal.error", (event) => errors.push(event));
  return errors;
}

describe("Events", () => {
  test("tells every listener of the event, and nobody else", () => {
    const events = new Events();
    const heard: string[] = [];
    events.on("store.recovered", () => heard.push("first"));
    events.on("store.recovered", ({ after }) => heard.push(after));
    events.on("store.unavailable", () => heard.push("wrong"));
    events.emit("store.recovered", RECOVERED);
    expect(heard).toEqual(["first", "outage"]);
  });

  test("a listener can be taken off, also twice, and within the event", () => {
    const events = new Events();
    let heard = 0;
    const off = events.on("store.recovered", () => {
      heard += 1;
      off();
    });
    events.emit("store.recovered", RECOVERED);
    events.emit("store.recovered", RECOVERED);
    off();
    expect(heard).toBe(1);
  });

  test("GRW-01 a listener that throws harms neither the caller nor the other listeners", () => {
    const events = new Events();
    const errors = errorsOf(events);
    const error = new Error("listener");
    let heard = 0;
    events.on("store.recovered", () => {
      throw error;
    });
    events.on("store.recovered", () => (heard += 1));
    events.emit("store.recovered", RECOVERED);
    expect(heard).toBe(1);
    expect(errors).toEqual([{ error, during: "a listener of store.recovered" }]);
  });

  test("GRW-01 a listener that rejects is reported and ends nothing", async () => {
    const events = new Events();
    const errors = errorsOf(events);
    const error = new Error("listener");
    // eslint-disable-next-line @typescript-eslint/require-await -- an async listener that throws at once
    events.on("store.recovered", async () => {
      throw error;
    });
    events.emit("store.recovered", RECOVERED);
    await settled();
    expect(errors).toEqual([{ error, during: "a listener of store.recovered" }]);
  });

  test("a listener of internal.error that throws does not call itself for ever", () => {
    const events = new Events();
    let heard = 0;
    events.on("internal.error", () => {
      heard += 1;
      throw new Error("again");
    });
    events.emit("internal.error", { error: null, during: "a test" });
    expect(heard).toBe(1);
  });
});
