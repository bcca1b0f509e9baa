import { chromium, type Browser, type BrowserContext, type Page } from "playwright-core";
import { afterAll, beforeAll, expect, onTestFinished } from "vitest";
import { findChromium } from "../../scripts/ensure-chromium.mjs";
import { API_TOKEN } from "./http-server.js";

/** Path of the browser; `null` where there is none, and then its tests are skipped. `npm test` gets one. */
export const CHROMIUM = find();

function find(): string | null {
  const path = findChromium();
  if (path === null && process.env["CI"] === "true") throw new Error("Chromium is missing: run npm test");
  return path;
}

/** Refused requests are the page's business. Over plain HTTP, Chromium says that it ignores one of the headers. */
const TOLERATED = /^Failed to load resource|^The Cross-Origin-Opener-Policy header has been ignored/;

export interface Look {
  readonly width?: number;
  readonly height?: number;
  readonly language?: "en" | "ru";
  readonly theme?: "light" | "dark";
  /** The test is about pages whose scripts fail. */
  readonly mayFail?: boolean;
}

/** Where the browser goes: a server, or what stands in front of it. */
interface Site {
  readonly url: string;
}

/**
 * A browser for the tests of a file. Call it in a `describe`.
 *
 * @param switches of Chromium's command line, such as `--lang=ru`
 */
export function useBrowser(...switches: string[]): TestBrowser {
  const browser = new TestBrowser(switches);
  beforeAll(() => browser.start());
  afterAll(() => browser.stop());
  return browser;
}

export class TestBrowser {
  #browser: Browser | null = null;

  constructor(private readonly switches: readonly string[]) {}

  async start(): Promise<void> {
    if (CHROMIUM === null) return;
    // Its sandbox needs rights that a container's root has not; it only sees pages of the tests.
    this.#browser = await chromium.launch({
      executablePath: CHROMIUM,
      args: ["--no-sandbox", ...this.switches],
    });
  }

  async stop(): Promise<void> {
    await this.#browser?.close();
  }

  /** A browser of somebody who has signed in at the server. Whatever goes wrong in a page of it fails the test. */
  async signedIn(server: Site, look: Look = {}, token = API_TOKEN): Promise<BrowserContext> {
    const context = await this.context(server, look);
    const answer = await context.request.post(`${server.url}/v1/session`, { data: { token } });
    expect(answer.status()).toBe(204);
    return context;
  }

  /** A browser of a stranger. */
  async context(server: Site, look: Look = {}): Promise<BrowserContext> {
    if (this.#browser === null) throw new Error("There is no browser");
    const { width = 1_280, height = 800, language = "en", theme = "light", mayFail = false } = look;
    const context = await this.#browser.newContext({
      viewport: { width, height },
      locale: language,
      colorScheme: theme,
      timezoneId: "Europe/Berlin",
    });
    const faults: string[] = [];
    context.on("weberror", (error) => faults.push(`script error: ${String(error.error())}`));
    context.on("console", (message) => {
      // Reports of the content security policy come as errors too.
      if (message.type() === "error" && !TOLERATED.test(message.text()))
        faults.push(`console: ${message.text()}`);
    });
    context.on("request", (request) => {
      if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(server.url))
        faults.push(`request to another place: ${request.url()}`);
    });
    onTestFinished(async () => {
      await context.close();
      if (!mayFail) expect(faults).toEqual([]);
    });
    return context;
  }
}

/** Whether the page is wider than its window. */
export async function isTooWide(page: Page): Promise<boolean> {
  return page.evaluate<boolean>("document.documentElement.scrollWidth > window.innerWidth");
}
