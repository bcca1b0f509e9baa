import { describe, expect, test } from "vitest";
import { layoutOf, NODE, type GraphJob } from "./graph-layout.js";

interface Link {
  readonly id: string;
}

/** `c: "a b"` depends on a and b. */
function jobsOf(graph: Readonly<Record<string, string>>): GraphJob<Link>[] {
  return Object.entries(graph).map(([id, dependsOn]) => ({
    id,
    dependsOn: dependsOn === "" ? [] : dependsOn.split(" ").map((other) => ({ id: other })),
  }));
}

function laidOut(graph: Readonly<Record<string, string>>) {
  const layout = layoutOf(jobsOf(graph));
  if (layout === null) throw new Error("It was not drawn");
  return layout;
}

describe("the layout of a flow", () => {
  test("puts each job right of all that it depends on, by the longest way", () => {
    const { places, edges } = laidOut({ ship: "pack charge", charge: "", pack: "charge", mail: "charge" });
    const x = (id: string): number => places.get(id)?.x ?? NaN;
    expect(x("pack")).toBe(x("mail"));
    expect(x("charge")).toBeLessThan(x("pack"));
    expect(x("pack")).toBeLessThan(x("ship"));
    expect(edges.map(({ from, to }) => `${from} ${to}`).toSorted()).toEqual([
      "charge mail",
      "charge pack",
      "charge ship",
      "pack ship",
    ]);
  });

  test("lets no two jobs overlap, and keeps all of them within the picture", () => {
    const graph: Record<string, string> = { first: "" };
    for (let n = 0; n < 40; n += 1) graph[`job-${n}`] = n % 3 === 0 ? "first" : `job-${n - 1} first`;
    const { places, width, height } = laidOut(graph);
    const all = [...places.values()];
    for (const [index, { x, y }] of all.entries()) {
      expect(x + NODE.width).toBeLessThanOrEqual(width);
      expect(y - NODE.height / 2).toBeGreaterThanOrEqual(0);
      expect(y + NODE.height / 2).toBeLessThanOrEqual(height);
      for (const other of all.slice(index + 1)) {
        expect(x !== other.x || Math.abs(y - other.y) >= NODE.height).toBe(true);
      }
    }
  });

  test("orders a column so that edges do not cross", () => {
    const { places } = laidOut({ a: "", b: "", c: "", ofC: "c", ofB: "b", ofA: "a" });
    const y = (id: string): number => places.get(id)?.y ?? NaN;
    expect(y("ofA")).toBe(y("a"));
    expect(y("ofB")).toBe(y("b"));
    expect(y("ofC")).toBe(y("c"));
  });

  test("leads an edge around the jobs that it passes", () => {
    const { places, edges } = laidOut({ a: "", b: "a", c: "b a" });
    const { path } = edges.find(({ from, to }) => from === "a" && to === "c")!;
    // Where it is straight, it passes the column of b.
    const bend = Number(/ (\d+)H/.exec(path)?.[1]);
    expect(Math.abs(bend - (places.get("b")?.y ?? NaN))).toBeGreaterThan(NODE.height / 2);
  });

  test("draws what was read in the middle of a change: links to jobs that are not there, and a cycle", () => {
    const { places, edges } = laidOut({ a: "c gone", b: "a", c: "b" });
    expect(places.size).toBe(3);
    expect(edges).toHaveLength(2);
  });

  test("draws nothing of which a picture tells nothing", () => {
    const many = Object.fromEntries(Array.from({ length: 301 }, (_, n) => [`job-${n}`, ""]));
    expect(layoutOf(jobsOf(many))).toBeNull();
    expect(layoutOf([])).toBeNull();
    const tangled: Record<string, string> = { "job-0": "" };
    for (let n = 1; n < 100; n += 1) tangled[`job-${n}`] = `job-${n - 1}${n > 1 ? " job-0" : ""}`;
    expect(layoutOf(jobsOf(tangled))).toBeNull();
  });
});
