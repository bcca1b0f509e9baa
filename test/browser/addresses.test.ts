import type { Page } from "playwright-core";
import { describe, expect, test, vi } from "vitest";
import { CHROMIUM, useBrowser } from "../support/chromium.js";
import { startHttpServer } from "../support/http-server.js";
import { enqueue } from "./tab.js";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

const PATIENCE = { timeout: 30_000 } as const;

describe.skipIf(CHROMIUM === null)("an address", () => {
  const browser = useBrowser();

  async function open(path: string, language: "en" | "ru" = "en"): Promise<Page> {
    const server = await startHttpServer({ dashboard: true });
    await enqueue(server, 1);
    await enqueue(server, 1, "reports");
    const page = await (await browser.signedIn(server, { language })).newPage();
    await page.goto(server.url + path);
    return page;
  }

  test.each(["/nope", "/a/b/c", "/dead/more"])("of no page says so: %s", async (path) => {
    const page = await open(path);
    await page.getByRole("heading", { name: "There is no such page." }).waitFor(PATIENCE);
  });

  test.each([
    ["/dead/", "Dead letters"],
    ["/jobs/1/", "email.send"],
    ["/queues/", "Queues"],
    ["/queues/emails/", "emails"],
  ])("may have a slash at its end: %s", async (path, heading) => {
    const page = await open(path);
    await page.getByRole("heading", { level: 1, name: heading, exact: true }).waitFor(PATIENCE);
  });

  test("with what is no number says so of a job", async () => {
    const page = await open("/jobs/abc");
    await page.getByRole("heading", { name: "abc is not a job number" }).waitFor(PATIENCE);
  });

  test.each([
    "/jobs?q=queue%3Aemails&cursor=old",
    "/flows?cursor=old",
    "/schedules?cursor=old",
    "/settings?tab=audit&cursor=old",
  ])("of an old place in a list leads to its beginning: %s", async (path) => {
    const page = await open(path);
    await page.getByRole("link", { name: "To the beginning of the list" }).first().click();
    await expect.poll(() => page.url(), PATIENCE).not.toContain("cursor");
    await expect.poll(() => page.locator(".notice.bad").count(), PATIENCE).toBe(0);
  });

  test("has the filter of the queues", async () => {
    const page = await open("/queues?q=rep");
    await page.getByRole("link", { name: "reports" }).waitFor(PATIENCE);
    expect(await page.getByRole("link", { name: "emails" }).count()).toBe(0);
    await page.getByRole("searchbox").last().fill("mail");
    await expect.poll(() => new URL(page.url()).search, PATIENCE).toBe("?q=mail");
    await page.getByRole("link", { name: "emails" }).waitFor(PATIENCE);
  });

  test("of the figures of a queue that is not there names it", async () => {
    const page = await open("/metrics-ui?queue=nope");
    await page.getByText("There is no queue of this name").waitFor(PATIENCE);
    const chosen = page.locator(".metrics-queue");
    await expect.poll(() => chosen.inputValue(), PATIENCE).toBe("nope");
  });

  test("with a faulty filter tells its fault in the language of the page", async () => {
    const page = await open("/jobs?q=state%3Aded", "ru");
    await page.getByText("нет такого состояния; возможно, «dead»?").waitFor(PATIENCE);
  });
});
