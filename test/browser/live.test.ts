import type { Page } from "playwright-core";
import { describe, expect, test, vi } from "vitest";
import { CHROMIUM, useBrowser } from "../support/chromium.js";
import { FaultyProxy, type Fault } from "../support/faulty-proxy.js";
import { startHttpServer } from "../support/http-server.js";
import { sqliteDatabase } from "../support/test-database.js";
import { RequestLog } from "../support/request-log.js";
import { startServer } from "../support/server-process.js";
import { tempDirectory } from "../support/temp-directory.js";
import { deadCount, enqueue, hasLoaded, isMarked, mark, openTab, pill, settle, shows } from "./tab.js";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

const PATIENCE = { timeout: 30_000 } as const;
const STREAM = "GET /v1/live";

/** Pages, and where each of them shows how many jobs are dead, besides the navigation. */
const SEVEN = [
  ["/", ".tile[href='/dead'] .tile-value"],
  ["/queues", "td[data-label='Dead']"],
  ["/queues/emails", ".tile[href*='state=dead'] .tile-value"],
  ["/jobs", ".tabs a[href='/jobs?state=dead'] .count"],
  ["/dead", "td.dead-count"],
  ["/schedules", ".rail-link[href='/dead'] .count"],
  ["/settings", ".rail-link[href='/dead'] .count"],
] as const;

/** A tab for each of the pages. */
async function openSeven(context: Parameters<typeof openTab>[0], url: string): Promise<Page[]> {
  const tabs: Page[] = [];
  for (const [path] of SEVEN) tabs.push(await openTab(context, url + path));
  return tabs;
}

async function allShow(tabs: readonly Page[], dead: number): Promise<void> {
  for (const [index, [, place]] of SEVEN.entries()) {
    const tab = tabs[index]!;
    if (tab.isClosed()) continue;
    await shows(tab.locator(place).first(), String(dead));
    await shows(deadCount(tab), String(dead));
  }
}

describe.skipIf(CHROMIUM === null)("the dashboard stays live", () => {
  const browser = useBrowser();

  test("in seven tabs over HTTP/1.1, with one stream, also when the first of them is closed", async () => {
    const server = await startHttpServer({ dashboard: true });
    const log = new RequestLog(server);
    await enqueue(server, 5);
    await settle(server, "emails", "fail");
    const tabs = await openSeven(await browser.signedIn(server), server.url);
    await allShow(tabs, 1);
    await settle(server, "emails", "fail");
    await allShow(tabs, 2);
    await tabs[0]!.close();
    await settle(server, "emails", "fail");
    await allShow(tabs, 3);
    expect(log.count(STREAM)).toBe(1);
    expect(log.open).toEqual([STREAM]);
    // Nobody looks any more: nobody is told.
    for (const tab of tabs) await tab.close();
    await expect.poll(() => log.open, PATIENCE).toEqual([]);
  });

  test("after a restart of the server, without being loaded again", async () => {
    const cwd = tempDirectory();
    const env = { DATABASE_URL: `sqlite:${cwd}/konveier.db` };
    const first = await startServer({ cwd, env });
    const { url } = first;
    // Another server on the same file: what happens while the browser's one is away.
    const other = await startHttpServer({ database: sqliteDatabase(`${cwd}/konveier.db`) });
    await enqueue(other, 2);
    const context = await browser.signedIn(first);
    const tab = await openTab(context, `${url}/queues/emails`);
    const pending = tab.locator(".tile[href*='state=pending'] .tile-value");
    await shows(pending, "2");
    await mark(tab);

    await first.stop();
    await shows(pill(tab), "Reconnecting");
    await enqueue(other, 3);
    await shows(pending, "2");
    const second = await startServer({ cwd, env: { ...env, PORT: new URL(url).port } });
    await shows(pill(tab), "Live");
    await shows(pending, "5");

    second.kill("SIGKILL");
    await shows(pill(tab), "Reconnecting");
    await startServer({ cwd, env: { ...env, PORT: new URL(url).port } });
    await shows(pill(tab), "Live");
    await enqueue(other, 1);
    await shows(pending, "6");
    expect(await isMarked(tab)).toBe(true);
  });

  test.each<[string, Fault]>([
    ["answers 503", { answer: "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n" }],
    [
      "answers 503 with Retry-After",
      { answer: "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 4\r\n\r\nsoon" },
    ],
    ["answers 502 with a page", { answer: "HTTP/1.1 502 Bad Gateway\r\nContent-Length: 8\r\n\r\n<p>x</p>" }],
    ["answers nothing", "hang"],
    ["cuts every connection", "reset"],
  ])("after a time in which everything %s", async (_what, fault) => {
    const server = await startHttpServer({ dashboard: true });
    const proxy = await FaultyProxy.start(server.url);
    await enqueue(server, 2);
    const tab = await openTab(await browser.signedIn(proxy), `${proxy.url}/queues`);
    const pending = tab.locator("td[data-label='Pending']");
    await shows(pending, "2");
    await mark(tab);
    proxy.fail(fault);
    await shows(pill(tab), "Reconnecting");
    // It has tried in vain, and must try again.
    await expect.poll(() => proxy.refused("/v1/live"), PATIENCE).toBeGreaterThan(0);
    await enqueue(server, 1);
    // What was read stays on the screen.
    await shows(pending, "2");
    proxy.mend();
    await shows(pill(tab), "Live");
    await shows(pending, "3");
    expect(await isMarked(tab)).toBe(true);
    await expect.poll(() => tab.locator(".notice.bad").count(), PATIENCE).toBe(0);
  });

  test("unless it is paused: then nothing is asked, until it goes on and catches up", async () => {
    const server = await startHttpServer({ dashboard: true });
    await enqueue(server, 3);
    const context = await browser.signedIn(server);
    const tab = await openTab(context, `${server.url}/jobs`);
    const witness = await openTab(context, `${server.url}/jobs`);
    const pendingOf = (page: Page) => page.locator(".tabs a[href='/jobs?state=pending'] .count");
    await shows(pendingOf(tab), "3");
    await pill(tab).click();
    await shows(pill(tab), "Paused");
    const asked: string[] = [];
    tab.on("request", (request) => asked.push(request.url()));
    for (const pending of [4, 5, 6]) {
      await enqueue(server, 1);
      await tab.evaluate(
        `["focus", "pageshow", "online"].forEach((name) => dispatchEvent(new Event(name)));
         ["visibilitychange", "resume"].forEach((name) => document.dispatchEvent(new Event(name)))`,
      );
      await tab.bringToFront();
      // Both tabs are told by the same stream, so the paused one has heard of it too.
      await shows(pendingOf(witness), String(pending));
    }
    expect(asked).toEqual([]);
    await shows(pendingOf(tab), "3");
    await pill(tab).click();
    await shows(pill(tab), "Live");
    await shows(pendingOf(tab), "6");
  });

  test("and quiet: ten tabs ask nothing while nothing happens", async () => {
    const server = await startHttpServer({ dashboard: true });
    const log = new RequestLog(server);
    await enqueue(server, 3);
    await settle(server, "emails", "complete");
    await settle(server, "emails", "fail");
    const context = await browser.signedIn(server);
    const tabs: Page[] = [];
    for (const [path] of [...SEVEN, ["/workers"], ["/metrics-ui"], ["/jobs/1"]] as const) {
      const tab = await context.newPage();
      await tab.clock.install();
      await tab.goto(server.url + path);
      await hasLoaded(tab);
      await shows(pill(tab), "Live");
      tabs.push(tab);
    }
    // Whatever a page still wanted to read once more after it was loaded. In steps: by the page's clock no answer is late.
    for (let seconds = 0; seconds < 90; seconds += 8) {
      for (const tab of tabs) await tab.clock.runFor("00:08");
      await expect.poll(() => log.open, PATIENCE).toEqual([STREAM]);
    }
    const before = log.requests.length;
    for (const tab of tabs) await tab.clock.runFor("03:00");
    expect(log.requests.slice(before)).toEqual([]);
    expect(log.open).toEqual([STREAM]);
  });
});
