import type { Page } from "playwright-core";
import { expect } from "vitest";
import { visible } from "../../dashboard/src/ui/visible.js";

const SIZES = [
  { width: 1_280, height: 800 },
  { width: 390, height: 844 },
] as const;

/**
 * Runs in the page, so it is text: what must never come of a text that somebody else wrote. The dashboard has no image
 * and no frame of its own.
 */
const FAULTS = String.raw`(() => {
  const faults = [];
  if (window.__xss !== undefined) faults.push("a script ran");
  const made = "[data-hostile], img, iframe, object, embed, math, audio, video, marquee, meta[http-equiv=refresh]";
  for (const element of document.querySelectorAll(made)) faults.push("made " + element.outerHTML.slice(0, 200));
  for (const { href } of document.querySelectorAll("base")) {
    if (!href.startsWith(location.origin)) faults.push("base " + href);
  }
  for (const { src } of document.scripts) {
    if (!src.startsWith(location.origin)) faults.push("script " + src);
  }
  for (const { href } of document.querySelectorAll("a")) {
    if (!/^(https?:|blob:)/.test(href) || !href.startsWith(location.origin)) faults.push("link to " + href);
  }
  const hidden = /(?![\t\n])[\p{Cc}\p{Bidi_Control}\u00ad\u200b\u2028\u2029\u2060\ufeff]/u;
  const judge = (place, text) => {
    if (!hidden.test(text)) return;
    const at = text.search(hidden);
    faults.push("hidden character in " + place + ": " + JSON.stringify(text.slice(Math.max(0, at - 20), at + 20)));
  };
  for (const element of document.querySelectorAll("*")) {
    for (const { name, value } of element.attributes) {
      if (name.startsWith("on")) faults.push("attribute " + name + "=" + value);
      if (["title", "aria-label", "placeholder"].includes(name)) judge(element.className + " " + name, value);
    }
    for (const { nodeType, data } of element.childNodes) {
      // What can be edited stands there as it is.
      if (nodeType === Node.TEXT_NODE && element.tagName !== "TEXTAREA") judge(element.tagName + "." + element.className, data);
    }
  }
  return faults;
})()`;

const WIDEST = String.raw`(() => {
  if (document.documentElement.scrollWidth <= window.innerWidth) return null;
  const wide = [...document.querySelectorAll("body *")].filter(
    (element) => element.getBoundingClientRect().right > window.innerWidth || element.scrollWidth > window.innerWidth,
  );
  return wide.slice(-3).map((element) => element.outerHTML.slice(0, 200));
})()`;

/** What came of the texts on this page besides text; nothing when all is well. At both sizes of the window. */
export async function harm(page: Page): Promise<string[]> {
  const faults: string[] = [];
  for (const size of SIZES) {
    await page.setViewportSize(size);
    const place = `${new URL(page.url()).pathname} at ${size.width}`;
    const wide = await page.evaluate<string[] | null>(WIDEST);
    if (wide !== null) faults.push(`${place} is too wide: ${wide.join(" ")}`);
    faults.push(...(await page.evaluate<string[]>(FAULTS)).map((fault) => `${place}: ${fault}`));
  }
  await page.setViewportSize(SIZES[0]);
  return [...new Set(faults)];
}

/** All text of the page, as it stands in the document. */
function textOf(page: Page): Promise<string> {
  return page.evaluate<string>("document.body.textContent");
}

/** Waits until each of the texts stands in the page as text, with marks for characters that nobody sees. */
export async function expectShown(page: Page, texts: readonly string[]): Promise<void> {
  const missing = async (): Promise<string[]> => {
    const shown = await textOf(page);
    return texts.filter((text) => !shown.includes(visible(text)));
  };
  await expect.poll(missing, { timeout: 30_000 }).toEqual([]);
}

/** Until the page shows what it has read: its heading is there, and no place is kept for what is still to come. */
export async function settled(page: Page): Promise<void> {
  await page.locator("h1").first().waitFor({ state: "attached" });
  // Not `waitForFunction`: the content security policy forbids to make scripts out of texts.
  await expect.poll(() => page.locator(".skeleton").count(), { timeout: 30_000 }).toBe(0);
}
