import { expect, it } from "vitest";
import { filterOf, wholeFilter } from "./jobs-url.js";

function of(search: string): ReturnType<typeof filterOf> {
  return filterOf(new URLSearchParams(search));
}

it("takes the state of the tab, and not the one in the filter as well", () => {
  const filter = of("q=state:dead queue:a&state=running");
  expect(filter).toMatchObject({ q: "queue:a", rest: "queue:a", state: "running", anyState: false });
  expect(wholeFilter(filter)).toBe("state:running queue:a");
});

it("knows the tab of a filter that asks for one state", () => {
  const filter = of("q=state:dead -tag:x");
  expect(filter).toMatchObject({ q: "state:dead -tag:x", rest: "-tag:x", state: "dead", tab: null });
  expect(wholeFilter(filter)).toBe("state:dead -tag:x");
});

it("has no tab for several states, and all of them for none", () => {
  expect(of("q=state:dead,running")).toMatchObject({ state: null, anyState: false });
  expect(of("state=nonsense")).toMatchObject({ q: "", state: null, anyState: true });
});
