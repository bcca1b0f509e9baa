import type { Locator, Page } from "playwright-core";
import { describe, expect, test, vi } from "vitest";
import { CHROMIUM, isTooWide, useBrowser } from "../support/chromium.js";
import { startHttpServer } from "../support/http-server.js";
import { enqueue, openTab, settle, shows, type InPage } from "./tab.js";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

const PATIENCE = { timeout: 30_000 } as const;

/** Runs in the page: the tables that are wider than their place. */
const HIDDEN = `[...document.querySelectorAll(".table-frame")]
  .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
  .map(({ textContent }) => textContent)`;

function rowOf(tab: Page, id: number): Locator {
  return tab.locator(`tr[data-job="${id}"]`);
}

function firstRow(tab: Page): Promise<string | null> {
  return tab.locator("tr[data-job]").first().getAttribute("data-job");
}

describe.skipIf(CHROMIUM === null)("a name as long as may be", () => {
  const browser = useBrowser();
  const NAME = "n".repeat(128);

  test.each(["/queues", "/metrics-ui", "/workers", "/jobs"])(
    "leaves what stands beside it in sight on %s",
    async (path) => {
      const server = await startHttpServer({ dashboard: true });
      await server.post("/v1/jobs", { name: NAME, queue: NAME });
      await server.post("/v1/claim", { workerId: "w".repeat(100), queues: [NAME], max: 1, leaseMs: 600_000 });
      const tab = await openTab(await browser.signedIn(server), server.url + path);
      await tab.locator(".table-frame").first().waitFor();
      expect(await tab.evaluate(HIDDEN)).toEqual([]);
      await tab.setViewportSize({ width: 390, height: 800 });
      expect(await isTooWide(tab)).toBe(false);
    },
  );
});

describe.skipIf(CHROMIUM === null)("the list of jobs", () => {
  const browser = useBrowser();

  test("announces new jobs, and moves no row under the pointer", async () => {
    const server = await startHttpServer({ dashboard: true });
    await enqueue(server, 5);
    const tab = await openTab(await browser.signedIn(server), `${server.url}/jobs`);
    await rowOf(tab, 5).hover();
    // The very element: the row must not be made anew either.
    const row = await rowOf(tab, 5).elementHandle();
    const before = await row.boundingBox();
    const announced = tab.locator(".new-rows");
    await enqueue(server, 15);
    await expect.poll(() => announced.innerText(PATIENCE), PATIENCE).toContain("15 new");
    await enqueue(server, 5);
    await expect.poll(() => announced.innerText(PATIENCE), PATIENCE).toContain("20 new");
    expect(await row.boundingBox()).toEqual(before);
    expect(await firstRow(tab)).toBe("5");
    await announced.click();
    await expect.poll(() => firstRow(tab), PATIENCE).toBe("25");
    expect(await tab.locator("tr[data-job]").count()).toBe(25);
    expect(await announced.count()).toBe(0);
  });

  test("changes what stands in a row while it is under the pointer, also when the job leaves the list", async () => {
    const server = await startHttpServer({ dashboard: true });
    await enqueue(server, 3);
    const tab = await openTab(await browser.signedIn(server), `${server.url}/jobs?state=pending`);
    await rowOf(tab, 1).hover();
    const row = await rowOf(tab, 1).elementHandle();
    const before = await row.boundingBox();
    await settle(server, "emails", "complete");
    await shows(rowOf(tab, 1).locator(".column-state"), "Completed");
    await expect.poll(() => tab.locator(".new-rows").innerText(PATIENCE), PATIENCE).toContain("1 gone");
    expect(await row.evaluate((element: InPage) => element.isConnected)).toBe(true);
    expect(await row.boundingBox()).toEqual(before);
    await tab.locator(".new-rows").click();
    await rowOf(tab, 1).waitFor({ state: "detached", ...PATIENCE });
  });

  test("follows by itself while nobody is at work in it", async () => {
    const server = await startHttpServer({ dashboard: true });
    await enqueue(server, 2);
    const tab = await openTab(await browser.signedIn(server), `${server.url}/jobs`);
    await tab.mouse.move(0, 0);
    await enqueue(server, 1);
    await expect.poll(() => firstRow(tab), PATIENCE).toBe("3");
  });
});
