import { expect, it } from "vitest";
import { inkOn } from "./ink.js";

it.each([
  ["#000000", "#ffffff"],
  ["#b91c1c", "#ffffff"],
  ["#0369a1", "#ffffff"],
  ["#facc15", "#000000"],
  ["#ffffff", "#000000"],
  // As bright as it may be for white, and a little brighter.
  ["#757575", "#ffffff"],
  ["#767676", "#000000"],
])("writes on %s in %s", (color, ink) => {
  expect(inkOn(color)).toBe(ink);
});
