import type { Page } from "playwright-core";
import { describe, expect, test, vi } from "vitest";
import { ClaimView } from "../../src/api/claim.js";
import { CHROMIUM, useBrowser } from "../support/chromium.js";
import { API_TOKEN, startHttpServer, type HttpServer } from "../support/http-server.js";
import { seed } from "./seed.js";
import { enqueue, openTab, settle } from "./tab.js";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000, expect: { poll: { timeout: 20_000 } } });

/** The job that is next, claimed as a worker would. */
async function claimOne(server: HttpServer): Promise<{ id: string; leaseToken: string }> {
  const request = { workerId: "worker-1", queues: ["default"], max: 1, leaseMs: 60_000 };
  const [job] = (await server.post("/v1/claim", request)).as(ClaimView).jobs;
  if (job === undefined) throw new Error("There is no job to claim");
  return job;
}

/** Where the focus is. */
async function focusOf(page: Page): Promise<string> {
  return page.evaluate<string>("document.activeElement?.id ?? ''");
}

describe.skipIf(CHROMIUM === null)("the overview and the frame of the dashboard", () => {
  const browser = useBrowser();

  async function open(server: HttpServer, path = "/", token = API_TOKEN): Promise<Page> {
    const page = await (await browser.signedIn(server, {}, token)).newPage();
    await page.goto(server.url + path);
    return page;
  }

  test("a finding about deaths counts them, and says how many dead jobs one finds", async () => {
    const server = await startHttpServer({ dashboard: true });
    await enqueue(server, 2);
    await settle(server, "emails", "fail", 2);
    await server.post("/v1/jobs/1/retry");
    await settle(server, "emails", "fail");
    const page = await open(server);
    const finding = page.getByRole("listitem").filter({ hasText: "deaths in the last hour" });
    await finding.getByText("2 are dead now").waitFor();
    expect(await finding.innerText()).toContain("email.send in queue emails: 3 deaths in the last hour");
    const tile = page.locator(".tile[href='/dead']");
    expect(await tile.innerText()).toMatch(/^Dead now\s+2\s+3 deaths in the last hour$/);
  });

  test("the next run is told, however many schedules there are", async () => {
    const server = await startHttpServer({ dashboard: true });
    await enqueue(server, 1);
    const json = { everyMs: 86_400_000, job: { name: "report" } };
    const daily = Array.from({ length: 500 }, (_, number) => `/v1/schedules/daily.${number}`);
    await Promise.all(daily.map((path) => server.send("PUT", path, { json })));
    await server.send("PUT", "/v1/schedules/soon", { json: { ...json, everyMs: 3_600_000 } });
    const page = await openTab(await browser.signedIn(server), server.url);
    await page.getByRole("link", { name: "soon", exact: true }).waitFor();
  });

  test("a new server shows the first steps, and follows its first job without a reload", async () => {
    const server = await startHttpServer({ dashboard: true });
    const page = await open(server);
    const card = page.getByRole("region", { name: "First steps" });
    const done = card.locator(".first-steps > .done");
    await card.getByText("Waiting for the first job").waitFor();
    expect(await done.count()).toBe(1);
    expect(await page.getByRole("heading", { name: "Throughput and failures" }).count()).toBe(0);
    const top = (await card.boundingBox())?.y;

    await server.post("/v1/jobs", { name: "greet", payload: { name: "Ada" } });
    await card.getByText("waits for a worker").waitFor();
    await done.nth(1).waitFor();
    const { id, leaseToken } = await claimOne(server);
    await done.nth(2).waitFor();
    await server.post(`/v1/jobs/${id}/complete`, { leaseToken, result: { hello: "Ada" } });
    await card.getByText("That was all").waitFor();
    expect(await done.count()).toBe(4);

    // What a server with jobs shows has come below, so the reader's text has not moved.
    await page.getByRole("heading", { name: "Throughput and failures" }).waitFor();
    expect((await card.boundingBox())?.y).toBe(top);
    await card.getByRole("link", { name: `greet #${id}` }).click();
    await page.getByRole("heading", { name: "greet" }).waitFor();
    await page.goBack();
    await card.waitFor();
    await card.getByRole("button", { name: "Hide the first steps" }).click();
    await expect.poll(() => card.count()).toBe(0);
    await page.reload();
    await page.getByRole("heading", { name: "Throughput and failures" }).waitFor();
    expect(await card.count()).toBe(0);
  });

  test("the first steps tell of no job that was cancelled or deleted as one that waits", async () => {
    const server = await startHttpServer({ dashboard: true });
    const page = await open(server);
    const status = page.locator(".first-status .waiting");
    const first = (await server.post("/v1/jobs", { name: "greet" })).json as { id: string };
    await status.getByText("waits for a worker").waitFor();
    await server.post(`/v1/jobs/${first.id}/cancel`);
    await status.getByText("That job is gone. Waiting for the next one.").waitFor();
    await server.post("/v1/jobs", { name: "greet" });
    await status.getByText("greet #2").waitFor();
    await server.send("DELETE", "/v1/jobs/2");
    await status.getByText("That job is gone. Waiting for the next one.").waitFor();
  });

  test("the title says the page and what is wrong, and the focus goes to the page", async () => {
    const server = await startHttpServer({ dashboard: true });
    await seed(server);
    const page = await open(server);
    await expect.poll(() => page.title()).toBe("3 dead · Overview – Konveier");
    await page.getByRole("navigation").getByRole("link", { name: "Queues" }).click();
    await expect.poll(() => page.title()).toBe("Queues – Konveier");
    await expect.poll(() => focusOf(page)).toBe("content");
    await page.getByRole("link", { name: "newsletter" }).click();
    await expect.poll(() => page.title()).toBe("Paused · newsletter · Queues – Konveier");
    // What a screen reader is told.
    await expect
      .poll(() => page.locator("p[role=status].visually-hidden").textContent())
      .toContain("newsletter · Queues");
    await page.goto(`${server.url}/?lang=ru`);
    await expect.poll(() => page.title()).toBe("3 провалены · Обзор – Конвейер");
  });

  test("the search goes to a job, a queue, or what a filter matches, from every page", async () => {
    const server = await startHttpServer({ dashboard: true });
    await seed(server);
    const page = await open(server, "/workers");
    const search = page.getByRole("combobox", { name: "Search jobs and queues" });
    await search.waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("4");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/jobs/4");
    await search.fill("newsl");
    await page.getByRole("option", { name: "newsletter" }).click();
    await page.waitForURL("**/queues/newsletter");
    await search.fill("state:dead");
    await search.press("Enter");
    await page.waitForURL("**/jobs?q=state%3Adead");
  });

  test("n makes a job on every page, and says why when the token may not", async () => {
    const server = await startHttpServer({ dashboard: true });
    await seed(server);
    const page = await open(server, "/workers");
    await page.getByRole("button", { name: "New job" }).waitFor();
    await page.keyboard.press("n");
    await page.getByRole("dialog", { name: "New job" }).waitFor();

    const { token } = (await server.post("/v1/tokens", { name: "viewer", scopes: ["read-only"] })).body;
    const reading = await open(server, "/workers", String(token));
    const button = reading.getByRole("button", { name: "New job" });
    await expect.poll(() => button.getAttribute("aria-disabled")).toBe("true");
    await reading.keyboard.press("n");
    await reading.locator(".toast").getByText("Your token does not allow this").waitFor();
    expect(await reading.getByRole("dialog").count()).toBe(0);
  });

  test("a preview that is not valid any more is made anew, and asked for again", async () => {
    const server = await startHttpServer({ dashboard: true });
    await seed(server);
    const page = await open(server, "/jobs?state=dead");
    // As the server answers after ten minutes.
    let refused = 0;
    await page.route("**/v1/jobs/bulk", async (route) => {
      refused += 1;
      if (refused > 1) return route.continue();
      const { previewToken } = route.request().postDataJSON() as { previewToken: string };
      return route.continue({
        postData: JSON.stringify({ previewToken: `${previewToken}x`, perSecond: 50 }),
      });
    });
    await page.getByRole("checkbox").nth(1).check();
    await page.getByRole("button", { name: "Retry" }).first().click();
    const dialog = page.getByRole("dialog");
    const submit = dialog.getByRole("button", { name: /^Retry/ });
    await submit.click();
    await dialog.getByText("The numbers have changed").waitFor();
    await submit.click();
    await expect.poll(() => dialog.count()).toBe(0);
    expect(refused).toBe(2);
    await expect.poll(async () => (await server.get("/v1/operations")).text).toContain('"retry"');
  });
});
