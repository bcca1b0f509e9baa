import type { Page } from "playwright-core";
import { describe, expect, test, vi } from "vitest";
import { CHROMIUM, isTooWide, useBrowser } from "../support/chromium.js";
import { startHttpServer, type HttpServer } from "../support/http-server.js";
import { issueToken } from "../support/tokens.js";
import { harm } from "./hostile-look.js";
import { PRINTABLE_TEXTS } from "./hostile-texts.js";
import { hasLoaded, openTab, settle, shows } from "./tab.js";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

const PATIENCE = { timeout: 30_000 } as const;

interface Job {
  readonly ref: string;
  readonly dependsOn?: readonly (string | { readonly ref: string; readonly onFailure: string })[];
}

/** Makes a flow whose jobs are in queues of their own names. */
async function makeFlow(server: HttpServer, name: string, jobs: readonly Job[]): Promise<void> {
  const named = jobs.map((job, index) => ({ name: "work", queue: `q-${index}`, maxAttempts: 1, ...job }));
  expect((await server.post("/v1/flows", { name, jobs: named })).status).toBe(201);
}

/** charge (q-0) → pack (q-1) and mail (q-2) → ship (q-3) */
const ORDER: readonly Job[] = [
  { ref: "charge" },
  { ref: "pack", dependsOn: ["charge"] },
  { ref: "mail", dependsOn: [{ ref: "charge", onFailure: "run" }] },
  { ref: "ship", dependsOn: ["pack", { ref: "mail", onFailure: "block" }] },
];

/** Of each job its ref and state, as the picture shows them. */
async function drawn(page: Page): Promise<string[]> {
  const nodes = await page.locator(".graph-node").all();
  const texts = nodes.map(async (node) => {
    const [ref, state] = [node.locator(".graph-ref"), node.locator(".badge")];
    return `${await ref.innerText()} ${await state.innerText()}`;
  });
  return Promise.all(texts);
}

/** Of each job its ref and state, as the table shows them. */
async function listed(page: Page): Promise<string[]> {
  const rows = await page.locator("tbody tr").all();
  return Promise.all(
    rows.map(
      async (row) => `${await row.locator("th").innerText()} ${await row.locator("td").nth(1).innerText()}`,
    ),
  );
}

function sentence(page: Page): Promise<string> {
  return page.getByRole("region", { name: "How it stands" }).innerText(PATIENCE);
}

describe.skipIf(CHROMIUM === null)("the page of a flow", () => {
  const browser = useBrowser();

  test("has jobs that wait for others, and the page of their queue counts them", async () => {
    const server = await startHttpServer({ dashboard: true });
    await makeFlow(server, "order", ORDER);
    const tab = await openTab(await browser.signedIn(server), `${server.url}/queues/q-1`);
    await shows(tab.locator(".tile", { hasText: "Blocked" }).locator(".tile-value"), "1");
    await settle(server, "q-0", "complete");
    await expect.poll(() => tab.locator(".tile-title", { hasText: "Blocked" }).count(), PATIENCE).toBe(0);
    await shows(tab.locator(".tile", { hasText: "Pending" }).locator(".tile-value"), "1");
  });

  test("shows the same as a graph and as a table, and both follow", async () => {
    const server = await startHttpServer({ dashboard: true });
    await makeFlow(server, "order", ORDER);
    const context = await browser.signedIn(server);
    const graph = await openTab(context, `${server.url}/flows/1`);
    const table = await openTab(context, `${server.url}/flows/1`);
    await table.getByRole("link", { name: "Table" }).click();
    const both = async (states: readonly string[]): Promise<void> => {
      await expect.poll(() => drawn(graph), PATIENCE).toEqual(states);
      await expect.poll(() => listed(table), PATIENCE).toEqual(states);
    };
    await both(["charge Pending", "pack Blocked", "mail Blocked", "ship Blocked"]);
    expect(await graph.locator(".graph .edge").count()).toBe(4);
    expect(await graph.locator(".graph .edge.run").count()).toBe(1);
    expect(await graph.locator(".graph .edge.block").count()).toBe(1);
    await settle(server, "q-0", "complete");
    await both(["charge Completed", "pack Pending", "mail Pending", "ship Blocked"]);
    await settle(server, "q-1", "complete");
    await settle(server, "q-2", "complete");
    await settle(server, "q-3", "complete");
    await both(["charge Completed", "pack Completed", "mail Completed", "ship Completed"]);
    await expect.poll(() => sentence(graph), PATIENCE).toMatch(/^All 4 jobs have completed/);
    await shows(graph.locator(".flow-ended"), "4 of 4");
    await graph.getByRole("link", { name: /^ship/ }).click();
    await expect.poll(() => new URL(graph.url()).pathname, PATIENCE).toBe("/jobs/4");
  });

  test("says what to do when nothing goes on, and retries what failed", async () => {
    const server = await startHttpServer({ dashboard: true });
    await makeFlow(server, "order", ORDER);
    await settle(server, "q-0", "complete");
    await settle(server, "q-1", "complete");
    await settle(server, "q-2", "fail");
    const tab = await openTab(await browser.signedIn(server), `${server.url}/flows/1`);
    await expect.poll(() => sentence(tab), PATIENCE).toMatch(/^It is stuck: 1 job is left/);
    await tab.getByRole("button", { name: "Retry what failed" }).click();
    const dialog = tab.getByRole("dialog");
    await dialog.getByText("1 dead job starts over.").waitFor(PATIENCE);
    expect(await dialog.getByText("cancelled").count()).toBe(0);
    await dialog.getByRole("button", { name: "Retry", exact: true }).click();
    await tab.getByText("1 job starts over", { exact: true }).waitFor(PATIENCE);
    await expect
      .poll(() => drawn(tab), PATIENCE)
      .toEqual(["charge Completed", "pack Completed", "mail Pending", "ship Blocked"]);
    await settle(server, "q-2", "complete");
    await settle(server, "q-3", "complete");
    await expect.poll(() => sentence(tab), PATIENCE).toMatch(/^All 4 jobs/);
    const retry = tab.getByRole("button", { name: "Retry what failed" });
    await expect.poll(() => retry.getAttribute("title"), PATIENCE).toMatch(/^Nothing in it is dead/);
  });

  test("cancels the flow when its name was typed", async () => {
    const server = await startHttpServer({ dashboard: true });
    await makeFlow(server, "order", ORDER);
    await settle(server, "q-0", "complete");
    const tab = await openTab(await browser.signedIn(server), `${server.url}/flows/1`);
    await tab.getByRole("button", { name: "Cancel the flow" }).click();
    const dialog = tab.getByRole("dialog");
    await dialog.getByText("3 jobs that have not ended are cancelled.").waitFor(PATIENCE);
    const cancel = dialog.getByRole("button", { name: "Cancel the flow" });
    expect(await cancel.isDisabled()).toBe(true);
    await dialog.getByLabel("To confirm, type order").fill("order");
    await cancel.click();
    await expect.poll(() => sentence(tab), PATIENCE).toMatch(/^Ended .* with 3 cancelled jobs/);
    await shows(tab.locator(".job-subtitle .badge"), "Cancelled");
    await tab.getByRole("region", { name: "Jobs by state" }).getByRole("link", { name: "Cancelled" }).click();
    await expect.poll(() => tab.locator(".jobs-table tbody tr").count(), PATIENCE).toBe(3);
  });

  test("tells a token that may only read why it can change nothing", async () => {
    const server = await startHttpServer({ dashboard: true });
    await makeFlow(server, "order", ORDER);
    const { token } = await issueToken(server, ["read-only"]);
    const tab = await openTab(await browser.signedIn(server, {}, token), `${server.url}/flows/1`);
    for (const name of ["Retry what failed", "Cancel the flow"]) {
      const button = tab.getByRole("button", { name });
      await expect.poll(() => button.getAttribute("title"), PATIENCE).toMatch(/operator/);
      expect(await button.getAttribute("aria-disabled")).toBe("true");
    }
  });

  test("says to a token of some queues that it is about all, and offers no try in vain", async () => {
    const server = await startHttpServer({ dashboard: true });
    await makeFlow(server, "order", ORDER);
    const { token } = await issueToken(server, ["operator"], { queues: ["q-*"] });
    const page = await (await browser.signedIn(server, {}, token)).newPage();
    for (const path of ["/flows", "/flows/1"]) {
      await page.goto(server.url + path);
      await page.getByText(/This call is about all queues/).waitFor(PATIENCE);
      expect(await page.getByRole("button", { name: "Try again" }).count()).toBe(0);
    }
  });

  test("says when there is no such flow", async () => {
    const server = await startHttpServer({ dashboard: true });
    const page = await (await browser.signedIn(server)).newPage();
    for (const path of ["/flows/999", "/flows/abc"]) {
      await page.goto(server.url + path);
      await page.getByText(/^There is no such flow/).waitFor(PATIENCE);
      expect(await page.getByRole("button", { name: "Try again" }).count()).toBe(0);
    }
  });

  test("shows one that is too large for a graph as pages of a table", async () => {
    const server = await startHttpServer({ dashboard: true });
    const jobs = Array.from({ length: 301 }, (_, n) => ({ ref: `job-${n}`, queue: "many" }));
    await makeFlow(server, "many", jobs);
    const tab = await openTab(await browser.signedIn(server), `${server.url}/flows/1`);
    await tab.getByText("A graph is drawn of up to 300 jobs.").waitFor(PATIENCE);
    expect(await tab.locator(".graph").count()).toBe(0);
    expect(await tab.locator("tbody tr").count()).toBe(100);
    await tab.getByRole("link", { name: "Next page" }).click();
    await tab.getByRole("link", { name: "job-100", exact: true }).waitFor(PATIENCE);
  });

  test("shows refs as text, whatever they are", async () => {
    const server = await startHttpServer({ dashboard: true });
    const jobs = PRINTABLE_TEXTS.map((ref, index) => ({
      ref,
      queue: "held",
      dependsOn: index === 0 ? [] : [PRINTABLE_TEXTS[0]],
    }));
    await makeFlow(server, "hostile", jobs);
    const page = await (await browser.signedIn(server)).newPage();
    for (const path of ["/flows/1", "/flows/1?view=table", "/jobs/1", "/jobs/2"]) {
      await page.goto(server.url + path);
      await hasLoaded(page);
      await page
        .locator(".graph-node, .dependency-list")
        .first()
        .waitFor({ state: "attached", ...PATIENCE });
      expect(await harm(page)).toEqual([]);
    }
    expect(await page.locator("body").innerText()).toContain(PRINTABLE_TEXTS[0]);
  });
});

describe.skipIf(CHROMIUM === null)("the list of flows", () => {
  const browser = useBrowser();

  test("teaches how to make the first one, and shows it when it is there", async () => {
    const server = await startHttpServer({ dashboard: true });
    const tab = await openTab(await browser.signedIn(server), server.url);
    await tab.keyboard.press("g");
    await tab.keyboard.press("f");
    await tab.getByRole("heading", { name: "There are no flows yet" }).waitFor(PATIENCE);
    expect(await tab.locator(".code-block").first().innerText()).toContain(`${server.url}/v1/flows`);
    await makeFlow(server, "order", ORDER);
    const row = tab.locator("tbody tr");
    await expect.poll(() => row.locator("th").innerText(), PATIENCE).toBe("order\n#1");
    await shows(row.locator(".flow-ended"), "0 of 4");
    await settle(server, "q-0", "fail");
    // What follows it in whatever way; ship waits for pack, which is cancelled.
    await shows(row.locator(".flow-ended"), "3 of 4");
    expect(await row.locator(".second-line").innerText()).toBe("1 dead, 2 cancelled");
  });

  test("is filtered by state and name, newest first, and the address says it", async () => {
    const server = await startHttpServer({ dashboard: true });
    await makeFlow(server, "order", [{ ref: "a" }]);
    await settle(server, "q-0", "complete");
    await makeFlow(server, "order", [{ ref: "a" }]);
    await makeFlow(server, "report", [{ ref: "a" }]);
    const tab = await openTab(await browser.signedIn(server), `${server.url}/flows`);
    const names = async (): Promise<string[]> => tab.locator("tbody .row-link").allInnerTexts();
    await expect.poll(names, PATIENCE).toEqual(["report", "order", "order"]);
    await tab.getByRole("searchbox", { name: "Name of the flow" }).fill("order");
    await expect.poll(names, PATIENCE).toEqual(["order", "order"]);
    await tab.getByRole("link", { name: "Completed" }).click();
    await expect.poll(names, PATIENCE).toEqual(["order"]);
    expect(new URL(tab.url()).search).toBe("?state=completed&name=order");
    await tab.getByRole("searchbox", { name: "Name of the flow" }).fill("nothing");
    await tab.getByText("No flow here is named “nothing”.").waitFor(PATIENCE);
    expect(await isTooWide(tab)).toBe(false);
  });
});

describe.skipIf(CHROMIUM === null)("the page of a job of a flow", () => {
  const browser = useBrowser();

  test("tells what it depends on, what depends on it, and leads to the flow", async () => {
    const server = await startHttpServer({ dashboard: true });
    await makeFlow(server, "order", ORDER);
    const tab = await openTab(await browser.signedIn(server), `${server.url}/jobs/2`);
    const [before, after] = [tab.locator(".dependency-list").first(), tab.locator(".dependency-list").last()];
    await shows(before, "charge\nPending");
    await shows(after, "ship\nBlocked");
    await settle(server, "q-0", "complete");
    await shows(before, "charge\nCompleted");
    await tab.getByRole("link", { name: "Flow 1" }).click();
    await tab.getByRole("heading", { name: "order" }).waitFor(PATIENCE);
  });
});
