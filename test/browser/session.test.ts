import type { BrowserContext, Page } from "playwright-core";
import { describe, expect, test, vi } from "vitest";
import { CHROMIUM, useBrowser } from "../support/chromium.js";
import { FakeClock } from "../support/fake-clock.js";
import { API_TOKEN, startHttpServer, type HttpServer } from "../support/http-server.js";
import { issueToken } from "../support/tokens.js";
import { deadCount, enqueue, isMarked, mark, openTab, pill, settle, shows, type InPage } from "./tab.js";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

const PATIENCE = { timeout: 30_000 } as const;
const FILTER = "queue:emails name:email.send";
const HOURS_13_MS = 13 * 3_600_000;

/** A page in the middle of work: a filter, a selection, scrolled down, and a form that is half written. */
async function openAtWork(context: BrowserContext, server: HttpServer): Promise<Page> {
  const tab = await openTab(context, `${server.url}/jobs?q=${encodeURIComponent(FILTER)}`);
  await tab.getByRole("checkbox", { name: "Select job 41" }).check();
  await tab.getByRole("checkbox", { name: "Select job 39" }).check();
  await mark(tab);
  const newJob = tab.getByRole("button", { name: "New job" });
  await newJob.evaluate((button: InPage) => {
    button.focus({ preventScroll: true });
  });
  await tab.keyboard.press("Enter");
  const form = tab.getByRole("dialog", { name: "New job" });
  await form.getByLabel("Name", { exact: true }).fill("report.build");
  await form.getByLabel("Payload").fill('{"half":');
  await form.getByLabel("Tags").fill("vip");
  await tab.evaluate("scrollTo(0, 400)");
  return tab;
}

async function isAsItWas(tab: Page): Promise<void> {
  const form = tab.getByRole("dialog", { name: "New job" });
  expect(await form.getByLabel("Name", { exact: true }).inputValue()).toBe("report.build");
  expect(await form.getByLabel("Payload").inputValue()).toBe('{"half":');
  expect(await form.getByLabel("Tags").inputValue()).toBe("vip");
  expect(new URL(tab.url()).searchParams.get("q")).toBe(FILTER);
  await form.getByRole("button", { name: "Cancel" }).click();
  await shows(tab.locator(".selection-bar > .spacer"), "2 selected on this page");
  expect(await tab.getByRole("checkbox", { name: "Select job 41" }).isChecked()).toBe(true);
  expect(await isMarked(tab)).toBe(true);
}

/** What a tab shows besides the question for a token. */
async function contentOf(tab: Page): Promise<string> {
  return tab.evaluate<string>("document.body.textContent");
}

async function signIn(tab: Page, token: string): Promise<void> {
  const dialog = tab.getByRole("dialog", { name: "Sign in" });
  await dialog.getByLabel("Access token").fill(token);
  await dialog.getByRole("button", { name: "Sign in" }).click();
}

async function asksForToken(tab: Page): Promise<void> {
  await tab.getByRole("dialog", { name: "Sign in" }).waitFor(PATIENCE);
}

async function asksNoMore(tab: Page): Promise<void> {
  await tab.getByRole("dialog", { name: "Sign in" }).waitFor({ state: "detached", ...PATIENCE });
}

/** @param dead how many jobs will be dead after one more has died */
async function isLive(tab: Page, server: HttpServer, dead = 1): Promise<void> {
  await shows(pill(tab), "Live");
  await settle(server, "emails", "fail");
  await shows(deadCount(tab), String(dead));
}

describe.skipIf(CHROMIUM === null)("a session that is over", () => {
  const browser = useBrowser();

  test("because its token was revoked asks for another one over the page, which stays as it is", async () => {
    const server = await startHttpServer({ dashboard: true });
    await enqueue(server, 60);
    const { id, token } = await issueToken(server, ["operator"]);
    const context = await browser.signedIn(server, {}, token);
    const tab = await openAtWork(context, server);
    const other = await openTab(context, `${server.url}/queues`);
    await mark(other);
    expect((await server.send("DELETE", `/v1/tokens/${id}`)).status).toBeLessThan(300);
    await asksForToken(tab);
    await asksForToken(other);
    await signIn(tab, "no-such-token");
    await tab.getByRole("alert").getByText("This token is not valid.").waitFor(PATIENCE);
    await signIn(tab, API_TOKEN);
    await asksNoMore(tab);
    await isAsItWas(tab);
    await isLive(tab, server);
    // Who has signed in in one tab has done so in all of them.
    await asksNoMore(other);
    await isLive(other, server, 2);
    expect(await isMarked(other)).toBe(true);
  });

  test("because nobody used it for half a day does the same", async () => {
    const storeClock = new FakeClock(Date.now());
    const server = await startHttpServer({ dashboard: true, storeClock });
    await enqueue(server, 60);
    const tab = await openAtWork(await browser.signedIn(server), server);
    storeClock.stepWall(HOURS_13_MS);
    await asksForToken(tab);
    await signIn(tab, API_TOKEN);
    await asksNoMore(tab);
    expect(await tab.evaluate("scrollY")).toBe(400);
    await isAsItWas(tab);
    await isLive(tab, server);
  });

  test("because the browser has forgotten its cookie does the same", async () => {
    const server = await startHttpServer({ dashboard: true });
    await enqueue(server, 60);
    const context = await browser.signedIn(server);
    const tab = await openAtWork(context, server);
    await context.clearCookies();
    await enqueue(server, 1, "others");
    await asksForToken(tab);
    await signIn(tab, API_TOKEN);
    await asksNoMore(tab);
    await isAsItWas(tab);
    await isLive(tab, server);
  });

  test("leaves what the next token does not allow disabled, with the reason", async () => {
    const server = await startHttpServer({ dashboard: true });
    await enqueue(server, 3);
    const strong = await issueToken(server, ["admin"]);
    const weak = await issueToken(server, ["read-only"]);
    const context = await browser.signedIn(server, {}, strong.token);
    const tab = await openTab(context, `${server.url}/jobs`);
    const newJob = tab.getByRole("button", { name: "New job" });
    expect(await newJob.getAttribute("aria-disabled")).toBe("false");
    await server.send("DELETE", `/v1/tokens/${strong.id}`);
    await asksForToken(tab);
    await signIn(tab, weak.token);
    await asksNoMore(tab);
    await expect.poll(() => newJob.getAttribute("aria-disabled"), PATIENCE).toBe("true");
    const reason = "It needs one of the scopes: admin, operator, producer.";
    expect(await newJob.getAttribute("title")).toContain(reason);
    await newJob.click({ force: true });
    await tab.locator(".toast").getByText(reason).waitFor(PATIENCE);
    expect(await tab.getByRole("dialog").count()).toBe(0);
    await tab.getByRole("checkbox", { name: "Select job 1" }).check();
    const bar = tab.getByRole("region", { name: "Selection" });
    for (const action of ["Retry", "Cancel", "Delete"]) {
      const button = bar.getByRole("button", { name: action });
      expect(await button.getAttribute("aria-disabled")).toBe("true");
      expect(await button.getAttribute("title")).toBe("Needs a token with the scope operator or admin");
    }
    await isLive(tab, server);
  });

  test("shows the next token nothing of what the last one has read", async () => {
    const server = await startHttpServer({ dashboard: true });
    await enqueue(server, 7);
    await enqueue(server, 1, "shop");
    const strong = await issueToken(server, ["admin"]);
    const limited = await issueToken(server, ["read-only"], { queues: ["shop"] });
    const context = await browser.signedIn(server, {}, strong.token);
    const queue = await openTab(context, `${server.url}/queues/emails`);
    const jobs = await openTab(context, `${server.url}/jobs`);
    const select = jobs.getByRole("checkbox", { name: "Select job 7" });
    await select.check();
    await shows(queue.locator(".tile[href*='state=pending'] .tile-value"), "7");
    await server.send("DELETE", `/v1/tokens/${strong.id}`);
    await asksForToken(queue);
    await asksForToken(jobs);
    await signIn(queue, limited.token);
    await asksNoMore(queue);
    await asksNoMore(jobs);
    await expect.poll(() => queue.locator(".tile").count(), PATIENCE).toBe(0);
    await jobs.getByRole("checkbox", { name: "Select job 8" }).waitFor(PATIENCE);
    expect(await select.count()).toBe(0);
  });
});

describe.skipIf(CHROMIUM === null)("a token for programs", () => {
  const browser = useBrowser();

  test("is told once what it may do, and asks for nothing that is refused", async () => {
    const server = await startHttpServer({ dashboard: true });
    const { token } = await issueToken(server, ["producer"]);
    const tab = await (await browser.signedIn(server, {}, token)).newPage();
    await tab.goto(server.url);
    await tab.getByRole("heading", { name: "This token is for programs" }).waitFor(PATIENCE);
    await tab.getByText("make jobs").waitFor(PATIENCE);
    expect(await tab.locator(".notice.bad").count()).toBe(0);
    await tab.goto(`${server.url}/settings?tab=display`);
    await tab.getByText("Time zone").first().waitFor(PATIENCE);
  });
});

describe.skipIf(CHROMIUM === null)("a sign-out", () => {
  const browser = useBrowser();

  test("leaves nothing of the data in any tab", async () => {
    const server = await startHttpServer({ dashboard: true });
    const job = { name: "parcel.send", queue: "parcels", payload: { to: "door-17" } };
    await server.post("/v1/jobs", job);
    const context = await browser.signedIn(server);
    const tab = await openTab(context, `${server.url}/jobs/1`);
    const other = await openTab(context, `${server.url}/jobs`);
    expect(await contentOf(tab)).toContain("door-17");
    expect(await contentOf(other)).toContain("parcel.send");
    await other.getByRole("button", { name: "Display" }).click();
    await other.getByRole("menuitem", { name: "Sign out" }).click();
    await asksForToken(other);
    await asksForToken(tab);
    for (const each of [tab, other]) expect(await contentOf(each)).not.toMatch(/parcel|door-17/);
    await signIn(tab, API_TOKEN);
    await asksNoMore(tab);
    await asksNoMore(other);
    await tab.getByText("door-17").first().waitFor(PATIENCE);
  });
});
