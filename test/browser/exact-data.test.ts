import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import Database from "better-sqlite3";
import type { BrowserContext, Page } from "playwright-core";
import { describe, expect, test, vi } from "vitest";
import { ClaimView } from "../../src/api/claim.js";
import { Problem } from "../../src/api/problem.js";
import { CHROMIUM, isTooWide, useBrowser } from "../support/chromium.js";
import { startHttpServer, type HttpServer } from "../support/http-server.js";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

/** What a double of JavaScript cannot hold, or would write in another way. */
const EXACT = String.raw`{"id":9007199254740993,"x":1.0,"a":[1e400,-0,"\ud800","\u0041"]}`;
const PRETTY = String.raw`{
  "id": 9007199254740993,
  "x": 1.0,
  "a": [
    1e400,
    -0,
    "\ud800",
    "\u0041"
  ]
}`;

const MIB = 1_024 * 1_024;
const LARGE = {
  "one long string": JSON.stringify({ text: "<b>x</b>".repeat((5 * MIB) / 8) }),
  "many small objects": `[${'{"k":1},'.repeat((5 * MIB) / 8)}{"k":9007199254740993}]`,
  "64 levels": `${'{"k":['.repeat(32)}"${"deep ".repeat(MIB)}"${"]}".repeat(32)}`,
};

/** Writes as another program on the same file does: the API itself takes no such numbers and no such sizes. */
function overwrite(server: HttpServer, sql: string, text: string): void {
  const db = new Database(server.file);
  db.prepare(sql).run(text);
  db.close();
}

async function completedJob(server: HttpServer): Promise<void> {
  await server.post("/v1/jobs", { name: "email.send", payload: {} });
  const claim = await server.post("/v1/claim", { workerId: "w", queues: ["default"] });
  const leaseToken = claim.as(ClaimView).jobs[0]?.leaseToken;
  await server.post("/v1/jobs/1/complete", { leaseToken, result: {} });
}

function clipboard(page: Page): Promise<string> {
  return page.evaluate<string>("navigator.clipboard.readText()");
}

async function withClipboard(context: BrowserContext): Promise<Page> {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  return context.newPage();
}

function sha256(data: string | Buffer): string {
  return createHash("sha256").update(data).digest("hex");
}

async function downloaded(page: Page, press: () => Promise<void>): Promise<Buffer> {
  const [download] = await Promise.all([page.waitForEvent("download"), press()]);
  return readFileSync(await download.path());
}

describe.skipIf(CHROMIUM === null)("data of a job", () => {
  const browser = useBrowser();

  test("is shown, copied and saved as it is stored", async () => {
    const server = await startHttpServer({ dashboard: true });
    await completedJob(server);
    overwrite(server, "UPDATE job_specs SET payload = ?", EXACT);
    overwrite(server, "UPDATE job_results SET result = ?", EXACT);
    const page = await withClipboard(await browser.signedIn(server));
    await page.goto(`${server.url}/jobs/1`);
    for (const title of ["Payload", "Result"]) {
      const card = page.locator("section.card", { has: page.getByRole("heading", { name: title }) });
      const shown = card.locator("pre");
      await expect.poll(() => shown.textContent()).toBe(PRETTY);
      await card.getByRole("button", { name: "As stored", exact: true }).click();
      expect(await shown.textContent()).toBe(EXACT);
      await page.evaluate("navigator.clipboard.writeText('')");
      await card.getByRole("button", { name: "Copy as stored" }).click();
      await expect.poll(() => clipboard(page)).toBe(EXACT);
      const saved = await downloaded(page, () => card.getByRole("link", { name: "Download" }).click());
      expect(saved.toString()).toBe(EXACT);
    }
  });

  test("of a schedule is shown and copied as it is stored, and an edit sends it unchanged", async () => {
    const server = await startHttpServer({ dashboard: true });
    await server.send("PUT", "/v1/schedules/a", { json: { everyMs: 60_000, job: { name: "a" } } });
    overwrite(server, "UPDATE schedules SET payload = ?", EXACT);
    const page = await withClipboard(await browser.signedIn(server));
    await page.goto(`${server.url}/schedules/a`);
    await expect.poll(() => page.locator("pre.code-block").textContent()).toBe(PRETTY);
    await page.getByRole("button", { name: "Copy", exact: true }).click();
    await expect.poll(() => clipboard(page)).toBe(EXACT);
    await page.getByRole("button", { name: "Edit" }).click();
    const dialog = page.getByRole("dialog");
    await expect.poll(() => dialog.locator("textarea").inputValue()).toBe(EXACT);
    const [request] = await Promise.all([
      page.waitForRequest((each) => each.method() === "PUT"),
      dialog.getByRole("button", { name: "Save" }).click(),
    ]);
    expect(request.postData()).toContain(`"payload":${EXACT}`);
    // The server refuses what it would change, and the form says so and stays.
    await dialog.getByText("9007199254740993 would change").first().waitFor();
  });

  test("goes out of the form for a new job as it was typed", async () => {
    const server = await startHttpServer({ dashboard: true });
    const page = await (await browser.signedIn(server)).newPage();
    await page.goto(`${server.url}/jobs`);
    await page.getByRole("button", { name: "New job" }).first().click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("email.send");
    const send = async (payload: string): Promise<string> => {
      await dialog.locator("textarea").fill(payload);
      expect(await dialog.locator("pre").textContent()).toContain(`"payload": ${payload}`);
      const [request] = await Promise.all([
        page.waitForRequest((each) => each.method() === "POST"),
        dialog.getByRole("button", { name: "Enqueue" }).click(),
      ]);
      return request.postData() ?? "";
    };
    const refused = await send('{"id":9007199254740993,"x":1.0}');
    expect(refused).toContain('"payload": {"id":9007199254740993,"x":1.0}');
    await dialog.getByText("9007199254740993 would change").first().waitFor();
    expect((await server.send("POST", "/v1/jobs", { raw: refused })).as(Problem).code).toBe(
      "number_precision",
    );
    expect(await send('{"id":"9007199254740993","x":1.0}')).toContain('{"id":"9007199254740993","x":1.0}');
    await dialog.waitFor({ state: "detached" });
    expect((await server.get("/v1/jobs/1/payload")).text).toBe('{"id":"9007199254740993","x":1}');
  });

  test.each(Object.entries(LARGE))("is shown in part and saved whole: %s", async (_what, payload) => {
    const server = await startHttpServer({ dashboard: true });
    await completedJob(server);
    overwrite(server, "UPDATE job_specs SET payload = ?", payload);
    const page = await withClipboard(await browser.signedIn(server));
    await page.goto(`${server.url}/jobs/1`);
    await page.getByText("The first 64 KiB of").waitFor();
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("email.send");
    await page.getByText("Completed").first().waitFor();
    await page.getByRole("heading", { name: "Attempt 1" }).waitFor();
    const card = page.locator("section.card", { has: page.getByRole("heading", { name: "Payload" }) });
    expect(await card.locator("pre").textContent()).toBe(payload.slice(0, 64 * 1_024));
    expect(await isTooWide(page)).toBe(false);
    const saved = await downloaded(page, () => card.getByRole("link", { name: "Download" }).click());
    expect([saved.byteLength, sha256(saved)]).toEqual([payload.length, sha256(payload)]);
    await card.getByRole("button", { name: "Copy as stored" }).click();
    await expect.poll(async () => sha256(await clipboard(page)), { timeout: 30_000 }).toBe(sha256(payload));
  });
});
