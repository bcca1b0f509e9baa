import type { Page } from "playwright-core";
import { describe, expect, test, vi } from "vitest";
import { CHROMIUM, useBrowser } from "../support/chromium.js";
import { API_TOKEN, HttpServer, startHttpServer } from "../support/http-server.js";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

const HOST = "konveier.test";

/** The same server at a name that is not this machine's own: over plain HTTP a browser trusts only those. */
function named({ url, context, server, database, log }: HttpServer): HttpServer {
  return new HttpServer(url.replace("127.0.0.1", HOST), context, server, database, log);
}

async function signIn(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await page.getByLabel("Access token").fill(API_TOKEN);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
}

/** What is on the clipboard, which no script can read here. */
async function pasted(page: Page): Promise<string> {
  const field = page.getByRole("search").getByRole("combobox");
  await field.fill("");
  await field.press("Control+V");
  const text = await field.inputValue();
  await field.fill("");
  return text;
}

describe.skipIf(CHROMIUM === null)("over plain HTTP, where browsers give scripts less", () => {
  const browser = useBrowser(`--host-resolver-rules=MAP ${HOST} 127.0.0.1`);

  test("signing in, copying, pausing, a new job and a bulk action work", async () => {
    const own = await startHttpServer({ dashboard: true });
    const server = named(own);
    await own.post("/v1/jobs/batch", {
      jobs: [{ name: "email.send" }, { name: "email.send", payload: { text: "exact\r\n\u202E", n: 0.5 } }],
    });
    const page = await (await browser.context(server)).newPage();
    await signIn(page, server.url);
    expect(await page.evaluate("[isSecureContext, navigator.clipboard, crypto.randomUUID]")).toEqual([
      false,
      undefined,
      undefined,
    ]);
    await page.getByRole("button", { name: "Live" }).waitFor();

    await page.goto(`${server.url}/jobs/2`);
    await page.getByRole("button", { name: "Copy as stored" }).click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    expect(await pasted(page)).toBe((await own.get("/v1/jobs/2/payload")).text);

    await page.goto(`${server.url}/jobs`);
    await page.getByRole("button", { name: "Actions for job 1" }).click();
    await page.getByRole("menuitem", { name: "Copy id" }).click();
    await page.getByText("Copied").waitFor();
    expect(await pasted(page)).toBe("1");

    await page.getByRole("button", { name: "New job" }).first().click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("report.build");
    const curl = (await dialog.locator("pre").textContent()) ?? "";
    await dialog.getByRole("button", { name: "Copy the curl command" }).click();
    await dialog.getByRole("button", { name: "Copied" }).waitFor();
    await dialog.locator("textarea").fill("");
    await dialog.locator("textarea").press("Control+V");
    expect(await dialog.locator("textarea").inputValue()).toBe(curl);
    await dialog.locator("textarea").fill("{}");
    await dialog.getByRole("button", { name: "Enqueue" }).click();
    await dialog.waitFor({ state: "detached" });
    await expect.poll(async () => (await own.get("/v1/jobs/3")).status).toBe(200);

    for (const id of [1, 2]) await page.getByLabel(`Select job ${id}`).check();
    await page.getByRole("region", { name: "Selection" }).getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Cancel the jobs" }).click();
    await page.getByText("Cancelling 2 jobs.").waitFor();

    await page.goto(`${server.url}/queues/default`);
    await page.getByRole("button", { name: "Pause", exact: true }).click();
    await page.getByRole("dialog").getByLabel("Reason").fill("over plain HTTP");
    await page.getByRole("dialog").getByRole("button", { name: "Pause" }).click();
    await page.getByText("over plain HTTP").waitFor();
    expect((await own.get("/v1/queues/default")).body["pauseReason"]).toBe("over plain HTTP");
  });

  test("where nothing can be copied, that is said", async () => {
    const own = await startHttpServer({ dashboard: true });
    const server = named(own);
    await own.post("/v1/jobs", { name: "email.send" });
    const page = await (await browser.context(server)).newPage();
    await page.addInitScript("document.execCommand = () => false");
    await signIn(page, `${server.url}/jobs/1`);
    await page.getByRole("button", { name: "Copy as stored" }).click();
    await page.getByText("This could not be copied.").waitFor();
  });
});
