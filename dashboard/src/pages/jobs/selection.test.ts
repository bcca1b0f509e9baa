import { expect, it } from "vitest";
import { allToggled, noSelection, toggled } from "./selection.js";

const ROWS = ["a", "b", "c", "d"];

it("ticks and unticks a row", () => {
  const once = toggled(noSelection("x"), "b", ROWS, false);
  expect([...once.ids]).toEqual(["b"]);
  expect([...toggled(once, "b", ROWS, false).ids]).toEqual([]);
});

it("ticks a range in both directions", () => {
  const once = toggled(noSelection("x"), "c", ROWS, false);
  expect([...toggled(once, "a", ROWS, true).ids].sort()).toEqual(["a", "b", "c"]);
  expect([...toggled(once, "d", ROWS, true).ids].sort()).toEqual(["c", "d"]);
});

it("ticks one row when the other end of the range is no longer there", () => {
  const once = toggled(noSelection("x"), "gone", ROWS, false);
  expect([...toggled(once, "b", ROWS, true).ids]).toEqual(["gone", "b"]);
});

it("ticks the whole page, and then unticks it", () => {
  const page = allToggled(toggled(noSelection("x"), "a", ROWS, false), ROWS);
  expect([...page.ids]).toEqual(ROWS);
  expect([...allToggled(page, ROWS).ids]).toEqual([]);
});

it("means rows again as soon as one is changed", () => {
  expect(toggled({ ...noSelection("x"), all: true }, "a", ROWS, false).all).toBe(false);
});
