import type { Locator, Page } from "playwright-core";
import { describe, expect, test, vi } from "vitest";
import { CHROMIUM, isTooWide, useBrowser } from "../support/chromium.js";
import { startHttpServer, type HttpServer } from "../support/http-server.js";
import { seed } from "./seed.js";
import { hasLoaded, shows } from "./tab.js";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

/** 1280×1024 pixels at a zoom of 400 %. */
const ZOOMED = { width: 320, height: 256, language: "ru" } as const;
const PHONE = { width: 390, height: 844 } as const;

/** What of the page can be pressed, and what is written, is cut off by something that hides or scrolls it sideways. */
const CUT_OFF = `[...document.querySelectorAll("main :is(a, button, input, select, time, .flow-ended, .second-line)")]
  .filter((it) => it.checkVisibility() && it.closest(".tabs, .graph, .upcoming, .visually-hidden, thead") === null)
  .filter((it) => {
    const frame = it.closest(".table-frame, .card, main").getBoundingClientRect();
    const { left, right } = it.getBoundingClientRect();
    return left < frame.left - 1 || right > frame.right + 1;
  })
  .map((it) => it.innerText)`;

/** Whether the whole of it is in the window, and nothing lies over it. */
const IS_IN_SIGHT = `(() => {
  const it = document.activeElement;
  const { left, right, top, bottom } = it.getBoundingClientRect();
  const over = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
  const frame = it.parentElement.closest(".graph, .tabs")?.getBoundingClientRect() ?? { left: 0, right: innerWidth };
  return left >= frame.left - 1 && right <= frame.right + 1 && over !== null && (it.contains(over) || over.contains(it));
})()`;

/** A flow whose counts are long. */
async function makeLongFlow(server: HttpServer): Promise<void> {
  const jobs = Array.from({ length: 1_000 }, (_, n) => ({ ref: `part-${n}`, name: "work", queue: "parts" }));
  expect((await server.post("/v1/flows", { name: "long", jobs })).status).toBe(201);
}

/** Presses Tab until this has the focus. Everything that has it before is in sight as well. */
async function tabTo(page: Page, element: Locator): Promise<void> {
  for (let presses = 0; presses < 60; presses += 1) {
    await page.keyboard.press("Tab");
    const [name, isInSight] = await page.evaluate<[string, boolean]>(
      `[document.activeElement.getAttribute("aria-label") ?? document.activeElement.innerText, ${IS_IN_SIGHT}]`,
    );
    expect([name, isInSight]).toEqual([name, true]);
    if (await element.evaluate((it: { matches(selector: string): boolean }) => it.matches(":focus"))) return;
  }
  throw new Error("Tab does not lead there");
}

describe.skipIf(CHROMIUM === null)("in a narrow window", () => {
  const browser = useBrowser();

  test("nothing is cut off at a zoom of 400 %, in the language with the longer words", async () => {
    const server = await startHttpServer({ dashboard: true });
    await seed(server);
    await makeLongFlow(server);
    const page = await (await browser.signedIn(server, ZOOMED)).newPage();
    const paths = ["/", "/queues", "/queues/emails", "/jobs", "/jobs/4", "/flows", "/flows/1", "/dead"];
    paths.push("/schedules", "/schedules/cleanup", "/workers", "/metrics-ui");
    for (const tab of ["access", "limits", "display", "audit", "about"]) paths.push(`/settings?tab=${tab}`);
    for (const path of paths) {
      await page.goto(server.url + path);
      await hasLoaded(page);
      expect([path, await isTooWide(page), await page.evaluate(CUT_OFF)]).toEqual([path, false, []]);
    }
  });

  test("the amounts of a queue's limits can be read", async () => {
    const server = await startHttpServer({ dashboard: true });
    await seed(server);
    const rateLimit = { max: 100, perMs: 90_000 };
    await server.send("PATCH", "/v1/queues/emails", { json: { rateLimit, perKey: { rateLimit } } });
    const page = await (await browser.signedIn(server, ZOOMED)).newPage();
    await page.goto(`${server.url}/queues/emails`);
    const amounts = page.getByLabel("за", { exact: true });
    await amounts.first().waitFor();
    for (const amount of await amounts.all()) {
      expect(await amount.inputValue()).toBe("90");
      expect(await amount.evaluate((it: Sized) => it.scrollWidth <= it.clientWidth)).toBe(true);
    }
  });

  test("all jobs of the page are ticked, and schedules are sorted, by what is in sight", async () => {
    const server = await startHttpServer({ dashboard: true });
    await seed(server);
    const page = await (await browser.signedIn(server, PHONE)).newPage();
    await page.goto(`${server.url}/jobs`);
    await hasLoaded(page);
    await page.getByText("Select all jobs on this page").click();
    const boxes = await page.locator("tbody input[type=checkbox]").all();
    for (const box of boxes) expect(await box.isChecked()).toBe(true);
    expect(boxes.length).toBeGreaterThan(10);

    await page.goto(`${server.url}/schedules`);
    await hasLoaded(page);
    await page.getByRole("link", { name: "Next run" }).click();
    await shows(page.locator("th[aria-sort]"), "Next run");
    expect(new URL(page.url()).search).toBe("?sort=next");
  });

  test("what has the focus is in sight", async () => {
    const server = await startHttpServer({ dashboard: true });
    await seed(server);
    const page = await (await browser.signedIn(server, PHONE)).newPage();
    for (const [path, last] of [
      ["/jobs", page.getByRole("checkbox", { name: "Select job 18" })],
      ["/schedules", page.getByRole("link", { name: "report.weekly" })],
      ["/flows/1", page.locator(".graph-node", { hasText: "ship" })],
    ] as const) {
      await page.goto(server.url + path);
      await hasLoaded(page);
      await tabTo(page, last);
    }
  });
});

interface Sized {
  readonly scrollWidth: number;
  readonly clientWidth: number;
}
