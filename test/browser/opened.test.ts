import type { Locator, Page } from "playwright-core";
import { describe, expect, test, vi } from "vitest";
import { violations } from "../support/axe.js";
import { CHROMIUM, isTooWide, useBrowser } from "../support/chromium.js";
import { startHttpServer } from "../support/http-server.js";
import { seed } from "./seed.js";
import { hasLoaded } from "./tab.js";

vi.setConfig({ testTimeout: 240_000, hookTimeout: 60_000 });

interface Opening {
  readonly what: string;
  readonly path: string;
  /** Opens it. @returns what must then be seen */
  readonly open: (page: Page) => Promise<Locator>;
}

/** A button that opens a dialog. */
function dialog(what: string, path: string, button: string | RegExp, title: string | RegExp): Opening {
  return {
    what,
    path,
    open: async (page) => {
      await page.getByRole("button", { name: button }).first().click();
      return page.getByRole("dialog", { name: title });
    },
  };
}

/** A button that opens a menu. */
function menu(what: string, path: string, button: string | RegExp): Opening {
  return {
    what,
    path,
    open: async (page) => {
      await page.getByRole("button", { name: button }).first().click();
      return page.getByRole("menu", { name: button });
    },
  };
}

/** What is done with the ticked job. */
function bulk(what: string, job: number, button: string): Opening {
  return {
    what,
    path: "/jobs",
    open: async (page) => {
      await page.getByRole("checkbox", { name: `Select job ${job}`, exact: true }).check();
      await page.getByRole("region", { name: "Selection" }).getByRole("button", { name: button }).click();
      return page.getByRole("dialog", { name: new RegExp(`^${button} 1 job`) });
    },
  };
}

const DISPLAY_MENU = menu("the display menu", "/", "Display");
const ROW_MENU = menu("the menu of a row", "/jobs", "Actions for job 4");
const NEW_JOB = dialog("the form of a new job", "/jobs", "New job", "New job");
const SCHEDULE = dialog("the form of a schedule", "/schedules", "New schedule", "New schedule");

const OPENINGS: readonly Opening[] = [
  DISPLAY_MENU,
  menu("the columns", "/jobs", "Columns"),
  ROW_MENU,
  NEW_JOB,
  {
    ...NEW_JOB,
    what: "the form of a new job with its faults and suggestions",
    open: async (page) => {
      const form = await NEW_JOB.open(page);
      await form.getByLabel("Payload").fill("{");
      await form.getByRole("button", { name: "Enqueue" }).click();
      await form.getByText("This is not JSON: see line 1, column 2.").waitFor();
      await form.getByLabel("Name", { exact: true }).fill("re");
      return form.getByRole("option", { name: "report.build" });
    },
  },
  bulk("the preview of a retry", 4, "Retry"),
  bulk("the preview of a delete", 4, "Delete"),
  {
    what: "the question before a delete",
    path: "/jobs/4",
    open: async (page) => {
      await page.locator("main").getByRole("button", { name: "Delete" }).click();
      return page.getByRole("dialog", { name: /Delete job 4/ });
    },
  },
  {
    what: "the shortcuts",
    path: "/workers",
    open: async (page) => {
      await page.keyboard.press("?");
      return page.getByRole("dialog", { name: /shortcuts/i });
    },
  },
  {
    what: "the pause of a queue",
    path: "/queues/emails",
    open: async (page) => {
      await page.locator("main").getByRole("button", { name: "Pause" }).click();
      return page.getByRole("dialog", { name: "Pause queue emails" });
    },
  },
  SCHEDULE,
  dialog("the edit of a schedule", "/schedules/report.weekly", "Edit", "Edit report.weekly"),
  dialog("the run of a schedule", "/schedules/report.weekly", "Run now", "Run report.weekly now?"),
  dialog("the delete of a schedule", "/schedules/report.weekly", "Delete", "Delete report.weekly?"),
  dialog("a new token", "/settings?tab=access", "New token", "New token"),
  dialog("the rotation of a token", "/settings?tab=access", "Rotate shop", "Rotate shop?"),
  dialog("the end of a token", "/settings?tab=access", "Revoke shop", "Revoke shop?"),
  dialog("the retry of a flow", "/flows/1", "Retry what failed", "Retry what failed in order?"),
  dialog("the end of a flow", "/flows/1", "Cancel the flow", "Cancel the flow order?"),
  menu("the menu of dead jobs", "/dead", "More actions"),
  dialog("the retry of dead jobs", "/dead", /^Retry [12]…$/, /^Retry [12] jobs?\?$/),
];

const ON_THE_PHONE: readonly Opening[] = [
  dialog("the drawer", "/queues", "Menu", "Main navigation"),
  DISPLAY_MENU,
  ROW_MENU,
  NEW_JOB,
  SCHEDULE,
];

describe.skipIf(CHROMIUM === null)("what opens over a page of the dashboard", () => {
  const browser = useBrowser();

  test.each(["light", "dark"] as const)(
    "is accessible in the %s theme, and fits its window",
    async (theme) => {
      const server = await startHttpServer({ dashboard: true });
      await seed(server);
      const faults: string[] = [];
      for (const [openings, width, height] of [
        [OPENINGS, 1_280, 800],
        [ON_THE_PHONE, 390, 844],
      ] as const) {
        const context = await browser.signedIn(server, { theme, width, height });
        const page = await context.newPage();
        for (const { what, path, open } of openings) {
          await page.goto(server.url + path);
          await hasLoaded(page);
          const opened = await open(page);
          await opened.waitFor();
          const place = `${what} at ${width}`;
          if (await isTooWide(page)) faults.push(`${place} is too wide`);
          faults.push(...(await violations(page)).map((violation) => `${place}: ${violation}`));
        }
      }
      expect(faults).toEqual([]);
    },
  );

  test("and so is the sign-in, in both themes", async () => {
    const server = await startHttpServer({ dashboard: true });
    for (const theme of ["light", "dark"] as const) {
      const page = await (await browser.context(server, { theme })).newPage();
      await page.goto(`${server.url}/jobs`);
      await page.getByRole("dialog", { name: "Sign in" }).waitFor();
      expect(await violations(page)).toEqual([]);
    }
  });
});
