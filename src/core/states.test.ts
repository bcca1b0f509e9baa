import { describe, expect, test } from "vitest";
import { assertTransition, isFinished, JOB_STATES, TRANSITIONS, type TransitionName } from "./states.js";

/** The state machine once more, by hand: "transition from to". */
const ALLOWED = new Set([
  "promote scheduled pending",
  "claim pending running",
  "complete running completed",
  "retry running scheduled",
  "retry running pending",
  "bury running dead",
  "release running pending",
  "snooze running scheduled",
  "snooze running pending",
  "cancel blocked cancelled",
  "cancel scheduled cancelled",
  "cancel pending cancelled",
  "cancel running cancelled",
  "expire blocked cancelled",
  "expire scheduled cancelled",
  "expire pending cancelled",
  "drop pending cancelled",
  ...["replace", "reschedule"].flatMap((name) => [
    `${name} scheduled scheduled`,
    `${name} scheduled pending`,
    `${name} pending scheduled`,
    `${name} pending pending`,
  ]),
  "wait running blocked",
  "wait running pending",
  "unblock blocked scheduled",
  "unblock blocked pending",
  "revive dead pending",
  "revive cancelled pending",
  "revive dead blocked",
  "revive cancelled blocked",
  "run-now scheduled pending",
]);

const transitions = Object.keys(TRANSITIONS) as TransitionName[];

describe("assertTransition", () => {
  test.each(transitions)("%s: takes what the table allows and refuses every other pair", (name) => {
    for (const from of JOB_STATES) {
      for (const to of JOB_STATES) {
        const change = `${name} ${from} ${to}`;
        const attempt = () => {
          assertTransition(name, from, to);
        };
        if (ALLOWED.has(change)) expect(attempt, change).not.toThrow();
        else expect(attempt, change).toThrow(`Illegal transition "${name}": ${from} -> ${to}`);
      }
    }
  });

  test("nothing leaves completed, and only people bring back the dead and the cancelled", () => {
    const leaving = (state: string) => [...ALLOWED].filter((change) => change.split(" ")[1] === state);
    expect(leaving("completed")).toEqual([]);
    expect(leaving("dead")).toEqual(["revive dead pending", "revive dead blocked"]);
    expect(leaving("cancelled")).toEqual(["revive cancelled pending", "revive cancelled blocked"]);
  });

  test("every unfinished state can be cancelled and every finished one cannot", () => {
    for (const state of JOB_STATES) expect(ALLOWED.has(`cancel ${state} cancelled`)).toBe(!isFinished(state));
  });
});
