import { expect, it } from "vitest";
import { covers, isSame } from "./covers.js";

it("knows the same jobs in another order of terms, and some of the jobs of a filter", () => {
  expect(isSame("queue:a name:b state:dead", "state:dead queue:a name:b")).toBe(true);
  expect(isSame("queue:a state:dead", "state:dead queue:a name:b")).toBe(false);
  expect(covers("queue:a state:dead", "state:dead queue:a name:b")).toBe(true);
  expect(covers("state:dead queue:a name:b", "queue:a state:dead")).toBe(false);
  expect(covers("queue:b state:dead", "state:dead queue:a")).toBe(false);
});
