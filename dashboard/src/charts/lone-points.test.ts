import { expect, it } from "vitest";
import { lonePoints } from "./lone-points.js";

it("finds the values that no line goes through", () => {
  expect(lonePoints([7])).toEqual([0]);
  expect(lonePoints([1, null, 2, 3, null, 4])).toEqual([0, 5]);
  expect(lonePoints([1, 2])).toBeNull();
  expect(lonePoints([null, null])).toBeNull();
});
