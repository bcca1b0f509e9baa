import { describe, expect, test } from "vitest";
import { nextRun } from "../../src/cron/next.js";
import { parseCron } from "../../src/cron/parse.js";
import { zone } from "../../src/cron/zone.js";
import { seededRandom } from "../support/seeded-random.js";
import { minutesBetween, runsIn } from "./brute-force.js";
import { changesBetween } from "./local-clock.js";
import { matchesDate } from "./model.js";
import { randomModel } from "./random-model.js";
import { ZONES } from "./sample-zones.js";

const DAY = 86_400_000;
const RULES_PER_WINDOW = 8;

describe("against a walk over every minute", () => {
  test.each(ZONES)("the runs around the changes of %s are all there, and no others", (name) => {
    const random = seededRandom(name.length * 7_919 + name.charCodeAt(2));
    const year = name === "Pacific/Apia" ? 2011 : 2019;
    const changes = changesBetween(name, Date.UTC(year, 0, 1), Date.UTC(year + 1, 0, 1));
    for (const centre of [Date.UTC(year, 5, 30), ...changes.slice(0, 2), ...changes.slice(-1)]) {
      const from = centre - 1.25 * DAY;
      const to = centre + 1.25 * DAY;
      const steps = minutesBetween(name, from, to);
      for (let index = 0; index < RULES_PER_WINDOW; index += 1) {
        const model = randomModel(random);
        const rule = parsed(model.text);
        if (rule === null) continue;
        const found: number[] = [];
        for (let at = nextRun(rule, zone(name), from - 1); at !== null && at < to;) {
          found.push(at);
          at = nextRun(rule, zone(name), at);
        }
        const wanted = runsIn(model, steps);
        if (found.join() !== wanted.join()) {
          expect(found.map(iso), `${model.text} in ${name}`).toEqual(wanted.map(iso));
        }
      }
    }
  });

  test("an expression is refused as never running exactly when no date of 400 years matches", () => {
    const random = seededRandom(5);
    let refused = 0;
    for (let index = 0; index < 4_000; index += 1) {
      const model = randomModel(random);
      if (parsed(model.text) !== null && index % 40 !== 0) continue;
      let matching = false;
      for (let date = Date.UTC(2000, 0, 1); date < Date.UTC(2400, 0, 1) && !matching; date += DAY) {
        matching = matchesDate(model, date);
      }
      expect(parsed(model.text) !== null, model.text).toBe(matching);
      if (!matching) refused += 1;
    }
    expect(refused).toBeGreaterThan(10);
  });
});

/** `null` for an expression that never runs. */
function parsed(text: string) {
  try {
    const rule = parseCron(text);
    return rule.kind === "cron" ? rule : null;
  } catch (error) {
    if (error instanceof Error && error.message.includes("never")) return null;
    throw error;
  }
}

function iso(instant: number): string {
  return new Date(instant).toISOString();
}
