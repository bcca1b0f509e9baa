import { describe, expect, test, vi } from "vitest";
import { violations } from "../support/axe.js";
import { CHROMIUM, useBrowser } from "../support/chromium.js";
import { startHttpServer } from "../support/http-server.js";
import { RequestLog } from "../support/request-log.js";
import { enqueue, openTab, settle } from "./tab.js";

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
});
