import { describe, expect, test } from "vitest";
import { CHROMIUM, useBrowser } from "../support/chromium.js";
import { startHttpServer } from "../support/http-server.js";
import { issueToken } from "../support/tokens.js";
import { seed } from "./seed.js";
import { deadCount, enqueue, openTab, settle, shows } from "./tab.js";

const HOUR = 3_600_000;

describe.skipIf(CHROMIUM === null)("a page that does not know everything", () => {
  const browser = useBrowser();

  test("keeps the reason that is being written when somebody else pauses the queue, and resumes nothing", async () => {
    const server = await startHttpServer({ dashboard: true });
    await server.post("/v1/jobs", { name: "email.send", queue: "emails" });
    const page = await (await browser.signedIn(server)).newPage();
    await page.goto(`${server.url}/queues/emails`);
    // The second press of a double click does not close what the first one has opened.
    await page.getByRole("button", { name: "Pause", exact: true }).dblclick();
    const dialog = page.getByRole("dialog");
    const reason = dialog.getByRole("textbox");
    await reason.pressSequentially("mail server");
    await server.post("/v1/queues/emails/pause", { reason: "incident 42" });
    await dialog.getByText("incident 42").waitFor();
    await reason.pressSequentially(" down");
    expect(await reason.inputValue()).toBe("mail server down");
    await page.mouse.click(5, 5);
    await dialog.getByRole("button", { name: "Go back" }).click();
    await dialog.waitFor({ state: "detached" });
    const queue = (await server.get("/v1/queues/emails")).json as { pauseReason: string };
    expect(queue.pauseReason).toBe("incident 42");
  });

  test.each([-5, 5])("asks for the right hours with a clock that is wrong by %d hours", async (hours) => {
    const server = await startHttpServer({ dashboard: true });
    await server.post("/v1/jobs", { name: "email.send", queue: "emails" });
    const context = await browser.signedIn(server);
    await context.addInitScript(`{ const now = Date.now; Date.now = () => now() + ${hours * HOUR}; }`);
    const page = await context.newPage();
    const asked: number[] = [];
    page.on("request", (request) => {
      const from = new URL(request.url()).searchParams.get("from");
      if (from !== null) asked.push(Date.now() - Date.parse(from));
    });
    await page.goto(`${server.url}/metrics-ui`);
    await expect.poll(() => asked.length).toBeGreaterThan(3);
    for (const age of asked) expect(Math.abs(age - HOUR)).toBeLessThan(HOUR / 2);
  });

  test("asks for no figures of all queues with a token that covers some", async () => {
    const server = await startHttpServer({ dashboard: true });
    await seed(server);
    const { token } = await issueToken(server, ["operator"], { queues: ["em*"] });
    const page = await (await browser.signedIn(server, {}, token)).newPage();
    const refused: string[] = [];
    page.on("response", (response) => {
      if (response.status() >= 400) refused.push(response.url());
    });
    await page.goto(`${server.url}/`);
    await page.getByText("Your token covers some queues only").waitFor();
    await page.getByRole("link", { name: "Metrics", exact: true }).click();
    await expect.poll(() => page.getByLabel("Queue", { exact: true }).inputValue()).toBe("emails");
    await page.getByRole("rowheader").first().waitFor();
    expect(refused).toEqual([]);
  });

  test("says so with a token that covers no queue that is there", async () => {
    const server = await startHttpServer({ dashboard: true });
    await seed(server);
    const { token } = await issueToken(server, ["read-only"], { queues: ["later*"] });
    const page = await (await browser.signedIn(server, {}, token)).newPage();
    await page.goto(`${server.url}/metrics-ui`);
    await page.getByText("There are no queues yet").waitFor();
    expect(await page.locator(".chart, select").count()).toBe(0);
  });

  test("follows a dead job that somebody else retries, completes and deletes", async () => {
    const server = await startHttpServer({ dashboard: true });
    await enqueue(server, 1);
    await settle(server, "emails", "fail");
    const page = await openTab(await browser.signedIn(server), `${server.url}/jobs/1`);
    const state = page.locator(".job-subtitle .badge");
    await shows(state, "Dead");
    await page.getByRole("button", { name: "Delete" }).click();
    const dialog = page.getByRole("dialog");
    const submit = dialog.getByRole("button", { name: /^Delete/ });
    expect(await submit.isEnabled()).toBe(true);
    await server.post("/v1/jobs/1/retry");
    await dialog.getByText("Its state is now: Pending").waitFor();
    expect(await submit.isDisabled()).toBe(true);
    await dialog.getByRole("checkbox").check();
    expect(await submit.isEnabled()).toBe(true);
    await dialog.getByRole("button", { name: "Go back" }).click();
    await settle(server, "emails", "complete");
    await shows(state, "Completed");
    await server.send("DELETE", "/v1/jobs/1");
    await page.getByText("was deleted").waitFor();
  });

  test("says in the list of jobs that the one to be deleted has been retried", async () => {
    const server = await startHttpServer({ dashboard: true });
    await enqueue(server, 1);
    await settle(server, "emails", "fail");
    const page = await openTab(await browser.signedIn(server), `${server.url}/jobs?state=dead`);
    await page.getByRole("button", { name: "Actions for job 1" }).click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    const dialog = page.getByRole("dialog");
    await server.post("/v1/jobs/1/retry");
    await dialog.getByText("Its state is now: Pending").waitFor();
    expect(await dialog.getByRole("button", { name: "Delete" }).isDisabled()).toBe(true);
  });

  test("tells of ticked jobs what they are when it is asked about them", async () => {
    const server = await startHttpServer({ dashboard: true });
    await enqueue(server, 6);
    await settle(server, "emails", "fail", 6);
    const page = await openTab(await browser.signedIn(server), `${server.url}/jobs?state=dead`);
    for (const id of [1, 2, 3, 4, 5, 6]) {
      await page.getByRole("checkbox", { name: `Select job ${id}`, exact: true }).check();
    }
    for (const id of [1, 2, 3, 4]) await server.post(`/v1/jobs/${id}/retry`);
    await page.getByRole("region", { name: "Selection" }).getByRole("button", { name: "Retry" }).click();
    const dialog = page.getByRole("dialog", { name: "Retry 2 jobs?" });
    await expect
      .poll(async () => (await dialog.locator(".bulk-states").innerText()).replaceAll(/\s+/g, " "))
      .toBe("Dead 2");
  });

  test("goes on when the clock of the browser steps back", async () => {
    const server = await startHttpServer({ dashboard: true });
    await enqueue(server, 8);
    await settle(server, "emails", "fail", 3);
    const context = await browser.signedIn(server);
    await context.addInitScript(`{ const now = Date.now; window.step = 0; Date.now = () => now() + step; }`);
    const page = await openTab(context, `${server.url}/queues`);
    await shows(deadCount(page), "3");
    await page.evaluate(`window.step = ${-HOUR}`);
    await settle(server, "emails", "fail", 3);
    await shows(deadCount(page), "6");
    await page.getByRole("link", { name: "Workers", exact: true }).click();
    await page.getByRole("link", { name: "Queues", exact: true }).click();
    await shows(page.locator("td[data-label='Dead']"), "6");
    // What one comes back to is read again.
    const asked = page.waitForRequest("**/v1/stats/queues");
    await page.getByRole("link", { name: "Workers", exact: true }).click();
    await page.getByRole("link", { name: "Queues", exact: true }).click();
    await asked;
  });
});
