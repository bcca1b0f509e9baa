import type { Locator, Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { ClaimView } from "../../src/api/claim.js";
import { NO_LIMITS, type QueueLimits } from "../../src/core/queue-limits.js";
import { violations } from "../support/axe.js";
import { CHROMIUM, isTooWide, useBrowser } from "../support/chromium.js";
import { startHttpServer, type HttpServer } from "../support/http-server.js";
import { enqueue, openTab, shows } from "./tab.js";

const QUEUE = "/v1/queues/emails";

async function limitsOf(server: HttpServer): Promise<QueueLimits> {
  const queue = (await server.get(QUEUE)).json as QueueLimits;
  const { concurrency, rateLimit, perKey, ageingMs, maxLength, onFull } = queue;
  return { concurrency, rateLimit, perKey, ageingMs, maxLength, onFull };
}

async function limit(server: HttpServer, change: object): Promise<void> {
  expect((await server.send("PATCH", QUEUE, { json: change })).status).toBe(200);
}

function group(page: Page, name: "The whole queue" | "Each key" | "Waiting"): Locator {
  return page.getByRole("group", { name });
}

async function fillRate(of: Locator, starts: string, per: string, unit: string): Promise<void> {
  await of.getByLabel("Starts").fill(starts);
  await of.getByLabel("per", { exact: true }).fill(per);
  await of.getByLabel("Unit").selectOption({ label: unit });
}

function saveButton(page: Page): Locator {
  return page.getByRole("button", { name: "Save limits" });
}

/** What stands at a field that was refused. */
async function faultAt(field: Locator): Promise<string> {
  expect(await field.getAttribute("aria-invalid")).toBe("true");
  const about = (await field.getAttribute("aria-describedby")) ?? "";
  return field.page().locator(`[id='${about}']`).innerText();
}

describe.skipIf(CHROMIUM === null)("the limits of a queue", () => {
  const browser = useBrowser();

  async function openQueue(server: HttpServer): Promise<Page> {
    await enqueue(server, 1);
    return openTab(await browser.signedIn(server), `${server.url}/queues/emails`);
  }

  test("take a time with a decimal comma, and none whose comma may part thousands", async () => {
    const server = await startHttpServer({ dashboard: true });
    await enqueue(server, 1);
    const context = await browser.signedIn(server, { language: "ru" });
    const page = await context.newPage();
    await page.goto(`${server.url}/queues/emails`);
    const queue = page.getByRole("group", { name: "Вся очередь" });
    const save = page.getByRole("button", { name: "Сохранить ограничения" });
    await queue.getByLabel("Запусков").fill("5");
    await queue.getByLabel("за", { exact: true }).fill("1,500");
    await save.click();
    expect(await faultAt(queue.locator("[aria-invalid=true]"))).toBe("нужен срок не больше 31 дн");
    await queue.getByLabel("за", { exact: true }).fill("1,5");
    await queue.getByLabel("Единица").selectOption({ label: "минуты" });
    await save.click();
    await page.getByText("Ограничения очереди emails действуют.").waitFor();
    expect((await limitsOf(server)).rateLimit).toEqual({ max: 5, perMs: 90_000 });
  });

  test("are set and taken away, and only those that were changed are sent", async () => {
    const server = await startHttpServer({ dashboard: true });
    const page = await openQueue(server);
    const sent: unknown[] = [];
    page.on("request", (request) => {
      if (request.method() === "PATCH") sent.push(request.postDataJSON());
    });
    const whole = group(page, "The whole queue");
    const waiting = group(page, "Waiting");
    await whole.getByLabel("Jobs at once").fill("20");
    await fillRate(whole, "100", "1", "second");
    await group(page, "Each key").getByLabel("Jobs at once").fill("2");
    await fillRate(group(page, "Each key"), "5", "1.5", "minutes");
    await waiting.getByLabel("Jobs that may wait").fill("1000");
    await waiting.getByLabel("A new job when it is full").selectOption("drop-oldest");
    await waiting.getByLabel("Priority rises by one every").fill("2");
    await waiting.getByLabel("Unit").selectOption({ label: "hours" });
    await saveButton(page).click();
    await page.getByText("The limits of queue emails are in force.").waitFor();
    const all: QueueLimits = {
      concurrency: 20,
      rateLimit: { max: 100, perMs: 1_000 },
      perKey: { concurrency: 2, rateLimit: { max: 5, perMs: 90_000 } },
      ageingMs: 7_200_000,
      maxLength: 1_000,
      onFull: "drop-oldest",
    };
    expect(await limitsOf(server)).toEqual(all);
    await shows(page.locator("header .second-line"), "20 at once · 100/s · each key 2 at once, 5/90 s");

    await group(page, "Each key").getByLabel("Starts").fill("");
    await whole.getByLabel("Jobs at once").press("Enter");
    await shows(page.locator("header .second-line"), "20 at once · 100/s · each key 2 at once");
    await page.getByRole("button", { name: "Discard" }).waitFor({ state: "detached" });
    expect(await limitsOf(server)).toEqual({ ...all, perKey: { concurrency: 2, rateLimit: null } });

    for (const field of ["Jobs at once", "Starts"]) await whole.getByLabel(field).fill("");
    await group(page, "Each key").getByLabel("Jobs at once").fill("");
    await waiting.getByLabel("Jobs that may wait").fill("");
    await waiting.getByLabel("A new job when it is full").selectOption("refuse");
    await waiting.getByLabel("Priority rises by one every").fill("");
    await saveButton(page).click();
    await page.locator("header .second-line").waitFor({ state: "detached" });
    expect(await limitsOf(server)).toEqual(NO_LIMITS);
    expect(sent).toEqual([
      all,
      { perKey: { rateLimit: null } },
      { ...NO_LIMITS, perKey: { concurrency: null } },
    ]);
  });

  test("that are refused say so at their fields, and nothing is saved", async () => {
    const server = await startHttpServer({ dashboard: true });
    const page = await openQueue(server);
    const whole = group(page, "The whole queue");
    const atOnce = whole.getByLabel("Jobs at once");
    const perKey = group(page, "Each key");
    const ageing = group(page, "Waiting").getByLabel("Priority rises by one every");
    await atOnce.fill("0");
    await fillRate(perKey, "many", "40", "days");
    await ageing.fill("400");
    await group(page, "Waiting").getByLabel("Unit").selectOption({ label: "days" });
    await group(page, "Waiting").getByLabel("Jobs that may wait").fill("7");
    await saveButton(page).click();
    await page.getByText("must be a whole number from 1 to 100000", { exact: true }).waitFor();
    expect(await faultAt(atOnce)).toBe("must be a whole number from 1 to 100000");
    expect(await faultAt(perKey.getByLabel("Starts"))).toBe("must be a whole number from 1 to 1000000");
    expect(await faultAt(perKey.getByLabel("per", { exact: true }))).toBe("must be a time of at most 31 d");
    expect(await faultAt(ageing)).toBe("must be a time of at most 366 d");
    expect(await page.locator("form [aria-invalid=true]").count()).toBe(4);
    expect(await atOnce.evaluate((field: Focusable) => field === field.ownerDocument.activeElement)).toBe(
      true,
    );
    expect(await violations(page)).toEqual([]);
    expect(await limitsOf(server)).toEqual(NO_LIMITS);

    await atOnce.fill("1");
    expect(await atOnce.getAttribute("aria-invalid")).toBe("false");
    await perKey.getByLabel("Starts").fill("");
    await ageing.fill("");
    await saveButton(page).click();
    await page.getByText("The limits of queue emails are in force.").waitFor();
    expect(await limitsOf(server)).toEqual({ ...NO_LIMITS, concurrency: 1, maxLength: 7 });
  });

  test("are not overwritten when somebody else has changed them meanwhile", async () => {
    const server = await startHttpServer({ dashboard: true });
    const page = await openQueue(server);
    const atOnce = group(page, "The whole queue").getByLabel("Jobs at once");
    await atOnce.fill("50");
    await limit(server, { concurrency: 3, rateLimit: { max: 7, perMs: 60_000 } });
    await shows(page.locator("header .second-line"), "3 at once · 7/min");
    expect(await atOnce.inputValue()).toBe("50");
    await saveButton(page).click();
    await page.getByRole("alert").getByText("Somebody else has changed the queue").waitFor();
    expect(await limitsOf(server)).toMatchObject({ concurrency: 3, rateLimit: { max: 7, perMs: 60_000 } });
    await page.getByRole("button", { name: "Discard" }).click();
    expect(await atOnce.inputValue()).toBe("3");
    await atOnce.fill("4");
    await saveButton(page).click();
    await shows(page.locator("header .second-line"), "4 at once · 7/min");
    expect(await page.getByRole("alert").count()).toBe(0);
  });

  test("are told of a job that one holds back, and of a queue that a handler holds", async () => {
    const server = await startHttpServer({ dashboard: true });
    const page = await openQueue(server);
    await limit(server, { perKey: { concurrency: 1 } });
    const keys = { concurrencyKey: "acme", rateKey: "acme.eu" };
    const jobs = [1, 2].map(() => ({ name: "email.send", queue: "emails", ...keys }));
    expect((await server.post("/v1/jobs/batch", { jobs })).status).toBeLessThan(300);
    const claim = { workerId: "w", queues: ["emails"], max: 3, leaseMs: 600_000 };
    const claimed = (await server.post("/v1/claim", claim)).as(ClaimView).jobs;
    expect(claimed.map(({ id }) => id)).toEqual(["1", "2"]);
    await page.goto(`${server.url}/jobs/3`);
    await page
      .getByText("As many jobs with the key acme of the queue emails are running as may: 1.")
      .waitFor();
    const facts = page.locator(".facts");
    expect(await facts.innerText()).toMatch(/Concurrency key\s+acme\s+Rate key\s+acme\.eu$/);

    await page.goto(`${server.url}/queues/emails`);
    await shows(page.locator("header .second-line"), "each key 1 at once");
    const [{ id, leaseToken }] = claimed as [(typeof claimed)[number]];
    const snooze = { leaseToken, delayMs: 3_600_000, hold: "queue" };
    expect((await server.post(`/v1/jobs/${id}/snooze`, snooze)).status).toBe(200);
    await page.getByText("No job is started until").waitFor();
    await page.goto(`${server.url}/jobs/3`);
    await page.getByText("No job of the queue emails is started until").waitFor();
  });

  test.each([
    ["en", "light", 1_280],
    ["ru", "dark", 390],
  ] as const)("are accessible and fit in %s, %s, at %d pixels", async (language, theme, width) => {
    const server = await startHttpServer({ dashboard: true });
    await enqueue(server, 1);
    const rateLimit = { max: 1_000_000, perMs: 2_000 };
    await limit(server, {
      concurrency: 20,
      rateLimit,
      perKey: { concurrency: 2, rateLimit },
      ageingMs: 60_000,
    });
    const context = await browser.signedIn(server, { language, theme, width });
    for (const path of ["/queues", "/queues/emails"]) {
      const page = await context.newPage();
      await page.goto(server.url + path);
      await page.locator(".second-line").first().waitFor();
      expect([path, await isTooWide(page), await violations(page)]).toEqual([path, false, []]);
      await page.close();
    }
  });
});

interface Focusable {
  readonly ownerDocument: { readonly activeElement: unknown };
}
