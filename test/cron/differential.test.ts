import { describe, expect, test } from "vitest";
import { nextRun } from "../../src/cron/next.js";
import { parseCron } from "../../src/cron/parse.js";
import { zone } from "../../src/cron/zone.js";
import { seededRandom } from "../support/seeded-random.js";
import { reasonOf } from "./differences.js";
import { changesBetween } from "./local-clock.js";
import type { Model } from "./model.js";
import { croner, cronParser } from "./oracles.js";
import { randomModel, whole } from "./random-model.js";
import { ZONES } from "./sample-zones.js";
import { verdictOn } from "./verdict.js";

const LONG = process.env["KONVEIER_LONG_TESTS"] === "1";
const [TRIPLES, TIMEOUT_MS] = LONG ? [200_000, 1_800_000] : [20_000, 120_000];
/** cron-parser needs a millisecond for each: the short form asks it about every fourth. */
const CRON_PARSER_EVERY = LONG ? 1 : 4;
const FIRST_YEAR = 2005;
const LAST_YEAR = 2035;
/** Triples whose instant lies within two days of a change of the clocks. */
const NEAR_A_CHANGE = 0.6;

interface Triple {
  readonly model: Model;
  readonly zone: string;
  readonly after: number;
}

describe("against croner and cron-parser", () => {
  test(
    "the next run is theirs, or a documented rule says why not",
    () => {
      const counts = new Map<string, number>();
      const count = (what: string) => counts.set(what, (counts.get(what) ?? 0) + 1);
      const unexplained: string[] = [];
      const triples = randomTriples(seededRandom(20_260_105));
      for (let asked = 0; asked < TRIPLES;) {
        const { model, zone: zoneName, after } = triples();
        const rule = parsed(model.text);
        if (rule === null) continue;
        asked += 1;
        const ours = nextRun(rule, zone(zoneName), after);
        const question = `${model.text} in ${zoneName} after ${iso(after)}`;
        if (ours !== null && !verdictOn(model, zoneName, ours).runs) {
          unexplained.push(`${question}: ${iso(ours)} here, which is no run`);
        }
        for (const oracle of asked % CRON_PARSER_EVERY === 0 ? [croner, cronParser] : [croner]) {
          const theirs = oracle.next(model.text, zoneName, after);
          if (theirs === "not read") count(`${oracle.name}: cannot read the expression`);
          else if (theirs === ours) count(`${oracle.name}: same`);
          else {
            const reason = reasonOf({ model, zone: zoneName, after, ours, theirs }, oracle);
            const answers = `${iso(ours)} here, ${iso(theirs)} in ${oracle.name}`;
            if (reason === null) unexplained.push(`${question}: ${answers}`);
            count(`${oracle.name}: ${reason ?? "unexplained"}`);
          }
        }
      }
      if (LONG) console.log([...counts].map(([what, times]) => `${times} ${what}\n`).join(""));
      expect(unexplained).toEqual([]);
      expect(counts.get("croner: same")).toBeGreaterThan(TRIPLES * 0.9);
      expect(counts.get("cron-parser: same")).toBeGreaterThan((TRIPLES / CRON_PARSER_EVERY) * 0.75);
    },
    TIMEOUT_MS,
  );
});

function randomTriples(random: () => number): () => Triple {
  const changes = new Map<string, number[]>();
  for (const name of ZONES) {
    changes.set(name, changesBetween(name, Date.UTC(FIRST_YEAR, 0, 1), Date.UTC(LAST_YEAR, 0, 1)));
  }
  return () => {
    const model = randomModel(random);
    const zone = ZONES[whole(random, 0, ZONES.length - 1)]!;
    const near = changes.get(zone)!;
    const second =
      near.length > 0 && random() < NEAR_A_CHANGE
        ? near[whole(random, 0, near.length - 1)]! / 1_000 + whole(random, -2 * 86_400, 2 * 86_400)
        : whole(random, Date.UTC(FIRST_YEAR, 0, 1) / 1_000, Date.UTC(LAST_YEAR, 0, 1) / 1_000);
    return { model, zone, after: second * 1_000 };
  };
}

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

function iso(instant: number | null): string {
  return instant === null ? "never" : new Date(instant).toISOString();
}
