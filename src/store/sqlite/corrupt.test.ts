import { closeSync, openSync, readFileSync, truncateSync, writeFileSync, writeSync } from "node:fs";
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { SqliteFile } from "../../../test/support/sqlite-file.js";
import { ERRORS, type KonveierError } from "../../core/errors.js";
import { createContext } from "../../engine/context.js";
import { enqueueMany } from "../../engine/enqueue.js";

/** A closed file with some jobs in it. */
async function fileWithJobs(): Promise<SqliteFile> {
  const file = new SqliteFile();
  const store = file.open();
  await enqueueMany(
    createContext(store),
    Array.from({ length: 500 }, (_, index) => ({ name: "work", payload: "x".repeat(index) })),
  );
  await store.close();
  return file;
}

/** Writes nonsense over a page of a table or index. */
function damage(file: string, table: string): void {
  const db = new Database(file, { readonly: true });
  const page = db
    .prepare<[string], number>("SELECT rootpage FROM sqlite_schema WHERE name = ?")
    .pluck()
    .get(table);
  const size = db.pragma("page_size", { simple: true }) as number;
  db.close();
  const descriptor = openSync(file, "r+");
  writeSync(descriptor, Buffer.alloc(size, 0xa5), 0, size, (page! - 1) * size);
  closeSync(descriptor);
}

function errorOf(call: () => unknown): KonveierError {
  try {
    call();
  } catch (error) {
    return error as KonveierError;
  }
  throw new Error("not refused");
}

function expectCorrupt(error: KonveierError, path: string): void {
  expect(error.code).toBe("store_corrupt");
  expect(error.message).toContain(path);
  expect(error.message).toMatch(/restore/);
  expect(error.retryable).toBe(false);
  expect(ERRORS[error.code].status).toBe(503);
}

describe("SQL-12 a damaged file", () => {
  test.each([
    ["text", () => Buffer.from("this is no database ".repeat(500))],
    ["random bytes", () => Buffer.alloc(8_192, 0x5a)],
    ["zeroes", () => Buffer.alloc(8_192)],
  ])("is not opened when it is no database at all but %s, and is left alone", (_, content) => {
    const file = new SqliteFile();
    writeFileSync(file.path, content());
    expectCorrupt(
      errorOf(() => file.open()),
      file.path,
    );
    expect(readFileSync(file.path).equals(content())).toBe(true);
  });

  test("is not opened when its first page is damaged, and is left alone", async () => {
    const file = await fileWithJobs();
    damage(file.path, "sqlite_schema");
    const descriptor = openSync(file.path, "r+");
    writeSync(descriptor, Buffer.alloc(200, 0xa5), 0, 200, 100);
    closeSync(descriptor);
    const before = readFileSync(file.path);
    expectCorrupt(
      errorOf(() => file.open()),
      file.path,
    );
    expect(readFileSync(file.path).equals(before)).toBe(true);
  });

  test.each(["jobs", "jobs_pending", "counts"])(
    "says so when it meets a damaged page of %s",
    async (table) => {
      const file = await fileWithJobs();
      damage(file.path, table);
      const meet = async (): Promise<void> => {
        const store = file.open();
        await store.queues.list();
        await store.jobs.list({}, 10, null);
        await store.claims.claim({
          workerId: "w",
          queues: ["default"],
          names: null,
          max: 10,
          leaseMs: 1_000,
        });
      };
      for (let times = 0; times < 2; times += 1) {
        const error = (await meet().catch((thrown: unknown) => thrown)) as KonveierError;
        expectCorrupt(error, file.path);
      }
    },
  );

  test("says so when its end is missing", async () => {
    const file = await fileWithJobs();
    const { length } = readFileSync(file.path);
    truncateSync(file.path, length - 4_096 * 3);
    const read = async (): Promise<void> => {
      const store = file.open();
      for (let id = 1; id <= 500; id += 1) await store.jobs.payload(String(id));
    };
    expectCorrupt((await read().catch((thrown: unknown) => thrown)) as KonveierError, file.path);
  });
});
