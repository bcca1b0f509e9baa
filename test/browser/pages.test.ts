import { describe, expect, test, vi } from "vitest";
import { violations } from "../support/axe.js";
import { CHROMIUM, isTooWide, useBrowser } from "../support/chromium.js";
import { startHttpServer } from "../support/http-server.js";
import { seed } from "./seed.js";
import { hasLoaded } from "./tab.js";

vi.setConfig({ testTimeout: 240_000, hookTimeout: 60_000 });

const PAGES = [
  "/",
  "/queues",
  "/queues/emails",
  "/queues/newsletter",
  "/jobs",
  "/jobs?q=state%3Adead",
  "/jobs/4",
  "/jobs/7",
  "/jobs/999",
  "/jobs/abc",
  "/jobs?cursor=old",
  "/nope",
  "/flows",
  "/flows?state=failed",
  "/flows/1",
  "/flows/1?view=table",
  "/flows/999",
  "/jobs/18",
  "/dead",
  "/schedules",
  "/schedules/report.weekly",
  "/workers",
  "/metrics-ui",
  "/settings",
  "/settings?tab=access",
  "/settings?tab=limits",
  "/settings?tab=display",
  "/settings?tab=audit",
  "/settings?tab=about",
];

/** In the long form every language in every theme, else each of them once. */
const LONG = process.env["KONVEIER_LONG_TESTS"] === "1";
const LANGUAGES = ["en", "ru"] as const;
const THEMES = ["light", "dark"] as const;

const SIZES = [
  { width: 1_280, height: 800 },
  { width: 390, height: 844 },
];

describe.skipIf(CHROMIUM === null)("every page of the dashboard", () => {
  const browser = useBrowser();

  test.each(
    LONG
      ? LANGUAGES.flatMap((language) => THEMES.map((theme) => [language, theme] as const))
      : ([
          ["en", "light"],
          ["ru", "dark"],
        ] as const),
  )("in %s and %s is accessible, fits its window, and runs without a fault", async (language, theme) => {
    const server = await startHttpServer({ dashboard: true });
    await seed(server);
    const faults: string[] = [];
    for (const size of SIZES) {
      const context = await browser.signedIn(server, { language, theme, ...size });
      const page = await context.newPage();
      for (const path of PAGES) {
        await page.goto(server.url + path);
        await hasLoaded(page);
        const place = `${path} at ${size.width}`;
        if (await isTooWide(page)) faults.push(`${place} is too wide`);
        faults.push(...(await violations(page)).map((violation) => `${place}: ${violation}`));
      }
    }
    expect(faults).toEqual([]);
  });
});
