import type { Locator, Page } from "playwright-core";
import { describe, expect, test, vi } from "vitest";
import { CHROMIUM, useBrowser } from "../support/chromium.js";
import { startHttpServer, type HttpServer } from "../support/http-server.js";
import { RequestLog } from "../support/request-log.js";
import { enqueue, openTab, settle } from "./tab.js";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

const PATIENCE = { timeout: 30_000 } as const;

async function openForm(tab: Page, name: string): Promise<Locator> {
  await tab.getByRole("button", { name: "New job" }).click();
  const form = tab.getByRole("dialog", { name: "New job" });
  await form.getByLabel("Name", { exact: true }).fill(name);
  return form;
}

async function isClosed(form: Locator): Promise<void> {
  await form.waitFor({ state: "detached", ...PATIENCE });
}

async function jobsOf(server: HttpServer): Promise<readonly string[]> {
  const { items } = (await server.get("/v1/jobs")).json as { items: { name: string }[] };
  return items.map(({ name }) => name);
}

describe.skipIf(CHROMIUM === null)("what is asked for twice", () => {
  const browser = useBrowser();

  test("is one job, by a double click and by Enter", async () => {
    const server = await startHttpServer({ dashboard: true });
    await enqueue(server, 1);
    const log = new RequestLog(server);
    const tab = await openTab(await browser.signedIn(server), `${server.url}/jobs`);
    const clicked = await openForm(tab, "clicked");
    await clicked.getByRole("button", { name: "Enqueue" }).dblclick();
    await isClosed(clicked);
    const entered = await openForm(tab, "entered");
    await entered.getByLabel("Tags").focus();
    await Promise.all([tab.keyboard.press("Enter"), tab.keyboard.press("Enter")]);
    await isClosed(entered);
    expect(await jobsOf(server)).toEqual(["entered", "clicked", "email.send"]);
    expect(log.count("POST /v1/jobs")).toBe(2);
  });

  test("is one job when the answer was lost and the form is sent again", async () => {
    const server = await startHttpServer({ dashboard: true });
    await enqueue(server, 1);
    const tab = await openTab(await browser.signedIn(server), `${server.url}/jobs`);
    const form = await openForm(tab, "lost");
    // Not a proxy that cuts the connection: after that, Chromium may send a request once more by itself.
    await tab.route(
      "**/v1/jobs",
      async (route) => {
        expect((await route.fetch()).status()).toBe(201);
        await route.abort("connectionreset");
      },
      { times: 1 },
    );
    await form.getByRole("button", { name: "Enqueue" }).click();
    const fault = form.locator(".dialog-form > .fault");
    await expect.poll(() => fault.innerText(PATIENCE), PATIENCE).not.toBe("");
    expect(await jobsOf(server)).toEqual(["lost", "email.send"]);
    await form.getByRole("button", { name: "Enqueue" }).click();
    await isClosed(form);
    await tab.locator(".toast").getByText("This job already exists").waitFor(PATIENCE);
    expect(await jobsOf(server)).toEqual(["lost", "email.send"]);
  });

  test("is one retry, by a double click on its page and in the menu of its row", async () => {
    const server = await startHttpServer({ dashboard: true });
    await enqueue(server, 2);
    await settle(server, "emails", "fail", 2);
    const log = new RequestLog(server);
    const tab = await openTab(await browser.signedIn(server), `${server.url}/jobs/1`);
    await tab.getByRole("button", { name: "Retry" }).dblclick();
    await tab.locator(".toast").first().waitFor(PATIENCE);
    await expect.poll(() => tab.locator(".job-subtitle .badge").innerText(), PATIENCE).toBe("Pending");
    expect(await tab.locator(".toast.bad").count()).toBe(0);
    await tab.goto(`${server.url}/jobs`);
    await tab.getByRole("button", { name: "Actions for job 2" }).click();
    await tab.getByRole("menuitem", { name: "Retry" }).dblclick();
    await tab.locator(".toast").first().waitFor(PATIENCE);
    await expect
      .poll(() => tab.locator("tr[data-job='2'] .column-state").innerText(), PATIENCE)
      .toBe("Pending");
    expect(await tab.locator(".toast.bad").count()).toBe(0);
    expect(log.requests.filter((request) => request.endsWith("/retry"))).toEqual([
      "POST /v1/jobs/1/retry",
      "POST /v1/jobs/2/retry",
    ]);
  });
});
