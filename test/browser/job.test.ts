import { describe, expect, test, vi } from "vitest";
import { ClaimView } from "../../src/api/claim.js";
import { CHROMIUM, useBrowser } from "../support/chromium.js";
import { startHttpServer, type HttpServer } from "../support/http-server.js";
import { enqueue, openTab, settle } from "./tab.js";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

const PATIENCE = { timeout: 30_000 } as const;

/** Begins a run of the job that waits. @returns how its worker says something */
async function begin(server: HttpServer) {
  const wanted = { workerId: "w", queues: ["emails"], max: 1, leaseMs: 600_000 };
  const [job] = (await server.post("/v1/claim", wanted)).as(ClaimView).jobs;
  return async (what: "logs" | "progress" | "steps" | "fail", body: object): Promise<void> => {
    const answer = await server.post(`/v1/jobs/1/${what}`, { leaseToken: job!.leaseToken, ...body });
    expect(answer.status).toBeLessThan(300);
  };
}

const FAILURE = { error: { type: "SmtpError", message: "refused" }, retry: "never" } as const;

function lines(count: number, from = 1): { readonly lines: readonly object[] } {
  return { lines: Array.from({ length: count }, (_, index) => ({ message: `line ${from + index}` })) };
}

describe.skipIf(CHROMIUM === null)("the page of a job that is retried", () => {
  const browser = useBrowser();

  test("follows its log, past what an earlier run has logged", async () => {
    const server = await startHttpServer({ dashboard: true });
    await enqueue(server, 1);
    const first = await begin(server);
    for (let from = 1; from < 300; from += 100) await first("logs", lines(100, from));
    await first("fail", FAILURE);
    const tab = await openTab(await browser.signedIn(server), `${server.url}/jobs/1`);
    await tab.getByText("line 300", { exact: true }).waitFor({ state: "attached", ...PATIENCE });
    await tab.getByRole("button", { name: "Retry" }).click();
    await expect.poll(() => tab.locator(".job-subtitle .badge").innerText(), PATIENCE).toBe("Pending");
    const second = await begin(server);
    await second("logs", lines(50, 301));
    const newest = tab.getByText("line 350", { exact: true });
    await newest.waitFor({ state: "attached", ...PATIENCE });
    // In sight within the log, which has followed.
    const log = tab.locator(".log");
    await expect
      .poll(async () => {
        const [frame, line] = [(await log.boundingBox())!, (await newest.boundingBox())!];
        return line.y >= frame.y && line.y + line.height <= frame.y + frame.height + 1;
      }, PATIENCE)
      .toBe(true);
  });

  test("does not show how far an earlier run came as the present one's", async () => {
    const server = await startHttpServer({ dashboard: true });
    await enqueue(server, 1);
    const first = await begin(server);
    await first("progress", { percent: 70, message: "70 of 100" });
    const tab = await openTab(await browser.signedIn(server), `${server.url}/jobs/1`);
    const progress = tab.locator(".progress");
    await progress.getByText("70 of 100").waitFor(PATIENCE);
    expect(await progress.innerText()).not.toContain("earlier");
    await first("fail", FAILURE);
    await progress.getByText("In an earlier run").waitFor(PATIENCE);
    await tab.getByRole("button", { name: "Retry" }).click();
    await expect.poll(() => tab.locator(".job-subtitle .badge").innerText(), PATIENCE).toBe("Pending");
    const second = await begin(server);
    await expect.poll(() => tab.locator(".job-subtitle .badge").innerText(), PATIENCE).toBe("Running");
    await progress.getByText("In an earlier run").waitFor(PATIENCE);
    await second("progress", { percent: 5 });
    await expect.poll(() => progress.innerText(), PATIENCE).toMatch(/^5%/);
    await settle(server, "emails", "complete");
  });

  test("shows which steps are done, as they are stored and after a retry", async () => {
    const server = await startHttpServer({ dashboard: true });
    await enqueue(server, 1);
    const first = await begin(server);
    const tab = await openTab(await browser.signedIn(server), `${server.url}/jobs/1`);
    await expect.poll(() => tab.locator(".job-subtitle .badge").innerText(), PATIENCE).toBe("Running");
    const card = tab.locator("#steps");
    expect(await card.count()).toBe(0);
    await first("steps", { name: "charge <b>", result: { amount: 7 } });
    await card.getByText("1 is done").waitFor(PATIENCE);
    await first("fail", FAILURE);
    await tab.getByRole("button", { name: "Retry" }).click();
    await expect.poll(() => tab.locator(".job-subtitle .badge").innerText(), PATIENCE).toBe("Pending");
    const second = await begin(server);
    await second("steps", { name: "notify" });
    await card.getByText("2 are done").waitFor(PATIENCE);
    const steps = await card.getByRole("listitem").allInnerTexts();
    expect(steps[0]).toMatch(/^charge <b>\s*Attempt 1 · .* 12 B$/);
    expect(steps[1]).toMatch(/^notify\s*Attempt 2 · .*nothing was returned$/);
    await card.getByText("charge <b>").click();
    await expect.poll(() => card.getByRole("group", { name: "Result" }).innerText(), PATIENCE).toContain("7");
    await tab.goto(`${server.url}/jobs/1?lang=ru`);
    await card.getByText("2 выполнены").waitFor(PATIENCE);
    await card.getByText("Попытка 2").waitFor(PATIENCE);
  });

  test("leaves the selection of a list when it is deleted, and the dialog says that it is gone", async () => {
    const server = await startHttpServer({ dashboard: true });
    await enqueue(server, 2);
    await settle(server, "emails", "fail");
    const tab = await openTab(await browser.signedIn(server), `${server.url}/jobs`);
    await tab.getByRole("checkbox", { name: "Select job 1" }).check();
    const bar = tab.getByRole("region", { name: "Selection" });
    await tab.locator(".live-pill").click();
    await server.send("DELETE", "/v1/jobs/1");
    await bar.getByRole("button", { name: "Retry" }).click();
    await tab.getByRole("dialog").getByText("None of these jobs is there any more.").waitFor(PATIENCE);
    await tab.keyboard.press("Escape");
    await tab.locator(".live-pill").click();
    await bar.waitFor({ state: "detached", ...PATIENCE });
  });
});
