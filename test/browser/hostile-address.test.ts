import { describe, expect, test, vi } from "vitest";
import { CHROMIUM, useBrowser } from "../support/chromium.js";
import { startHttpServer } from "../support/http-server.js";
import { expectShown, harm, settled } from "./hostile-look.js";
import { PRINTABLE_TEXTS } from "./hostile-texts.js";

vi.setConfig({ testTimeout: 240_000, hookTimeout: 60_000 });

/** In addresses: as they are typed, encoded in part, and encoded unsoundly. */
const IN_ADDRESSES = [...[2, 32].map((index) => PRINTABLE_TEXTS[index] ?? ""), "50%", "%E0%A4%A", "a/b?c#d"];

describe.skipIf(CHROMIUM === null)("what stands in an address is only ever text", () => {
  const browser = useBrowser();

  test("in every part of it", async () => {
    const server = await startHttpServer({ dashboard: true });
    await server.post("/v1/jobs", { name: "a", queue: "a" });
    const page = await (await browser.signedIn(server)).newPage();
    const faults: string[] = [];
    const visit = async (path: string, shown: readonly string[]): Promise<void> => {
      await page.goto(server.url + path);
      await settled(page);
      await expectShown(page, shown).catch((error: unknown) => {
        faults.push(`${path} does not show: ${String((error as { actual?: unknown }).actual)}`);
      });
      faults.push(...(await harm(page)));
    };
    for (const text of IN_ADDRESSES) {
      const part = encodeURIComponent(text);
      for (const section of ["queues", "jobs", "schedules"]) await visit(`/${section}/${part}`, [text]);
      await visit(`/jobs?q=${part}&state=${part}&cursor=${part}#${part}`, []);
      await visit(`/dead?queue=${part}&name=${part}&sort=${part}`, []);
      await visit(`/metrics-ui?queue=${part}&name=${part}&range=${part}`, []);
      await visit(`/settings?tab=${part}&cursor=${part}`, []);
      await visit(`/jobs/1?attempt=${part}&level=${part}#${part}`, []);
      await visit(`/schedules?cursor=${part}&q=${part}`, []);
    }
    expect(faults).toEqual([]);
  });
});
