import type { Page } from "playwright-core";
import { describe, expect, test, vi } from "vitest";
import { CHROMIUM, useBrowser } from "../support/chromium.js";
import { startHttpServer, type HttpServer } from "../support/http-server.js";
import { expectShown, harm, settled } from "./hostile-look.js";
import { FULL_JOB, KEY, PAYLOAD, quoted, REASONS, seedHostile } from "./hostile-seed.js";
import { ALL_TEXTS, NAMES, PRINTABLE_TEXTS } from "./hostile-texts.js";

vi.setConfig({ testTimeout: 240_000, hookTimeout: 60_000 });

const TAGS = PRINTABLE_TEXTS.slice(0, 16);
/** As it stands in JSON, between the quotes. */
const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);

const FILTER = TAGS.slice(0, 5)
  .map((tag) => `tag:${quoted(tag)}`)
  .join(" ");

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

  test("in what opens over a page, and in what comes while one looks", async () => {
    const server = await startHttpServer({ dashboard: true });
    await seedHostile(server);
    const page = await (await browser.signedIn(server)).newPage();
    const faults: string[] = [];
    const check = async (what: string, shown: readonly string[]): Promise<void> => {
      await expectShown(page, shown);
      faults.push(...(await harm(page)).map((fault) => `${what}: ${fault}`));
    };
    const dialog = page.getByRole("dialog");
    const leave = async (): Promise<void> => {
      await dialog.getByRole("button", { name: "Cancel", exact: true }).click();
      await dialog.waitFor({ state: "detached" });
    };

    await open(page, server, `/jobs?q=${encodeURIComponent(FILTER)}`);
    await check("filter chips", TAGS.slice(0, 5));
    const field = page.getByRole("combobox").first();
    for (const [qualifier, text] of [
      ["tag", TAGS[0]],
      ["worker", PRINTABLE_TEXTS[32]],
      ["name", NAMES[0]],
    ] as const) {
      await field.fill(`${qualifier}:"${(text ?? "").slice(0, 2)}`);
      await page.getByRole("option").first().waitFor();
      await check(`suggestions of ${qualifier}`, [text]);
    }
    await field.press("Escape");
    for (const text of [TAGS[0], PRINTABLE_TEXTS[32]]) {
      await page.goto(`${server.url}/jobs?q=${encodeURIComponent(text ?? "")}`);
      await page.getByRole("alert").first().waitFor();
      await check("a filter that is refused", [text ?? ""]);
    }

    await open(page, server, "/jobs?state=running");
    await page.getByRole("checkbox").first().check();
    await page.getByRole("region", { name: "Selection" }).getByRole("button", { name: "Cancel" }).click();
    await dialog.locator("li").first().waitFor();
    await check("the preview of a bulk action", ["held"]);
    await dialog.getByRole("button", { name: "Do not cancel" }).click();
    await dialog.waitFor({ state: "detached" });

    await open(page, server, `/jobs?q=${encodeURIComponent(`name:${NAMES[0]}`)}`);
    await page.getByRole("button", { name: `Actions for job ${FULL_JOB}` }).click();
    await page.getByRole("menu").waitFor();
    await check("the menu of a row", []);
    await page.getByRole("menuitem", { name: "Delete" }).click();
    await dialog.waitFor();
    await check("the question before a delete", [NAMES[0]]);
    await leave();

    await page.getByRole("button", { name: "New job" }).first().click();
    await dialog.getByLabel("Name").fill(TAGS[2] ?? "");
    await dialog.locator("textarea").fill(JSON.stringify(PAYLOAD));
    await dialog.getByLabel("Tags").fill(PRINTABLE_TEXTS[32] ?? "");
    await dialog.getByRole("button", { name: "Enqueue" }).click();
    await dialog.locator(".fault").first().waitFor();
    await check("the form for a new job", [TAGS[2] ?? ""]);
    await leave();

    await open(page, server, "/dead");
    await page.getByRole("button", { name: "Retry", exact: true }).first().click();
    await page.getByText("On trial").first().waitFor();
    await check("a trial", []);
    await page.getByRole("button", { name: "More actions" }).nth(1).click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    await dialog.locator("li").first().waitFor();
    await check("the preview of a delete", ["dies"]);
    await leave();

    await open(page, server, "/settings?tab=access");
    await page.getByRole("button", { name: "Revoke" }).nth(8).click();
    await dialog.waitFor();
    await check("the question before a token is revoked", []);
    await leave();

    await open(page, server, "/schedules/paused-0");
    await page.getByRole("button", { name: "Edit" }).click();
    await dialog.waitFor();
    await check("the form of a schedule", []);
    await leave();

    await open(page, server, `/queues/${NAMES[0]}`);
    await page.getByRole("button", { name: "Live" }).waitFor();
    await server.post(`/v1/queues/${NAMES[0]}/pause`, { reason: REASONS[3] });
    await check("the stream of changes", [REASONS[3] ?? ""]);
    await page.getByRole("button", { name: "Resume", exact: true }).click();
    await check("a toast", [`Queue ${NAMES[0]} goes on.`]);
    await page.getByRole("button", { name: "Pause", exact: true }).click();
    await dialog.getByLabel("Reason").fill(REASONS[0] ?? "");
    await dialog.getByRole("button", { name: "Pause" }).click();
    await dialog.waitFor({ state: "detached" });
    await check("a reason that was typed", [REASONS[0] ?? ""]);
    expect(faults).toEqual([]);
  });
});
