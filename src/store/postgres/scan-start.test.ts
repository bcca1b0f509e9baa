import { expect, test } from "vitest";
import { FakeClock, T0 } from "../../../test/support/fake-clock.js";
import { DatabaseClock } from "./database-clock.js";
import { ScanStart } from "./scan-start.js";

const WHOLE_EVERY_MS = 60_000;

function setUp() {
  const clock = new FakeClock();
  return { clock, start: new ScanStart(new DatabaseClock(clock, T0, true), WHOLE_EVERY_MS) };
}

test("a scan begins shortly before where the last one ended", async () => {
  const { clock, start } = setUp();
  expect(start.next()).toBe(0);
  start.came(0, T0);
  await clock.advance(WHOLE_EVERY_MS - 1);
  expect(start.next()).toBe(T0 - 30_000);
  start.came(start.next(), clock.now());
  expect(start.next()).toBe(clock.now() - 30_000);
});

test("now and then one looks at everything", async () => {
  const { clock, start } = setUp();
  start.came(0, T0);
  await clock.advance(WHOLE_EVERY_MS - 1);
  start.came(start.next(), clock.now());
  await clock.advance(1);
  expect(start.next()).toBe(0);
});

test("one after the clock was set back looks at everything", () => {
  const { clock, start } = setUp();
  start.came(0, T0);
  clock.stepWall(-31_000);
  expect(start.next()).toBe(0);
});
