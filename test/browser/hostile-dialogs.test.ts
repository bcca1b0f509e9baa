import type { Page } from "playwright-core";
import { describe, expect, test, vi } from "vitest";
import { CHROMIUM, useBrowser } from "../support/chromium.js";
import { startHttpServer, type HttpServer } from "../support/http-server.js";
import { expectShown, harm, settled } from "./hostile-look.js";
import { FULL_JOB, PAYLOAD, quoted, REASONS, seedHostile } from "./hostile-seed.js";
import { NAMES, PRINTABLE_TEXTS } from "./hostile-texts.js";

vi.setConfig({ testTimeout: 240_000, hookTimeout: 60_000 });

const TAGS = PRINTABLE_TEXTS.slice(0, 16);
const FILTER = TAGS.slice(0, 5)
  .map((tag) => `tag:${quoted(tag)}`)
  .join(" ");

async function open(page: Page, server: HttpServer, path: string): Promise<void> {
  await page.goto(server.url + path);
  await settled(page);
}

describe.skipIf(CHROMIUM === null)("what others wrote is only ever text", () => {
  const browser = useBrowser();

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
      await dialog.getByRole("button", { name: /^(Cancel|Go back)$/ }).click();
      await dialog.waitFor({ state: "detached" });
    };

    await open(page, server, `/jobs?q=${encodeURIComponent(FILTER)}`);
    await check("filter chips", TAGS.slice(0, 5));
    const field = page.getByRole("combobox").first();
    for (const [qualifier, text] of [
      ["tag", PRINTABLE_TEXTS[0]],
      ["worker", PRINTABLE_TEXTS[32]],
      ["name", NAMES[0]],
    ] as const) {
      await field.fill(`${qualifier}:"${text.slice(0, 2)}`);
      await page.getByRole("option").first().waitFor();
      await check(`suggestions of ${qualifier}`, [text]);
    }
    await field.press("Escape");
    for (const text of [TAGS[0], PRINTABLE_TEXTS[32]]) {
      await page.goto(`${server.url}/jobs?q=${encodeURIComponent(`unknown:${quoted(text ?? "")}`)}`);
      await page.getByRole("alert").first().waitFor();
      await check("a filter that is refused", [text ?? ""]);
    }

    await open(page, server, "/jobs?state=running");
    await page.getByRole("checkbox").first().check();
    await page.getByRole("region", { name: "Selection" }).getByRole("button", { name: "Cancel" }).click();
    await dialog.locator("li").first().waitFor();
    await check("the preview of a bulk action", ["held"]);
    await dialog.getByRole("button", { name: "Go back" }).click();
    await dialog.waitFor({ state: "detached" });

    await open(page, server, `/jobs?q=${encodeURIComponent(`name:${NAMES[0]}`)}`);
    const actions = page.getByRole("button", { name: `Actions for job ${FULL_JOB}` });
    await actions.click();
    await page.getByRole("menu").waitFor();
    await check("the menu of a row", []);
    // It closes when the window changes its size, as the check does.
    await page.getByRole("menu").waitFor({ state: "hidden" });
    await actions.click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    await dialog.waitFor();
    await check("the question before a delete", [NAMES[0]]);
    await leave();

    await page.getByRole("button", { name: "New job" }).first().click();
    await dialog.getByLabel("Name").fill(TAGS[2] ?? "");
    await dialog.locator("textarea").fill(JSON.stringify(PAYLOAD));
    await dialog.getByLabel("Tags").fill(PRINTABLE_TEXTS[32]);
    await dialog.getByRole("button", { name: "Enqueue" }).click();
    await dialog.locator(".fault").first().waitFor();
    await check("the form for a new job", [TAGS[2] ?? ""]);
    await leave();

    await open(page, server, "/dead");
    await page.getByRole("button", { name: "Retry 1…", exact: true }).first().click();
    await dialog.locator("li").first().waitFor();
    await check("the preview of a retry", ["dies"]);
    await leave();
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
    await check("a toast", [`Queue ${NAMES[0]} is resumed.`]);
    await page.getByRole("button", { name: "Pause", exact: true }).click();
    await dialog.getByLabel("Reason").fill(REASONS[0] ?? "");
    await dialog.getByRole("button", { name: "Pause" }).click();
    await dialog.waitFor({ state: "detached" });
    await check("a reason that was typed", [REASONS[0] ?? ""]);
    expect(faults).toEqual([]);
  });
});
