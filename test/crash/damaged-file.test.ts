import { closeSync, openSync, statSync, truncateSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { KonveierError } from "../../src/core/errors.js";
import { Konveier } from "../../src/konveier.js";
import { openSqliteStore } from "../../src/store/sqlite/open.js";
import { defineJob } from "../../src/core/define-job.js";
import { EventLog } from "../support/event-log.js";
import { FakeClock } from "../support/fake-clock.js";
import { tempDirectory } from "../support/temp-directory.js";
import { readOnly } from "./contents.js";

const PAGE = 4096;

it("a file that lost its last page is reported as damaged, and kept", async () => {
  const file = await fileWithJobs();
  const size = statSync(file).size - PAGE;
  truncateSync(file, size);

  expect(() => openSqliteStore(file)).toThrow(damaged(file));
  expect(statSync(file).size).toBe(size);
});

it("a file that is no database is reported, and kept", () => {
  const file = join(tempDirectory(), "konveier.db");
  writeFileSync(file, "A shopping list.".repeat(1_000));

  expect(() => openSqliteStore(file)).toThrow(damaged(file));
  expect(statSync(file).size).toBe(16_000);
});

it("a damaged page fails every call that meets it, without a crash and without a busy loop", async () => {
  const file = await fileWithJobs();
  overwrite(
    file,
    readOnly(file, (db) => rootPage(db.prepare(ROOT_OF_JOBS).get())),
  );
  const clock = new FakeClock();
  const konveier = Konveier.withStore(openSqliteStore(file, { clock }), { clock });
  const events = new EventLog(konveier);

  await expect(konveier.enqueue("mail.send", {})).rejects.toThrow(damaged(file));
  await expect(konveier.jobs.get("1")).rejects.toThrow(damaged(file));
  await expect(konveier.jobs.list()).rejects.toThrow(damaged(file));

  const worker = konveier.worker({ jobs: [defineJob("mail.send", { handler: () => null })] });
  await worker.start();
  await clock.advance(60_000);
  expect(events.of("internal.error")).toEqual([]);
  // When it begins, and every ten seconds.
  expect(events.of("store.unavailable").length).toBeGreaterThan(0);
  expect(events.of("store.unavailable").length).toBeLessThanOrEqual(7);

  const closed = konveier.close();
  await clock.advance(20_000);
  await closed;
});

const ROOT_OF_JOBS = "SELECT rootpage FROM sqlite_schema WHERE name = 'jobs'";

function rootPage(row: unknown): number {
  return (row as { rootpage: number }).rootpage;
}

async function fileWithJobs(): Promise<string> {
  const file = join(tempDirectory(), "konveier.db");
  const konveier = await Konveier.open(`sqlite:${file}`);
  await konveier.enqueueMany(Array.from({ length: 200 }, () => ({ name: "mail.send", payload: "text" })));
  await konveier.close();
  return file;
}

function overwrite(file: string, page: number): void {
  const descriptor = openSync(file, "r+");
  writeSync(descriptor, Buffer.alloc(PAGE, 0xa5), 0, PAGE, (page - 1) * PAGE);
  closeSync(descriptor);
}

/** Matches the error that names the file and says what to do. */
function damaged(file: string): KonveierError {
  return expect.objectContaining({
    code: "store_corrupt",
    message: expect.stringMatching(new RegExp(`${file}.*(backup|path)`)) as string,
  }) as KonveierError;
}
