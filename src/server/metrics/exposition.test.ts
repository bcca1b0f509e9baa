import { expect, test } from "vitest";
import { Scrape } from "../../../test/support/exposition.js";
import { Exposition, labelText } from "./exposition.js";

test("OBS-11 label values are escaped", () => {
  const value = 'a"b\\c\nd\\ne';
  expect(labelText({ queue: value })).toBe('queue="a\\"b\\\\c\\nd\\\\ne"');
  const exposition = new Exposition();
  exposition.metric("konveier_things", "gauge", "Things.");
  exposition.value("konveier_things", labelText({ queue: value, job_name: "x" }), 1.5);
  const scrape = new Scrape(exposition.toString());
  expect(scrape.samples).toEqual([
    { name: "konveier_things", labels: { queue: value, job_name: "x" }, value: 1.5 },
  ]);
});
