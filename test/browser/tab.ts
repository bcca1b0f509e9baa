import type { BrowserContext, Locator, Page } from "playwright-core";
import { expect } from "vitest";
import { ClaimView } from "../../src/api/claim.js";
import type { HttpServer } from "../support/http-server.js";

/** As long as a condition may take on a busy machine, while a page waits between two attempts to connect. */
const PATIENCE = { timeout: 30_000 } as const;

/** What the tests need of an element in the page. They do not know the types of the document. */
export interface InPage {
  readonly isConnected: boolean;
  readonly ownerDocument: { readonly activeElement: InPage | null };
  contains(other: InPage | null): boolean;
  focus(how: { readonly preventScroll: boolean }): void;
}

/** A page of the dashboard that has been read and follows the server. */
export async function openTab(context: BrowserContext, url: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(url);
  await shows(pill(page), "Live");
  await hasLoaded(page);
  return page;
}

/** Until the page shows what it has read: its heading is there, and no place is kept for what is still to come. */
export async function hasLoaded(page: Page): Promise<void> {
  await page.locator("main h1").first().waitFor({ state: "attached" });
  // Not `waitForFunction`: the content security policy forbids to make scripts out of texts.
  await expect.poll(() => page.locator(".skeleton").count(), PATIENCE).toBe(0);
}

/** How fresh the page says that it is. */
export function pill(page: Page): Locator {
  return page.locator(".live-pill");
}

/** Until the element's text is this one. */
export async function shows(element: Locator, text: string): Promise<void> {
  await expect.poll(() => element.innerText(PATIENCE), PATIENCE).toBe(text);
}

/** How many dead jobs the navigation tells of, which stands on every page. */
export function deadCount(page: Page): Locator {
  return page.locator(".rail-link[href='/dead'] .count");
}

/** Tells a page that was loaded anew from one that was not. */
export async function mark(page: Page): Promise<void> {
  await page.evaluate("window.marked = true");
}

export async function isMarked(page: Page): Promise<boolean> {
  return page.evaluate<boolean>("window.marked === true");
}

/** Claims the next jobs of a queue. */
async function claim(server: HttpServer, queue: string, max: number) {
  const answer = await server.post("/v1/claim", { workerId: "w", queues: [queue], max, leaseMs: 600_000 });
  return answer.as(ClaimView).jobs;
}

/** Lets the next jobs of a queue fail for good, or complete. */
export async function settle(
  server: HttpServer,
  queue: string,
  how: "complete" | "fail",
  max = 1,
): Promise<void> {
  if (how === "fail") return fail(server, queue, "never", max);
  for (const { id, leaseToken } of await claim(server, queue, max)) {
    expect((await server.post(`/v1/jobs/${id}/complete`, { leaseToken })).status).toBe(200);
  }
}

/** Lets the next jobs of a queue fail. */
export async function fail(
  server: HttpServer,
  queue: string,
  retry: "never" | { readonly delayMs: number },
  max = 1,
): Promise<void> {
  const error = { type: "SmtpError", message: "connection refused" };
  for (const { id, leaseToken } of await claim(server, queue, max)) {
    expect((await server.post(`/v1/jobs/${id}/fail`, { leaseToken, error, retry })).status).toBe(200);
  }
}

export async function enqueue(server: HttpServer, count: number, queue = "emails"): Promise<void> {
  const jobs = Array.from({ length: count }, () => ({ name: "email.send", queue }));
  expect((await server.post("/v1/jobs/batch", { jobs })).status).toBeLessThan(300);
}
