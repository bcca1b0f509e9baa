import { describe, expect, test, vi } from "vitest";
import { CHROMIUM, useBrowser } from "../support/chromium.js";
import { startHttpServer } from "../support/http-server.js";
import { expectShown, harm, settled } from "./hostile-look.js";
import { FULL_JOB, KEY, REASONS, seedHostile } from "./hostile-seed.js";
import { ALL_TEXTS, NAMES, PRINTABLE_TEXTS } from "./hostile-texts.js";

vi.setConfig({ testTimeout: 240_000, hookTimeout: 60_000 });

const TAGS = PRINTABLE_TEXTS.slice(0, 16);
/** As it stands in JSON, between the quotes. */
const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);

/** Pages, and the texts that they show. */
const PAGES: readonly (readonly [path: string, shown: readonly string[]])[] = [
  ["/", [...NAMES.slice(0, 3), ...REASONS]],
  ["/queues", NAMES],
  ...[NAMES[0], NAMES[1], NAMES[6]].map((name) => [`/queues/${name}`, [name]] as const),
  ...REASONS.map((reason, index) => [`/queues/paused-${index}`, [reason]] as const),
  ["/queues/held", PRINTABLE_TEXTS],
  ["/jobs?state=running", PRINTABLE_TEXTS],
  ["/jobs?state=scheduled", NAMES],
  [`/jobs/${FULL_JOB}`, [...ALL_TEXTS, ...ALL_TEXTS.map(inJson), ...TAGS, KEY]],
  // A group has the beginning of its message.
  ["/dead", ALL_TEXTS.map((text) => text.slice(0, 150))],
  ["/schedules", [...NAMES, ...REASONS]],
  // The list of schedules has shown all reasons.
  ["/schedules/paused-0", [REASONS[0] ?? "", ...TAGS, ...ALL_TEXTS.map(inJson)]],
  ["/workers", PRINTABLE_TEXTS],
  ["/metrics-ui", ["dies"]],
  ["/settings?tab=access", PRINTABLE_TEXTS],
  ["/settings?tab=audit", REASONS],
  ["/settings?tab=retention", []],
  ["/settings?tab=display", []],
  ["/settings?tab=about", []],
];

describe.skipIf(CHROMIUM === null)("what others wrote is only ever text", () => {
  const browser = useBrowser();

  test("on every page", async () => {
    const server = await startHttpServer({ dashboard: true });
    await seedHostile(server);
    const page = await (await browser.signedIn(server)).newPage();
    const faults: string[] = [];
    for (const [path, shown] of PAGES) {
      await page.goto(server.url + path);
      await settled(page);
      // The worst findings are seen at once, the others on demand.
      for (const more of await page.locator("button[aria-expanded=false]:has-text(' more')").all())
        await more.click();
      await expectShown(page, shown).catch((error: unknown) => {
        faults.push(`${path} does not show: ${String((error as Error & { actual: unknown }).actual)}`);
      });
      faults.push(...(await harm(page)));
    }
    expect(faults).toEqual([]);
  });
});
