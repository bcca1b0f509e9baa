import type { Page } from "playwright-core";
import { describe, expect, test, vi } from "vitest";
import { CHROMIUM, useBrowser } from "../support/chromium.js";
import { startHttpServer, type HttpServer } from "../support/http-server.js";
import { expectShown, harm, settled } from "./hostile-look.js";
import { FULL_JOB, KEY, REASONS, seedHostile } from "./hostile-seed.js";
import { ALL_TEXTS, NAMES, PRINTABLE_TEXTS } from "./hostile-texts.js";

vi.setConfig({ testTimeout: 240_000, hookTimeout: 60_000 });

const TAGS = PRINTABLE_TEXTS.slice(0, 16);
/** As it stands in JSON, between the quotes. */
const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);

/** In addresses: as they are typed, encoded in part, and encoded unsoundly. */
const IN_ADDRESSES = [
  ...[2, 20, 32].map((index) => PRINTABLE_TEXTS[index] ?? ""),
  "50%",
  "%E0%A4%A",
  "..",
  "a/b?c#d",
];

const LOCATIONS = REASONS.map((reason, index) => ({ reason, index }));

/** Pages, and the texts that they show. */
const PAGES: readonly (readonly [path: string, shown: readonly string[]])[] = [
  ["/", [...NAMES.slice(0, 3), ...REASONS]],
  ["/queues", NAMES],
  ...NAMES.map((name) => [`/queues/${name}`, [name]] as const),
  ...LOCATIONS.map(({ reason, index }) => [`/queues/paused-${index}`, [reason]] as const),
  ["/queues/held", PRINTABLE_TEXTS],
  ["/jobs?state=running", PRINTABLE_TEXTS],
  ["/jobs?state=scheduled", NAMES],
  [`/jobs/${FULL_JOB}`, [...ALL_TEXTS, ...ALL_TEXTS.map(inJson), ...TAGS, KEY]],
  // A group has the beginning of its message.
  ["/dead", ALL_TEXTS.map((text) => text.slice(0, 150))],
  ["/schedules", [...NAMES, ...REASONS]],
  ...LOCATIONS.map(
    ({ reason, index }) =>
      [`/schedules/paused-${index}`, [reason, ...TAGS, ...ALL_TEXTS.map(inJson)]] as const,
  ),
  ["/workers", PRINTABLE_TEXTS],
  ["/metrics-ui", ["dies"]],
  ["/settings?tab=access", PRINTABLE_TEXTS],
  ["/settings?tab=audit", REASONS],
  ["/settings?tab=retention", []],
  ["/settings?tab=display", []],
  ["/settings?tab=about", []],
];

async function open(page: Page, server: HttpServer, path: string): Promise<void> {
  await page.goto(server.url + path);
  await settled(page);
}

describe.skipIf(CHROMIUM === null)("what others wrote is only ever text", () => {
  const browser = useBrowser();

  test("on every page", async () => {
    const server = await startHttpServer({ dashboard: true });
    await seedHostile(server);
    const page = await (await browser.signedIn(server)).newPage();
    const faults: string[] = [];
    for (const [path, shown] of PAGES) {
      await open(page, server, path);
      await expectShown(page, shown).catch((error: unknown) => {
        faults.push(`${path} does not show: ${String((error as Error & { actual: unknown }).actual)}`);
      });
      faults.push(...(await harm(page)));
    }
    expect(faults).toEqual([]);
  });

  test("in every part of an address", async () => {
    const server = await startHttpServer({ dashboard: true });
    await server.post("/v1/jobs", { name: "a", queue: "a" });
    const page = await (await browser.signedIn(server)).newPage();
    const faults: string[] = [];
    const visit = async (path: string, shown: readonly string[]): Promise<void> => {
      await open(page, server, path);
      await expectShown(page, shown).catch((error: unknown) => {
        faults.push(`${path} does not show: ${String((error as { actual?: unknown }).actual)}`);
      });
      faults.push(...(await harm(page)));
    };
    for (const text of IN_ADDRESSES) {
      const part = encodeURIComponent(text);
      for (const section of ["queues", "jobs", "schedules"]) await visit(`/${section}/${part}`, [text]);
      await visit(`/jobs?q=${part}&state=${part}&cursor=${part}#${part}`, []);
      await visit(`/dead?queue=${part}&name=${part}&sort=${part}`, []);
      await visit(`/metrics-ui?queue=${part}&name=${part}&range=${part}`, []);
      await visit(`/settings?tab=${part}&cursor=${part}`, []);
      await visit(`/jobs/1?attempt=${part}&level=${part}#${part}`, []);
      await visit(`/schedules?cursor=${part}&q=${part}`, []);
    }
    expect(faults).toEqual([]);
  });
});
