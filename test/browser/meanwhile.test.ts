import { describe, expect, test } from "vitest";
import { CHROMIUM, useBrowser } from "../support/chromium.js";
import { startHttpServer } from "../support/http-server.js";
import { issueToken } from "../support/tokens.js";
import { seed } from "./seed.js";

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
    await dialog.getByRole("button", { name: "Cancel" }).click();
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
});
