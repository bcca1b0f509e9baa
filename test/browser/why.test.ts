import type { Page } from "playwright-core";
import { describe, expect, test, vi } from "vitest";
import { ClaimView } from "../../src/api/claim.js";
import { CHROMIUM, useBrowser } from "../support/chromium.js";
import { startHttpServer, type HttpServer } from "../support/http-server.js";
import { issueToken } from "../support/tokens.js";
import { openTab, settle } from "./tab.js";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

const PATIENCE = { timeout: 30_000 } as const;

/** pay (q-0) and paint (q-1) → pack (q-2) → ship (q-3); pack waits also when pay fails. Their ids are 1 to 4. */
async function makeFlow(server: HttpServer): Promise<void> {
  const jobs = [
    { ref: "pay" },
    { ref: "paint" },
    { ref: "pack", dependsOn: [{ ref: "pay", onFailure: "block" }, "paint"] },
    { ref: "ship", dependsOn: ["pack"] },
  ].map((job, index) => ({ name: "work", queue: `q-${index}`, maxAttempts: 1, ...job }));
  expect((await server.post("/v1/flows", { name: "order", jobs })).status).toBe(201);
}

function why(page: Page) {
  const notice = page.getByRole("region", { name: "Why it is not running" });
  return expect.poll(() => notice.innerText(PATIENCE), PATIENCE);
}

describe.skipIf(CHROMIUM === null)("why a job is not running", () => {
  const browser = useBrowser();

  test("names the jobs that it waits for, follows them, and says when only a retry helps", async () => {
    const server = await startHttpServer({ dashboard: true });
    await makeFlow(server);
    const page = await openTab(await browser.signedIn(server), `${server.url}/jobs/3`);
    await why(page).toBe("Waiting for 2 jobs of its flow: pay (pending), paint (pending).");
    expect(await page.locator(".notice.warn").count()).toBe(0);
    await settle(server, "q-1", "complete");
    await why(page).toBe("Waiting for 1 job of its flow: pay (pending).");
    await settle(server, "q-0", "fail");
    await why(page).toBe(
      "Waiting for 1 job of its flow: pay (dead). It goes on only when what did not complete is retried.",
    );
    expect(await page.locator(".notice.warn").count()).toBe(1);
    await page
      .getByRole("region", { name: "Why it is not running" })
      .getByRole("link", { name: "pay" })
      .click();
    await page.getByRole("button", { name: "Retry" }).click();
    await settle(server, "q-0", "complete");
    await page.goto(`${server.url}/jobs/3`);
    await why(page).toContain("No live worker serves jobs named work of the queue q-2.");
  });

  test("names no job to a token that may not see it, and does not say that there is none", async () => {
    const server = await startHttpServer({ dashboard: true });
    await makeFlow(server);
    const { token } = await issueToken(server, ["read-only"], { queues: ["q-2"] });
    const page = await openTab(await browser.signedIn(server, {}, token), `${server.url}/jobs/3`);
    await why(page).toBe("Waiting for 2 jobs of its flow.");
    await page.getByText("depends on jobs of queues that the token does not cover").waitFor(PATIENCE);
    const dependants = page.locator("dd", { hasText: "none that your token may see" });
    await expect.poll(() => dependants.count(), PATIENCE).toBe(1);
  });

  test("tells a limit with its number, its time, its key and its queue", async () => {
    const server = await startHttpServer({ dashboard: true });
    const rateLimit = { max: 2, perMs: 600_000 };
    const jobs = ["own", "keyed"].flatMap((queue) =>
      [1, 2, 3].map(() => ({ name: "email.send", queue, rateKey: "acme" })),
    );
    expect((await server.post("/v1/jobs/batch", { jobs })).status).toBeLessThan(300);
    for (const [queue, change] of [
      ["own", { rateLimit }],
      ["keyed", { perKey: { rateLimit } }],
    ] as const) {
      expect((await server.send("PATCH", `/v1/queues/${queue}`, { json: change })).status).toBe(200);
      const wanted = { workerId: "w", queues: [queue], max: 2, leaseMs: 600_000 };
      expect((await server.post("/v1/claim", wanted)).as(ClaimView).jobs).toHaveLength(2);
      expect((await server.post("/v1/claim", wanted)).status).toBe(200);
    }
    const page = await openTab(await browser.signedIn(server), `${server.url}/jobs/3`);
    await why(page).toMatch(
      /^As many jobs of the queue own were started as may: 2 in 10 min\. The next start is due in \d+ (s|min)\.$/,
    );
    await page.goto(`${server.url}/jobs/6`);
    await why(page).toMatch(
      /^As many jobs with the key acme of the queue keyed were started as may: 2 in 10 min\. The next start/,
    );
  });

  test.each([
    [1, "задачу"],
    [3, "задачи"],
    [7, "задач"],
  ])("counts %d in Russian as %s", async (count, word) => {
    const server = await startHttpServer({ dashboard: true });
    const refs = Array.from({ length: count }, (_, n) => `part-${n}`);
    const parts = refs.map((ref) => ({ ref, name: "work" }));
    const jobs = [...parts, { ref: "all", name: "work", dependsOn: refs }];
    expect((await server.post("/v1/flows", { name: "fan", jobs })).status).toBe(201);
    const context = await browser.signedIn(server, { language: "ru" });
    const page = await context.newPage();
    await page.goto(`${server.url}/jobs/${count + 1}`);
    const text = (): Promise<string> => page.locator("section.notice").innerText(PATIENCE);
    await expect.poll(text, PATIENCE).toContain(`Ждёт ${count} ${word} своей цепочки: part-0 (ожидает)`);
    expect(await text()).toMatch(count > 5 ? / и ещё 2\.$/ : /\)\.$/);
  });
});
