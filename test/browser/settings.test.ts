import { describe, expect, test, vi } from "vitest";
import { CHROMIUM, useBrowser } from "../support/chromium.js";
import { startHttpServer } from "../support/http-server.js";
import { hasLoaded } from "./tab.js";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

const SIZES = [
  { width: 1_280, height: 800 },
  { width: 390, height: 844 },
];

const PATIENCE = { timeout: 30_000 } as const;

describe.skipIf(CHROMIUM === null)("what this browser is set to", () => {
  const browser = useBrowser();

  test("says that its clock is wrong, also when the page is the first one", async () => {
    const server = await startHttpServer({ dashboard: true });
    const context = await browser.signedIn(server);
    await context.addInitScript("{ const now = Date.now; Date.now = () => now() + 7_200_000; }");
    const tab = await context.newPage();
    await tab.goto(`${server.url}/settings?tab=about`);
    await tab.getByText(/ahead of the server/).waitFor(PATIENCE);
    expect(await tab.getByText("agrees").count()).toBe(0);
  });

  test("reaches the other tabs: language and theme", async () => {
    const server = await startHttpServer({ dashboard: true });
    const context = await browser.signedIn(server);
    const tab = await context.newPage();
    const other = await context.newPage();
    for (const each of [tab, other]) {
      await each.goto(`${server.url}/queues`);
      await hasLoaded(each);
    }
    const display = tab.getByRole("button", { name: "Display" });
    await display.click();
    await tab.getByRole("menuitemradio", { name: "Dark" }).click();
    await other.locator("html[data-theme='dark']").waitFor({ state: "attached", ...PATIENCE });
    if ((await tab.getByRole("menu").count()) === 0) await display.click();
    await tab.getByRole("menuitemradio", { name: "Русский" }).click();
    await other.getByRole("heading", { name: "Очереди" }).waitFor(PATIENCE);
  });
});

describe.skipIf(CHROMIUM === null)("the audit log", () => {
  const browser = useBrowser();

  test.each(SIZES)("is readable to its end at $width px", async (size) => {
    const server = await startHttpServer({ dashboard: true });
    const q = `name:${"a-long-name-".repeat(8)} state:dead`;
    const { previewToken } = (await server.post("/v1/jobs/bulk/preview", { action: "retry", q })).body;
    expect((await server.post("/v1/jobs/bulk", { previewToken })).status).toBe(202);
    const context = await browser.signedIn(server, { language: "ru", ...size });
    const tab = await context.newPage();
    await tab.goto(`${server.url}/settings?tab=audit`);
    await hasLoaded(tab);
    const chosen = tab.locator(".tabs a[aria-current]");
    // Away from the shadows at both ends.
    const bar = (await tab.locator(".tabs").boundingBox())!;
    await expect
      .poll(async () => {
        const { x, width } = (await chosen.boundingBox())!;
        return x >= bar.x + 14 && x + width <= bar.x + bar.width - 14;
      })
      .toBe(true);
    const row = tab.locator("tbody tr").filter({ hasText: "a-long-name-" });
    expect(await row.locator(".badge").innerText()).toMatch(/^Начато\s202$/);
    const hidden = await row
      .locator(".audit-target")
      .evaluate(({ scrollWidth, clientWidth }: Box) => scrollWidth - clientWidth);
    expect(hidden).toBeLessThanOrEqual(0);
    expect(await tab.locator(".paging").count()).toBe(0);
  });
});

/** What the test needs of an element in the page. */
interface Box {
  readonly scrollWidth: number;
  readonly clientWidth: number;
}
