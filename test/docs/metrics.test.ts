import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { ClaimView } from "../../src/api/claim.js";
import { Scrape } from "../support/exposition.js";
import { startHttpServer } from "../support/http-server.js";
import { testDatabase } from "../support/test-database.js";
import { PROMTOOL, promtool } from "../support/promtool.js";

function pathOf(file: string): string {
  return fileURLToPath(new URL(`../../${file}`, import.meta.url));
}

function textOf(file: string): string {
  return readFileSync(pathOf(file), "utf8");
}

/** A scrape in which every metric has a series: some are there on PostgreSQL only. */
async function liveScrape(): Promise<Scrape> {
  const server = await startHttpServer({ database: testDatabase("postgres") });
  await server.send("PUT", "/v1/schedules/nightly", { json: { cron: "@daily", job: { name: "report" } } });
  await server.send("PATCH", "/v1/queues/default", { json: { concurrency: 5 } });
  await server.post("/v1/jobs", { name: "mail.send" });
  const claim = { workerId: "w", queues: ["default"] };
  expect((await server.post("/v1/claim", claim)).as(ClaimView).jobs).toHaveLength(1);
  return new Scrape((await server.get("/metrics")).text);
}

/** Names of Konveier's metrics in a text; `_bucket` and the like belong to their histogram. */
function namesIn(text: string): string[] {
  const names = [...text.matchAll(/\bkonveier_[a-z_]+/g)].map(([name]) => name);
  return [...new Set(names.map((name) => name.replace(/_seconds_(bucket|sum|count)$/, "_seconds")))];
}

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: Readonly<Record<string, string>>;
}

const RULES = (
  parse(textOf("deploy/prometheus/rules.yml")) as { groups: { rules: Rule[] }[] }
).groups.flatMap(({ rules }) => rules);

describe("docs/metrics.md", () => {
  const rows = [...textOf("docs/metrics.md").matchAll(/^\| `(konveier_\w+)` +\| (\w+) +\| ([^|]*)\|/gm)];
  const documented = rows.map(([, name, type, labels]) => [
    name,
    type,
    [...(labels ?? "").matchAll(/`(\w+)`/g)].map(([, label]) => label).toSorted(),
  ]);

  test("names every metric with its type and labels, and no other", async () => {
    const scrape = await liveScrape();
    const live = [...scrape.types]
      .filter(([name]) => name.startsWith("konveier_"))
      .map(([name, type]) => {
        const sample = scrape.samples.find((each) => each.name === name || each.name === `${name}_sum`);
        return [name, type, Object.keys(sample?.labels ?? {}).toSorted()];
      });
    expect(documented.toSorted()).toEqual(live.toSorted());
  });

  test("names every alert", () => {
    const alerts = [...textOf("docs/metrics.md").matchAll(/^\| `(Konveier\w+)`/gm)].map(([, name]) => name);
    expect(alerts).toEqual(RULES.map(({ alert }) => alert));
  });
});

describe("deploy/", () => {
  test("the rules and the dashboard use only metrics that exist", async () => {
    const { types } = await liveScrape();
    for (const file of ["deploy/prometheus/rules.yml", "deploy/prometheus/rules.test.yml"]) {
      expect(namesIn(textOf(file)).filter((name) => !types.has(name))).toEqual([]);
    }
    const dashboard = JSON.stringify(JSON.parse(textOf("deploy/grafana/konveier.json")));
    expect(namesIn(dashboard).length).toBeGreaterThan(15);
    expect(namesIn(dashboard).filter((name) => !types.has(name))).toEqual([]);
  });

  test("the dashboard shows every metric, and no panel covers another", () => {
    interface Panel {
      readonly id: number;
      readonly title: string;
      readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
      readonly targets: readonly { readonly expr: string }[];
    }
    const { panels } = JSON.parse(textOf("deploy/grafana/konveier.json")) as { panels: Panel[] };
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    const cells = panels.flatMap(({ gridPos: { x, y, w } }) =>
      Array.from({ length: w }, (_, column) => `${x + column} ${y}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    for (const { title, targets } of panels) expect(targets.length, title).toBeGreaterThan(0);
  });

  test("every alert says what is wrong and what to do", () => {
    for (const { alert, labels, annotations } of RULES) {
      expect(["page", "ticket", "info"], alert).toContain(labels.severity);
      expect(Object.keys(annotations), alert).toEqual(["summary", "description", "action"]);
    }
  });

  test.skipIf(PROMTOOL === null)("OBS-14 promtool finds the rules right, and their tests pass", () => {
    expect(promtool(["check", "rules", pathOf("deploy/prometheus/rules.yml")])).toMatchObject({ code: 0 });
    const tested = promtool(["test", "rules", pathOf("deploy/prometheus/rules.test.yml")]);
    expect(tested.output).toContain("SUCCESS");
    expect(tested.code).toBe(0);
  });
});
