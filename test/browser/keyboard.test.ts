import type { CDPSession, Locator, Page } from "playwright-core";
import { describe, expect, test, vi } from "vitest";
import { CHROMIUM, useBrowser } from "../support/chromium.js";
import { startHttpServer } from "../support/http-server.js";
import { enqueue, openTab, pill, settle, shows, type InPage } from "./tab.js";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

const PATIENCE = { timeout: 30_000 } as const;

/** What keys write with a Russian layout. */
const RUSSIAN: Readonly<Record<string, string>> = {
  KeyG: "п",
  KeyJ: "о",
  KeyK: "л",
  KeyX: "ч",
  KeyR: "к",
  KeyQ: "й",
  Slash: ".",
  Period: "ю",
};

const MODIFIERS = { none: 0, alt: 1, control: 2, meta: 4, shift: 8 } as const;

/** A keyboard with a Russian layout. Playwright's own knows the American one only. */
class RussianKeyboard {
  private constructor(private readonly session: CDPSession) {}

  static async of(page: Page): Promise<RussianKeyboard> {
    return new RussianKeyboard(await page.context().newCDPSession(page));
  }

  async press(code: string, modifier: keyof typeof MODIFIERS = "none"): Promise<void> {
    const sign = RUSSIAN[code] ?? "";
    const key = modifier === "shift" ? (code === "Slash" ? "," : sign.toUpperCase()) : sign;
    const writes = modifier === "none" || modifier === "shift";
    const common = { code, key, modifiers: MODIFIERS[modifier] };
    await this.session.send("Input.dispatchKeyEvent", {
      ...common,
      type: writes ? "keyDown" : "rawKeyDown",
      ...(writes && { text: key }),
    });
    await this.session.send("Input.dispatchKeyEvent", { ...common, type: "keyUp" });
  }
}

/** The accessible name, or else the text, of what has the focus. */
function focused(tab: Page): Promise<string> {
  return tab.evaluate<string>(
    `(({ activeElement: at }) => at.getAttribute("aria-label") ?? at.labels?.[0]?.innerText ?? at.innerText)(document)`,
  );
}

/** The id of the job in whose row the focus is. */
function focusedRow(tab: Page): Promise<string | null> {
  return tab.evaluate<string | null>(`document.activeElement.closest("tr[data-job]")?.dataset.job ?? null`);
}

function path(tab: Page): string {
  const { pathname, search } = new URL(tab.url());
  return pathname + search;
}

async function hasFocus(element: Locator): Promise<void> {
  await expect
    .poll(() => element.evaluate((it: InPage) => it === it.ownerDocument.activeElement), PATIENCE)
    .toBe(true);
}

/** Goes through everything in a dialog by Tab: the focus stays within it. */
async function keepsFocus(tab: Page, dialog: Locator): Promise<void> {
  for (let step = 0; step < 20; step += 1) {
    await tab.keyboard.press(step % 5 === 4 ? "Shift+Tab" : "Tab");
    // The document itself for a moment: the browser's own bar comes between the last and the first.
    const where = await dialog.evaluate((it: InPage) => {
      const { activeElement } = it.ownerDocument;
      return it.contains(activeElement) || activeElement?.contains(it) === true;
    });
    expect(where, await focused(tab)).toBe(true);
  }
}

describe.skipIf(CHROMIUM === null)("by keyboard alone", () => {
  const browser = useBrowser();

  async function openJobs(): Promise<Page> {
    const server = await startHttpServer({ dashboard: true });
    await enqueue(server, 6);
    await settle(server, "emails", "fail", 2);
    return openTab(await browser.signedIn(server), `${server.url}/jobs`);
  }

  test("one goes everywhere, also with a Cyrillic layout", async () => {
    const tab = await openJobs();
    const keys = await RussianKeyboard.of(tab);
    await keys.press("KeyG");
    await keys.press("KeyQ");
    await expect.poll(() => path(tab), PATIENCE).toBe("/queues");
    await tab.getByRole("heading", { level: 1, name: "Queues" }).waitFor(PATIENCE);
    // Where a link in the navigation had it, the focus does not stay on what is no longer there.
    await keys.press("KeyG");
    await keys.press("KeyJ");
    await expect.poll(() => path(tab), PATIENCE).toBe("/jobs");
    await tab.locator("tr[data-job='6']").waitFor(PATIENCE);
    expect(await focusedRow(tab)).toBe(null);

    await keys.press("KeyJ");
    expect(await focusedRow(tab)).toBe("6");
    await keys.press("KeyJ");
    expect(await focusedRow(tab)).toBe("5");
    await keys.press("KeyX");
    expect(await tab.getByRole("checkbox", { name: "Select job 5" }).isChecked()).toBe(true);
    await keys.press("KeyK");
    expect(await focusedRow(tab)).toBe("6");
    await tab.keyboard.press("Enter");
    await expect.poll(() => path(tab), PATIENCE).toBe("/jobs/6");

    await keys.press("KeyR");
    await shows(pill(tab), "Paused");
    await keys.press("KeyR");
    await shows(pill(tab), "Live");
    await keys.press("Slash");
    await hasFocus(tab.locator(".search input"));
    await tab.keyboard.press("Escape");
    await tab.evaluate("document.activeElement.blur()");
    await keys.press("Slash", "shift");
    const shortcuts = tab.getByRole("dialog");
    await shortcuts.waitFor(PATIENCE);
    expect(await focused(tab)).toBe("Close");
    await keepsFocus(tab, shortcuts);
    await tab.keyboard.press("Escape");
    await shortcuts.waitFor({ state: "detached", ...PATIENCE });
  });

  test("shortcuts leave fields, dialogs and the browser's own keys alone", async () => {
    const tab = await openJobs();
    const keys = await RussianKeyboard.of(tab);
    for (const modifier of ["control", "alt", "meta"] as const) {
      for (const code of ["KeyR", "KeyJ", "Slash"]) await keys.press(code, modifier);
      await keys.press("KeyG", modifier);
      await keys.press("KeyQ", modifier);
    }
    expect(await focusedRow(tab)).toBe(null);
    expect(path(tab)).toBe("/jobs");
    await shows(pill(tab), "Live");

    const search = tab.locator(".search input");
    await search.focus();
    for (const code of ["KeyG", "KeyQ", "KeyR", "KeyJ", "Slash"]) await keys.press(code);
    expect(await search.inputValue()).toBe("пйко.");
    expect(path(tab)).toBe("/jobs");
    await shows(pill(tab), "Live");

    await tab.getByRole("button", { name: "New job" }).click();
    const dialog = tab.getByRole("dialog", { name: "New job" });
    await dialog.getByRole("button", { name: "Cancel" }).focus();
    for (const code of ["KeyG", "KeyQ", "KeyR", "Slash"]) await keys.press(code);
    expect(path(tab)).toBe("/jobs");
    await shows(pill(tab), "Live");
    expect(await dialog.count()).toBe(1);
  });

  test("every action on a row can be taken, and the focus comes back", async () => {
    const tab = await openJobs();
    const menu = tab.getByRole("menu");
    const button = tab.getByRole("button", { name: "Actions for job 1" });
    await button.focus();
    await tab.keyboard.press("Enter");
    await menu.waitFor(PATIENCE);
    await expect.poll(() => focused(tab), PATIENCE).toContain("Open");
    await tab.keyboard.press("ArrowDown");
    await expect.poll(() => focused(tab), PATIENCE).toContain("Retry");
    await tab.keyboard.press("ArrowUp");
    await expect.poll(() => focused(tab), PATIENCE).toContain("Open");
    await tab.keyboard.press("Escape");
    await menu.waitFor({ state: "detached", ...PATIENCE });
    await hasFocus(button);

    await tab.keyboard.press("Enter");
    await expect.poll(() => focused(tab), PATIENCE).toContain("Open");
    await tab.keyboard.press("ArrowDown");
    await tab.keyboard.press("Enter");
    await shows(tab.locator("tr[data-job='1'] .column-state"), "Pending");
    await hasFocus(button);

    await tab.keyboard.press("Enter");
    await expect.poll(() => focused(tab), PATIENCE).toContain("Open");
    for (let step = 0; step < 9 && !(await focused(tab)).startsWith("Delete"); step += 1) {
      await tab.keyboard.press("ArrowDown");
    }
    await tab.keyboard.press("Enter");
    const dialog = tab.getByRole("dialog", { name: "Delete job 1?" });
    await dialog.waitFor(PATIENCE);
    await expect.poll(() => focused(tab), PATIENCE).toBe("Go back");
    await keepsFocus(tab, dialog);
    await tab.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached", ...PATIENCE });
    await hasFocus(button);
  });

  test("what is ticked can be acted upon, and the dialogs give the focus back", async () => {
    const tab = await openJobs();
    const box = tab.getByRole("checkbox", { name: "Select job 2" });
    await box.focus();
    await tab.keyboard.press("Space");
    const bar = tab.getByRole("region", { name: "Selection" });
    const retry = bar.getByRole("button", { name: "Retry" });
    await retry.focus();
    await tab.keyboard.press("Enter");
    const dialog = tab.getByRole("dialog", { name: "Retry 1 job?" });
    await dialog.waitFor(PATIENCE);
    await keepsFocus(tab, dialog);
    await tab.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached", ...PATIENCE });
    await hasFocus(retry);

    const newJob = tab.getByRole("button", { name: "New job" });
    await newJob.focus();
    await tab.keyboard.press("Enter");
    const form = tab.getByRole("dialog", { name: "New job" });
    await form.waitFor(PATIENCE);
    await keepsFocus(tab, form);
    await form.getByLabel("Tags").focus();
    await tab.keyboard.press("Escape");
    await form.waitFor({ state: "detached", ...PATIENCE });
    await hasFocus(newJob);
  });

  test.each([
    ["New job", "/jobs", "Tags"],
    ["New schedule", "/schedules", "Key"],
    ["Pause", "/queues/emails", /^Reason/],
  ])("Escape asks before it throws away what was written: %s", async (button, place, label) => {
    const tab = await openJobs();
    await tab.goto(new URL(place, tab.url()).href);
    const opener = tab.getByRole("button", { name: button, exact: true });
    await opener.click();
    const form = tab.getByRole("dialog").first();
    const field = form.getByLabel(label).first();
    await field.fill("vip");
    const question = tab.getByRole("dialog", { name: "Discard what you wrote?" });
    for (const answer of ["Enter", "Escape"]) {
      await tab.keyboard.press("Escape");
      await question.waitFor(PATIENCE);
      await expect.poll(() => focused(tab), PATIENCE).toBe("Go on writing");
      await tab.keyboard.press(answer);
      await question.waitFor({ state: "detached", ...PATIENCE });
      await hasFocus(field);
      expect(await field.inputValue()).toBe("vip");
    }
    await tab.keyboard.press("Escape");
    await question.getByRole("button", { name: "Discard" }).click();
    await form.waitFor({ state: "detached", ...PATIENCE });
    await hasFocus(opener);
  });

  test("the focus stays where a button was that its own press has taken away", async () => {
    const tab = await openJobs();
    await tab.goto(new URL("/queues/emails", tab.url()).href);
    const isNear = (name: string): Promise<void> =>
      expect
        .poll(async () => {
          if (await tab.evaluate<boolean>("document.activeElement === document.body")) return "nowhere";
          await tab.keyboard.press("Tab");
          return focused(tab);
        }, PATIENCE)
        .toBe(name);
    const pause = tab.getByRole("button", { name: "Pause", exact: true });
    await pause.focus();
    await tab.keyboard.press("Enter");
    await tab.keyboard.type("mail server");
    await tab.keyboard.press("Enter");
    const resume = tab.getByRole("button", { name: "Resume" });
    await resume.waitFor(PATIENCE);
    await tab.getByRole("dialog").waitFor({ state: "detached", ...PATIENCE });
    // Not on it: a second Enter would resume at once.
    expect(await resume.evaluate((it: InPage) => it === it.ownerDocument.activeElement)).toBe(false);
    await isNear("Resume");
    await tab.keyboard.press("Enter");
    await pause.waitFor(PATIENCE);
    await isNear("Pause");

    await tab.getByLabel("Jobs at once").first().fill("3");
    await tab.getByRole("button", { name: "Discard" }).focus();
    await tab.keyboard.press("Enter");
    await expect.poll(() => focused(tab), PATIENCE).toBe("Save limits");
  });

  test("the content can be skipped to, and a new page takes the focus", async () => {
    const tab = await openJobs();
    await tab.keyboard.press("Tab");
    expect(await focused(tab)).toBe("Skip to content");
    await tab.keyboard.press("Enter");
    await hasFocus(tab.locator("main"));
    await tab.locator(".rail").getByRole("link", { name: "Workers" }).focus();
    await tab.keyboard.press("Enter");
    await tab.getByRole("heading", { level: 1, name: "Workers" }).waitFor(PATIENCE);
    await expect.poll(() => tab.title(), PATIENCE).toMatch(/^Workers/);
    await hasFocus(tab.locator("main"));
    await tab.keyboard.press("Tab");
    expect(
      await tab.locator("main").evaluate((main: InPage) => main.contains(main.ownerDocument.activeElement)),
    ).toBe(true);
    // A link within the page as well, and the way back.
    await tab.goBack();
    await tab.locator("tr[data-job='6']").waitFor(PATIENCE);
    await hasFocus(tab.locator("main"));
    await tab.keyboard.press("j");
    await tab.keyboard.press("Enter");
    await tab.getByRole("heading", { level: 1, name: "email.send" }).waitFor(PATIENCE);
    await hasFocus(tab.locator("main"));
  });
});
