import type { Locator, Page } from "playwright-core";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { Background } from "../../src/engine/loops/background.js";
import { violations } from "../support/axe.js";
import { CHROMIUM, useBrowser } from "../support/chromium.js";
import { startHttpServer } from "../support/http-server.js";
import { RequestLog } from "../support/request-log.js";
import { enqueue, fail, openTab, settle, shows } from "./tab.js";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

async function beginTrial(tab: Page): Promise<Locator> {
  await tab.getByRole("button", { name: /^Try 5 first/ }).click();
  const dialog = tab.getByRole("dialog", { name: "Retry 5 jobs on trial?" });
  await dialog.locator("li").nth(4).waitFor();
  return dialog;
}

describe.skipIf(CHROMIUM === null)("a group of dead jobs", () => {
  const browser = useBrowser();

  test("is retried only when that is confirmed, the newest five on trial or all of it", async () => {
    const server = await startHttpServer({ dashboard: true });
    await enqueue(server, 7);
    await settle(server, "emails", "fail", 7);
    const log = new RequestLog(server);
    const tab = await openTab(await browser.signedIn(server), `${server.url}/dead`);
    await tab.getByRole("button", { name: "Try 5 first…" }).click();
    const trial = tab.getByRole("dialog", { name: "Retry 5 jobs on trial?" });
    await trial.locator("li").nth(4).waitFor();
    const shown = await trial.locator(".trial-id").allInnerTexts();
    expect(log.requests.filter((request) => request.endsWith("/retry"))).toEqual([]);
    await trial.getByRole("button", { name: "Retry" }).click();
    await tab.getByText("On trial").waitFor();
    await expect
      .poll(() => log.requests.filter((request) => request.endsWith("/retry")))
      .toEqual(shown.map((id) => `POST /v1/jobs/${id}/retry`));
    expect(await violations(tab)).toEqual([]);

    await tab.getByRole("button", { name: "Retry 2…" }).click();
    const all = tab.getByRole("dialog", { name: "Retry 2 jobs?" });
    await all.getByRole("button", { name: "Retry" }).click();
    await tab.locator(".toast").getByText("Retrying 2 jobs.").waitFor();
  });

  test("says what it died of before all of it is retried, and by itself what became of it", async () => {
    const server = await startHttpServer({ dashboard: true });
    const background = new Background(server.context);
    background.start();
    onTestFinished(() => background.stop());
    await enqueue(server, 3);
    await settle(server, "emails", "fail", 3);
    const tab = await openTab(await browser.signedIn(server), `${server.url}/dead?name=email.send`);
    await tab.getByText("Failed for good by its handler").waitFor();
    await tab.getByRole("button", { name: "Retry all 3…" }).click();
    const dialog = tab.getByRole("dialog", { name: "Retry 3 jobs?" });
    await dialog.getByText("3 of them were failed for good by their handler").waitFor();
    expect(await dialog.locator(".bulk-errors li").allInnerTexts()).toEqual([
      expect.stringMatching(/^SmtpError: connection refused\s+email\.send · emails\s+3$/),
    ]);
    expect(await violations(tab)).toEqual([]);
    await dialog.getByRole("button", { name: "Retry" }).click();
    const note = tab.locator(".operation-text");
    await note.getByText("3 jobs were retried. Of these: 3 wait for a worker.").waitFor();
    await settle(server, "emails", "complete", 1);
    await settle(server, "emails", "fail", 2);
    await note.getByText("3 jobs were retried. Of these: 1 completed, 2 died again.").waitFor();
    expect(await violations(tab)).toEqual([]);
    await note.getByRole("link", { name: "Show the 2 that died again" }).click();
    await expect.poll(() => tab.locator("tr[data-job]").count()).toBe(2);
  });

  test("is not all that has failed: jobs of the same name may wait for another attempt", async () => {
    const server = await startHttpServer({ dashboard: true });
    await enqueue(server, 2);
    await settle(server, "emails", "fail");
    await fail(server, "emails", { delayMs: 3_600_000 });
    // It waits for its first attempt.
    await server.post("/v1/jobs", { name: "email.send", queue: "emails", delayMs: 3_600_000 });
    const context = await browser.signedIn(server);
    const tab = await openTab(context, `${server.url}/dead?name=email.send`);
    const note = tab.locator(".notice", {
      hasText: "1 more email.send job failed and waits for its next attempt.",
    });
    await note.getByRole("link", { name: "Show them" }).click();
    await expect.poll(() => tab.locator("tr[data-job]").count()).toBe(1);
    const all = await openTab(context, `${server.url}/dead`);
    await all.getByText("SmtpError").waitFor();
    expect(await all.getByText("waits for its next attempt").count()).toBe(0);
  });

  test("is deleted by its exact number, also where the preview stops counting", async () => {
    const server = await startHttpServer({ dashboard: true });
    await enqueue(server, 7);
    await settle(server, "emails", "fail", 7);
    const tab = await openTab(await browser.signedIn(server), `${server.url}/dead`);
    await tab.route("**/v1/jobs/bulk/preview", async (route) => {
      const answer = await route.fetch();
      await route.fulfill({ json: { ...((await answer.json()) as object), matched: 5, capped: true } });
    });
    await tab.route("**/v1/jobs/counts?q=fingerprint*", (route) =>
      route.fulfill({ json: { states: { dead: { count: 5, capped: true } }, scan: null } }),
    );
    await tab.getByRole("button", { name: "More actions" }).click();
    await tab.getByRole("menuitem", { name: "Delete all" }).click();
    const dialog = tab.getByRole("dialog", { name: "Delete 7 jobs?" });
    await dialog.getByLabel("Type 7 to confirm").fill("7");
    expect(await dialog.getByText("more than were counted").count()).toBe(0);
    await dialog.getByRole("button", { name: "Delete" }).click();
    await tab.getByText("Deleting: 0 of 7").waitFor();
  });

  test("shows how far its retry is to who comes back, who reloads, and who has not begun it", async () => {
    const server = await startHttpServer({ dashboard: true });
    await enqueue(server, 8);
    await settle(server, "emails", "fail", 8);
    const context = await browser.signedIn(server);
    const tab = await openTab(context, `${server.url}/dead?queue=emails`);
    await tab.locator(".page-header").getByRole("button", { name: "Retry all 8…" }).click();
    await tab.getByRole("dialog", { name: "Retry 8 jobs?" }).getByRole("button", { name: "Retry" }).click();
    const isOnItsWay = async (page: Page): Promise<void> => {
      await page.locator(".group-operation").getByText("Retrying: 0 of 8").waitFor();
      await page.locator(".group-operation").getByRole("button", { name: "Stop" }).waitFor();
      for (const button of await page.getByRole("button", { name: /^Retry all 8/ }).all()) {
        expect(await button.getAttribute("aria-disabled")).toBe("true");
      }
    };
    await isOnItsWay(tab);
    await tab.getByRole("link", { name: "Workers", exact: true }).click();
    await tab.goBack();
    await isOnItsWay(tab);
    await tab.reload();
    await isOnItsWay(tab);
    const other = await openTab(context, `${server.url}/dead?queue=emails&name=email.send`);
    await isOnItsWay(other);
    await other.getByText("queue:emails state:dead").waitFor();
    const background = new Background(server.context);
    background.start();
    onTestFinished(() => background.stop());
    for (const page of [tab, other]) {
      await page.locator(".group-operation").getByText("8 jobs were retried.").waitFor();
      await page.locator(".group-operation").getByRole("button", { name: "Close" }).click();
      expect(await page.locator(".group-operation").count()).toBe(0);
    }
  });

  test("is found by its whole name only, in the list as in the counts and in what is retried", async () => {
    const server = await startHttpServer({ dashboard: true });
    await enqueue(server, 2);
    await settle(server, "emails", "fail", 2);
    const context = await browser.signedIn(server);
    const tab = await openTab(context, `${server.url}/dead?name=email.send`);
    await tab.getByRole("button", { name: "Retry all 2…" }).waitFor();
    for (const name of ["email.*", "*", "email", "a,b"]) {
      await tab.getByRole("searchbox", { name: "Name" }).fill(name);
      await expect.poll(() => new URL(tab.url()).searchParams.get("name")).toBe(name);
      await tab.getByText("No dead job matches. The name is compared as a whole").waitFor();
      await shows(tab.locator("h1 .json-size"), "0 of 2 jobs");
      expect(await tab.getByRole("button", { name: /^Retry/ }).count()).toBe(0);
      expect(await tab.getByRole("alert").count()).toBe(0);
    }
  });
});

describe.skipIf(CHROMIUM === null)("the order of the groups", () => {
  const browser = useBrowser();

  test("is the one that is marked", async () => {
    const server = await startHttpServer({ dashboard: true });
    await enqueue(server, 1);
    await settle(server, "emails", "fail");
    const tab = await openTab(await browser.signedIn(server), `${server.url}/dead`);
    const marked = tab.getByRole("navigation", { name: "Order" }).locator("[aria-current]");
    expect(await marked.allInnerTexts()).toEqual(["Most jobs"]);
    await tab.getByRole("link", { name: "Latest" }).click();
    await expect.poll(() => marked.allInnerTexts()).toEqual(["Latest"]);
  });
});

describe.skipIf(CHROMIUM === null)("a trial", () => {
  const browser = useBrowser();

  test("that is refused has ended, and says so once", async () => {
    const server = await startHttpServer({ dashboard: true });
    await enqueue(server, 7);
    await settle(server, "emails", "fail", 7);
    const tab = await openTab(await browser.signedIn(server), `${server.url}/dead`);
    await tab.route("**/v1/jobs/*/retry", (route) => route.fulfill({ status: 503, body: "no" }));
    await (await beginTrial(tab)).getByRole("button", { name: "Retry" }).click();
    const panel = tab.locator(".trial");
    await panel.getByText("5 were not retried.").waitFor();
    expect(await panel.getByText("Not retried", { exact: true }).count()).toBe(5);
    await tab.getByRole("link", { name: "Workers", exact: true }).click();
    await tab.goBack();
    await panel.getByText("5 were not retried.").waitFor();
    expect(await tab.locator(".toast").count()).toBe(1);
    await panel.getByRole("button", { name: "Close" }).click();
    await panel.waitFor({ state: "detached" });
  });

  test("looks at the jobs whose answers are lost, and is the only one while they are waited for", async () => {
    const server = await startHttpServer({ dashboard: true });
    await enqueue(server, 13);
    await settle(server, "emails", "fail", 13);
    const tab = await openTab(await browser.signedIn(server), `${server.url}/dead`);
    let asked = 0;
    let letRead = (): void => undefined;
    const mayRead = new Promise<void>((resolve) => {
      letRead = resolve;
    });
    await tab.route("**/v1/jobs/*/retry", async (route) => {
      asked += 1;
      // The first two are carried out, the third is not.
      if (asked <= 2) await route.fetch();
      if (asked <= 3) return route.abort("connectionreset");
      return route.continue();
    });
    await tab.route("**/v1/jobs?q=id*", async (route) => {
      if (asked >= 3) await mayRead;
      await route.continue();
    });
    await (await beginTrial(tab)).getByRole("button", { name: "Retry" }).click();
    const panel = tab.locator(".trial");
    await expect.poll(() => panel.getByText("No answer: looking").count()).toBeGreaterThan(0);
    expect(await panel.getByText("Not retried", { exact: true }).count()).toBe(0);
    const again = tab.getByRole("button", { name: /^Try 5 first/ });
    expect(await again.getAttribute("aria-disabled")).toBe("true");
    letRead();
    await expect.poll(() => panel.getByText("Waits for a worker").count()).toBe(4);
    await panel.getByText("Not retried", { exact: true }).waitFor();
    expect(await panel.locator("li").count()).toBe(5);
    await settle(server, "emails", "complete", 4);
    await panel.getByText("4 completed, 1 was not retried.").waitFor();
    expect(await violations(tab)).toEqual([]);
    expect(await again.getAttribute("aria-disabled")).toBe("false");
  });

  test("follows jobs that were retried meanwhile from where they are now", async () => {
    const server = await startHttpServer({ dashboard: true });
    await enqueue(server, 7);
    await settle(server, "emails", "fail", 7);
    const tab = await openTab(await browser.signedIn(server), `${server.url}/dead`);
    const dialog = await beginTrial(tab);
    const ids = await dialog.locator(".trial-id").allInnerTexts();
    for (const id of ids) await server.post(`/v1/jobs/${id}/retry`);
    // Four have died again when the trial begins, and one waits.
    await settle(server, "emails", "fail", 4);
    await dialog.getByRole("button", { name: "Retry" }).click();
    const panel = tab.locator(".trial");
    await expect.poll(() => panel.getByText("Waits for a worker").count()).toBe(5);
    await settle(server, "emails", "complete", 5);
    await panel.getByText("All 5 completed.").waitFor();
  });

  test("of jobs that have all gone says so instead of asking", async () => {
    const server = await startHttpServer({ dashboard: true });
    await enqueue(server, 7);
    await settle(server, "emails", "fail", 7);
    const tab = await openTab(await browser.signedIn(server), `${server.url}/dead`);
    await tab.getByRole("button", { name: /^Try 5 first/ }).waitFor();
    await tab.locator(".live-pill").click();
    for (let id = 1; id <= 7; id += 1) await server.post(`/v1/jobs/${id}/retry`);
    await tab.getByRole("button", { name: /^Try 5 first/ }).click();
    const dialog = tab.getByRole("dialog", { name: "On trial" });
    await dialog.getByText("No job of the group is dead any more.").waitFor();
    expect(await dialog.getByRole("button", { name: "Retry" }).count()).toBe(0);
  });
});
