import type { Locator, Page } from "playwright-core";
import { describe, expect, test, vi } from "vitest";
import { CHROMIUM, useBrowser } from "../support/chromium.js";
import { startHttpServer, type HttpServer } from "../support/http-server.js";
import { issueToken } from "../support/tokens.js";
import { enqueue, openTab, pill, settle, shows } from "./tab.js";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000, expect: { poll: { timeout: 30_000 } } });

const BAD_GATEWAY = { status: 503, contentType: "text/html", body: "<h1>Soon</h1>" };

/** The next request that changes something there is done, but its answer never arrives. */
async function loseAnswer(page: Page, address: string): Promise<void> {
  let lost = false;
  await page.route(address, async (route) => {
    if (lost || route.request().method() === "GET") return route.fallback();
    lost = true;
    await route.fetch();
    return route.abort("connectionreset");
  });
}

/** It is not done, and so not told by the stream either, until the function is called. */
async function holdAnswer(page: Page, address: string, method = "POST"): Promise<() => void> {
  let letGo: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  await page.route(address, async (route) => {
    if (route.request().method() !== method) return route.continue();
    await held;
    return route.fulfill({ response: await route.fetch() });
  });
  return letGo;
}

async function nameOf(dialog: Locator, name: string): Promise<void> {
  await dialog.getByRole("textbox").first().fill(name);
  await dialog.getByRole("checkbox").nth(2).check();
}

describe.skipIf(CHROMIUM === null)("an answer that is wrong, late or lost", () => {
  const browser = useBrowser();

  async function open(server: HttpServer, path: string): Promise<Page> {
    return openTab(await browser.signedIn(server), server.url + path);
  }

  test("does not make a sign-out that failed look like one", async () => {
    const server = await startHttpServer({ dashboard: true });
    await enqueue(server, 1);
    const page = await open(server, "/queues");
    await page.route("**/v1/session", (route) => route.fulfill(BAD_GATEWAY), { times: 1 });
    const signOut = async (): Promise<void> => {
      await page.getByRole("button", { name: "Display" }).click();
      await page.getByRole("menuitem", { name: "Sign out" }).click();
    };
    await signOut();
    await page.locator(".toast.bad").getByText("You may still be signed in").waitFor();
    expect(await page.getByRole("dialog").count()).toBe(0);
    await signOut();
    await page.getByRole("dialog", { name: "Sign in" }).waitFor();
  });

  test("makes it deliberate to run a schedule once more", async () => {
    const server = await startHttpServer({ dashboard: true });
    const job = { name: "report.build", queue: "reports" };
    await server.send("PUT", "/v1/schedules/yearly", { json: { cron: "0 0 1 1 *", job } });
    const page = await open(server, "/schedules/yearly");
    await loseAnswer(page, "**/v1/schedules/yearly/run");
    await page.getByRole("button", { name: "Run now" }).click();
    const dialog = page.getByRole("dialog");
    const run = dialog.getByRole("button", { name: "Run now" });
    await run.click();
    await dialog.getByText("It may have been done").waitFor();
    expect(await run.isDisabled()).toBe(true);
    await dialog.getByRole("checkbox").check();
    await run.click();
    await dialog.waitFor({ state: "detached" });
    const { items } = (await server.get("/v1/jobs?queue=reports")).json as { items: unknown[] };
    expect(items).toHaveLength(2);
  });

  test("does the same before another token is made", async () => {
    const server = await startHttpServer({ dashboard: true });
    await enqueue(server, 1);
    const page = await open(server, "/settings?tab=access");
    await page.getByRole("button", { name: "New token" }).click();
    const dialog = page.getByRole("dialog");
    await nameOf(dialog, "shop");
    await loseAnswer(page, "**/v1/tokens");
    const create = dialog.locator("button[type=submit]");
    await create.click();
    await dialog.getByText("It may have been done").waitFor();
    expect(await create.isDisabled()).toBe(true);
  });

  test("is told in the dialog that asked", async () => {
    const server = await startHttpServer({ dashboard: true });
    await enqueue(server, 2);
    await settle(server, "emails", "fail");
    const page = await open(server, "/queues/emails");
    await page.route("**/v1/queues/emails/pause", (route) => route.fulfill(BAD_GATEWAY), { times: 1 });
    await page.getByRole("button", { name: "Pause", exact: true }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("textbox").fill("mail server");
    await dialog.getByRole("button", { name: "Pause" }).click();
    await dialog.locator(".fault").getByText("such as a proxy").waitFor();
    expect(await page.locator(".toast").count()).toBe(0);
    await dialog.getByRole("button", { name: "Pause" }).click();
    await dialog.waitFor({ state: "detached" });

    await page.goto(`${server.url}/jobs?state=dead`);
    await page.route("**/v1/jobs/1", (route) =>
      route.request().method() === "DELETE" ? route.fulfill(BAD_GATEWAY) : route.continue(),
    );
    await page.getByRole("button", { name: "Actions for job 1" }).click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    await dialog.getByRole("button", { name: "Delete" }).click();
    await dialog.locator(".fault").getByText("such as a proxy").waitFor();
  });

  test("brings the new token, whatever was closed or left while it was awaited", async () => {
    const server = await startHttpServer({ dashboard: true });
    await enqueue(server, 1);
    const page = await open(server, "/workers");
    await page.getByRole("link", { name: "Settings" }).click();
    await page.getByRole("link", { name: "Access" }).click();
    const opens = page.getByRole("button", { name: "New token" });
    await opens.click();
    const dialog = page.getByRole("dialog");
    await nameOf(dialog, "first");
    const letGo = await holdAnswer(page, "**/v1/tokens");
    await dialog.locator("button[type=submit]").click();
    await dialog.getByRole("button", { name: "Go back" }).click();
    await dialog.waitFor({ state: "detached" });
    // Another form, which the answer of the first one leaves alone, and another page.
    await opens.click();
    await nameOf(dialog, "second");
    letGo();
    const issued = page.getByRole("dialog", { name: "first" });
    await issued.waitFor();
    const form = page.getByRole("dialog", { name: "New token" });
    expect(await form.getByRole("textbox").first().inputValue()).toBe("second");
    await page.goBack();
    await page.goBack();
    await page.waitForURL("**/workers");
    expect(await issued.getByLabel("Token", { exact: true }).inputValue()).not.toBe("");
    await page.keyboard.press("Escape");
    // Whoever loads the page anew is asked.
    const asked = page.waitForEvent("dialog");
    const closing = page.close({ runBeforeUnload: true });
    expect((await asked).type()).toBe("beforeunload");
    await (await asked).dismiss();
    await closing;
    await issued.getByRole("button").last().click();
    await issued.waitFor({ state: "detached" });
  });

  test("gives the focus back when the token has been seen", async () => {
    const server = await startHttpServer({ dashboard: true });
    await enqueue(server, 1);
    const page = await open(server, "/settings?tab=access");
    await page.getByRole("button", { name: "New token" }).click();
    await nameOf(page.getByRole("dialog"), "shop");
    await page.getByRole("dialog").locator("button[type=submit]").click();
    const issued = page.getByRole("dialog", { name: "shop" });
    await issued.getByRole("button").last().click();
    await issued.waitFor({ state: "detached" });
    await expect
      .poll(() => page.evaluate<string>("document.activeElement?.textContent ?? ''"))
      .toContain("New token");
  });

  test("does not close the form that was opened since", async () => {
    const server = await startHttpServer({ dashboard: true });
    await enqueue(server, 1);
    const page = await open(server, "/queues/emails");
    const letGo = await holdAnswer(page, "**/v1/queues/emails/pause");
    await page.getByRole("button", { name: "Pause", exact: true }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Pause" }).click();
    await dialog.getByRole("button", { name: "Go back" }).click();
    await page.getByRole("button", { name: "Pause", exact: true }).click();
    await dialog.getByRole("textbox").fill("second");
    letGo();
    await page.locator(".toast").first().waitFor();
    await dialog.getByText("has paused it meanwhile").waitFor();
    expect(await dialog.getByRole("textbox").inputValue()).toBe("second");
    // What was written is not lost by a click beside it.
    await page.mouse.click(5, 5);
    expect(await dialog.count()).toBe(1);
  });

  test("says within seconds that it is waited for, while the stream goes on", async () => {
    const server = await startHttpServer({ dashboard: true });
    await enqueue(server, 1);
    const page = await open(server, "/queues");
    await page.route("**/v1/queues", () => new Promise(() => undefined));
    await enqueue(server, 1);
    await expect.poll(() => pill(page).innerText(), { timeout: 14_000 }).toBe("Waiting for the server");
    await page.unroute("**/v1/queues");
    await shows(pill(page), "Live");
    await shows(page.locator("td[data-label='Pending']"), "2");
  });

  test("that is a failure is asked for again, and so long the page does not call itself live", async () => {
    const server = await startHttpServer({ dashboard: true });
    await enqueue(server, 1);
    const page = await open(server, "/queues");
    const asked = page.waitForRequest("**/v1/queues");
    await page.route("**/v1/queues", (route) => route.fulfill({ status: 500, json: { code: "internal" } }));
    await enqueue(server, 1);
    await asked;
    await shows(pill(page), "Waiting for the server");
    await page.unroute("**/v1/queues");
    // Nothing happens any more that would have it read.
    await shows(page.locator("td[data-label='Pending']"), "2");
    await shows(pill(page), "Live");
  });

  test("that never came is told without a break while it is asked for again", async () => {
    const server = await startHttpServer({ dashboard: true });
    await enqueue(server, 1);
    const page = await (await browser.signedIn(server)).newPage();
    let asked = 0;
    await page.route("**/v1/queues/emails", (route) => {
      asked += 1;
      return route.fulfill({ ...BAD_GATEWAY, status: 500 });
    });
    await page.goto(`${server.url}/queues/emails`);
    const note = page.locator(".page > [role=alert]");
    await note.waitFor();
    await note.evaluate((it: Watched) => {
      it.setAttribute("data-first", "");
    });
    const again = note.getByRole("button", { name: "Try again" });
    await again.focus();
    const before = asked;
    await page.keyboard.press("Enter");
    await expect.poll(() => asked).toBeGreaterThan(before);
    await shows(pill(page), "Waiting for the server");
    expect(await page.locator("[role=alert][data-first]").count()).toBe(1);
    expect(await page.locator(".tiles-skeleton").count()).toBe(0);
    await page.unroute("**/v1/queues/emails");
    await again.click();
    await page.getByRole("button", { name: "Pause", exact: true }).waitFor();
    expect(await note.count()).toBe(0);
  });

  test("about another queue is awaited without the figures of the one before", async () => {
    const server = await startHttpServer({ dashboard: true });
    await enqueue(server, 2);
    await enqueue(server, 1, "reports");
    await settle(server, "emails", "complete", 2);
    const page = await open(server, "/metrics-ui?queue=emails");
    const row = page.getByRole("rowheader", { name: "email.send" });
    await row.waitFor();
    const letGo = await holdAnswer(page, "**/v1/stats/**", "GET");
    await page.getByLabel("Queue", { exact: true }).selectOption("reports");
    await row.waitFor({ state: "detached" });
    await expect.poll(() => page.locator(".legend strong").allInnerTexts()).toEqual(Array(12).fill("–"));
    letGo();
    await page.getByText("Nothing ran in this period").waitFor();
  });

  test("about another filter is awaited with nothing selected", async () => {
    const server = await startHttpServer({ dashboard: true });
    await enqueue(server, 5);
    await settle(server, "emails", "fail", 2);
    const page = await open(server, "/jobs?state=dead");
    await page.getByRole("checkbox", { name: "Select job 1", exact: true }).check();
    const selection = page.getByRole("region", { name: "Selection" });
    await selection.getByRole("button", { name: "Select all 2" }).click();
    const letGo = await holdAnswer(page, "**/v1/jobs?*", "GET");
    await page.getByRole("link", { name: /^Pending/ }).click();
    await selection.waitFor({ state: "detached" });
    expect(await page.locator("tr[data-job]").count()).toBe(2);
    letGo();
    await expect.poll(() => page.locator("tr[data-job]").count()).toBe(3);
    expect(await selection.count()).toBe(0);
  });

  test("of somebody else is told as such, and leaves no page blank", async () => {
    const server = await startHttpServer({ dashboard: true });
    await enqueue(server, 1);
    const page = await (await browser.signedIn(server)).newPage();
    await page.route("**/v1/**", (route) =>
      route.fulfill({ contentType: "text/html", body: "<h1>Sign in to your company</h1>" }),
    );
    for (const path of ["/", "/jobs", "/dead", "/jobs/1"]) {
      await page.goto(server.url + path);
      await page.getByText("Something else answers in place of the server").first().waitFor();
    }
  });

  test.each(["{}", "null"])("that is %s everywhere leaves no page blank", async (body) => {
    const server = await startHttpServer({ dashboard: true });
    const page = await (await browser.signedIn(server, { mayFail: true })).newPage();
    await page.route("**/v1/**", (route) => route.fulfill({ contentType: "application/json", body }));
    for (const path of ["/", "/jobs", "/dead"]) {
      await page.goto(server.url + path);
      await page.getByRole("heading", { name: "The dashboard cannot be shown" }).waitFor();
    }
  });

  test("that allows nothing known leaves the buttons enabled", async () => {
    const server = await startHttpServer({ dashboard: true });
    await enqueue(server, 1);
    await settle(server, "emails", "fail");
    const page = await (await browser.signedIn(server)).newPage();
    await page.route("**/v1/tokens/self", (route) => route.fulfill({ status: 500, body: "" }));
    await page.goto(`${server.url}/jobs?state=dead`);
    await page.getByRole("checkbox", { name: "Select job 1" }).check();
    const retry = page.getByRole("region", { name: "Selection" }).getByRole("button", { name: "Retry" });
    await expect.poll(() => retry.getAttribute("aria-disabled")).toBe("false");
  });

  test("to the script of the stream is asked for again", async () => {
    const server = await startHttpServer({ dashboard: true });
    await enqueue(server, 1);
    const context = await browser.signedIn(server);
    let refused = 0;
    await context.route("**/assets/*shared-stream*", (route) => {
      refused += 1;
      return refused > 1 ? route.continue() : route.fulfill({ status: 503, body: "" });
    });
    const page = await context.newPage();
    await page.goto(`${server.url}/queues`);
    await shows(pill(page), "Live");
    expect(refused).toBeGreaterThan(0);
  });

  test.each(["producer", "worker", "metrics"] as const)(
    "refuses the stream to a %s, who is told",
    async (scope) => {
      const server = await startHttpServer({ dashboard: true });
      const { token } = await issueToken(server, [scope]);
      const page = await (await browser.signedIn(server, {}, token)).newPage();
      await page.goto(`${server.url}/queues`);
      await shows(pill(page), "Not live");
    },
  );

  test.each(["BroadcastChannel", "SharedWorker"])("is had without a %s too", async (name) => {
    const server = await startHttpServer({ dashboard: true });
    await enqueue(server, 1);
    for (const spoil of [
      `delete window.${name}`,
      `window.${name} = class { constructor() { throw new DOMException("no", "SecurityError"); } }`,
    ]) {
      const context = await browser.signedIn(server);
      await context.addInitScript(spoil);
      const page = await openTab(context, `${server.url}/queues`);
      await context.close();
      expect(page.isClosed()).toBe(true);
    }
  });

  test("to a double click on Resume is one", async () => {
    const server = await startHttpServer({ dashboard: true });
    await enqueue(server, 1);
    await server.post("/v1/queues/emails/pause", {});
    const page = await open(server, "/queues/emails");
    const letGo = await holdAnswer(page, "**/v1/queues/emails/resume");
    let asked = 0;
    page.on("request", (request) => {
      if (request.url().endsWith("/resume")) asked += 1;
    });
    await page.getByRole("button", { name: "Resume" }).dblclick();
    letGo();
    await page.getByRole("button", { name: "Pause", exact: true }).waitFor();
    expect(asked).toBe(1);
    expect(await page.locator(".toast").count()).toBe(1);
  });
});

interface Watched {
  setAttribute(name: string, value: string): void;
}
