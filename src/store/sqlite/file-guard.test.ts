import { copyFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { FakeClock } from "../../../test/support/fake-clock.js";
import { allJobs } from "../../../test/support/recount.js";
import { SqliteFile } from "../../../test/support/sqlite-file.js";
import { createContext } from "../../engine/context.js";
import { enqueue } from "../../engine/enqueue.js";

async function setUp() {
  const file = new SqliteFile();
  const clock = new FakeClock();
  const store = file.open({ clock });
  const context = createContext(store, { clock });
  await enqueue(context, { name: "before" });
  return { file, store, wal: `${file.path}-wal`, add: () => enqueue(context, { name: "after" }) };
}

describe("SQL-06 a file that is taken away while it is used", () => {
  const ways: Readonly<Record<string, (file: string, wal: string) => void>> = {
    "the database is deleted": (file) => {
      rmSync(file);
    },
    "everything is deleted": (file, wal) => {
      for (const path of [file, wal, `${file}-shm`]) rmSync(path);
    },
    "the database is moved away": (file) => {
      renameSync(file, `${file}.old`);
    },
    "a copy takes its place": (file) => {
      copyFileSync(file, `${file}.copy`);
      renameSync(`${file}.copy`, file);
    },
    "an empty file takes its place": (file) => {
      rmSync(file);
      writeFileSync(file, "");
    },
    "the log is deleted": (_, wal) => {
      rmSync(wal);
    },
    "the log is replaced by an empty one": (_, wal) => {
      rmSync(wal);
      writeFileSync(wal, "");
    },
  };

  test.each(Object.entries(ways))(
    "%s: no write succeeds, and the error says what to do",
    async (_, takeAway) => {
      const { file, store, wal, add } = await setUp();
      await store.check();
      takeAway(file.path, wal);
      for (let times = 0; times < 3; times += 1) {
        await expect(add()).rejects.toMatchObject({
          code: "store_missing",
          message: expect.stringMatching(/removed or replaced.*Stop every process/) as string,
        });
      }
      await expect(store.check()).rejects.toMatchObject({ code: "store_missing" });
    },
  );

  test("a file that is put back is used again", async () => {
    const { file, store, add } = await setUp();
    renameSync(file.path, `${file.path}.away`);
    await expect(add()).rejects.toMatchObject({ code: "store_missing" });
    renameSync(`${file.path}.away`, file.path);
    await store.check();
    await add();
    expect((await allJobs(store)).length).toBeGreaterThanOrEqual(2);
  });

  test("a log that is emptied by a checkpoint is still the log", async () => {
    const { file, store, wal, add } = await setUp();
    file.raw().pragma("wal_checkpoint(TRUNCATE)");
    expect(statSync(wal).size).toBe(0);
    await store.check();
    await add();
  });

  test("other processes that come and go leave the log alone", async () => {
    const { file, store, add } = await setUp();
    for (let times = 0; times < 5; times += 1) {
      const other = new Database(file.path);
      other.prepare("SELECT count(*) FROM jobs").get();
      other.close();
      await add();
    }
    await store.check();
    expect(await allJobs(store)).toHaveLength(6);
  });

  test("after the end of the last process a new one starts with everything", async () => {
    const { file, store, add } = await setUp();
    await add();
    await store.close();
    const again = file.open();
    await again.check();
    expect(await allJobs(again)).toHaveLength(2);
  });
});
