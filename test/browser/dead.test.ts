import { describe, expect, onTestFinished, test, vi } from "vitest";
import { Background } from "../../src/engine/loops/background.js";
import { violations } from "../support/axe.js";
import { CHROMIUM, useBrowser } from "../support/chromium.js";
import { startHttpServer } from "../support/http-server.js";
import { RequestLog } from "../support/request-log.js";
import { enqueue, fail, openTab, settle, shows } from "./tab.js";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

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
