import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { FindingsView } from "../../src/api/finding.js";
import { RECENT_MS, THRESHOLDS } from "../../src/engine/findings/thresholds.js";

function textOf(file: string): string {
  return readFileSync(new URL(`../../${file}`, import.meta.url), "utf8");
}

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
}

const RULES = (
  parse(textOf("deploy/prometheus/rules.yml")) as { groups: { rules: Rule[] }[] }
).groups.flatMap(({ rules }) => rules);

function ruleOf(alert: string): Rule {
  const rule = RULES.find((each) => each.alert === alert);
  if (rule === undefined) throw new Error(`There is no alert ${alert}`);
  return rule;
}

/** What an alert compares its figure with: the last number behind a ">" that is not 0. */
function limitOf(alert: string): number {
  const limits = [...ruleOf(alert).expr.matchAll(/> ([\d.e]+)/g)].map(([, number]) => Number(number));
  return limits.find((limit) => limit !== 0) ?? Number.NaN;
}

describe("the thresholds of findings", () => {
  test("are those of the alert rules", () => {
    expect(limitOf("KonveierQueueStuck") * 1_000).toBe(THRESHOLDS.stalledMs);
    expect(limitOf("KonveierFailureRatio")).toBe(THRESHOLDS.failureRatio);
    expect(limitOf("KonveierLeasesLost")).toBe(THRESHOLDS.leasesLost);
    expect(limitOf("KonveierScheduleOverdue") * 1_000).toBe(THRESHOLDS.overdueMs);
    expect(limitOf("KonveierWalGrowing")).toBe(THRESHOLDS.walBytes);
    expect(ruleOf("KonveierQueueHasNoWorkers").for).toBe(`${THRESHOLDS.withoutWorkerMs / 60_000}m`);
    expect(ruleOf("KonveierPausedTooLong").for).toBe(`${THRESHOLDS.pausedTooLongMs / 3_600_000}h`);
    for (const alert of ["KonveierFailureRatio", "KonveierLeasesLost"]) {
      expect(ruleOf(alert).expr, alert).toContain(`[${RECENT_MS / 60_000}m]`);
    }
  });
});

describe("docs/findings.md", () => {
  const rows = [...textOf("docs/findings.md").matchAll(/^\| `(\w+)` .*\| ([^|]*) \| ([^|]*) \|$/gm)];

  test("has every code with its figures, and no other", () => {
    const documented = new Map(
      rows.map(([, code, figures]) => [
        code,
        [...(figures ?? "").matchAll(/`((?!null)[a-z]\w*)`/g)].map(([, figure]) => figure).toSorted(),
      ]),
    );
    const common = ["code", "severity", "since", "detail"];
    const declared = new Map(
      FindingsView.properties.items.items.anyOf.map(({ properties }) => [
        properties.code.const,
        Object.keys(properties)
          .filter((name) => !common.includes(name))
          .toSorted(),
      ]),
    );
    expect(Object.fromEntries(documented)).toEqual(Object.fromEntries(declared));
  });

  test("names alerts that there are", () => {
    const alerts = rows.flatMap(([, , , alert]) => /`(\w+)`/.exec(alert ?? "")?.[1] ?? []);
    expect(alerts.length).toBeGreaterThan(6);
    for (const alert of alerts) expect(ruleOf(alert).alert).toBe(alert);
  });
});
