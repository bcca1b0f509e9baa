import { existsSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { allJobs } from "../../../test/support/recount.js";
import { tempDirectory } from "../../../test/support/temp-directory.js";
import { createContext } from "../../engine/context.js";
import { enqueue } from "../../engine/enqueue.js";
import { backupSqliteFile, BackupTargetError } from "./backup.js";
import { openSqliteStore } from "./open.js";

let directory: string;

beforeEach(async () => {
  directory = tempDirectory();
  const store = openSqliteStore(file("jobs.db"));
  await enqueue(createContext(store), { name: "work" });
  await store.close();
});

function file(name: string): string {
  return join(directory, name);
}

function refusalOf(target: string): BackupTargetError {
  try {
    backupSqliteFile(file("jobs.db"), file(target));
  } catch (error) {
    if (error instanceof BackupTargetError) return error;
    throw error;
  }
  throw new Error(`${target} was not refused`);
}

describe("a backup", () => {
  test.each(["-wal", "-shm", "-journal"])("is no part of a database, and has no part: %s", (suffix) => {
    symlinkSync(file("jobs.db"), file("link.db"));
    writeFileSync(file(`left.db${suffix}`), "");
    symlinkSync(file("nowhere"), file(`dangling.db${suffix}`));
    for (const [target, says] of [
      ["left.db", `left.db${suffix} is there`],
      ["dangling.db", `dangling.db${suffix} is there`],
      [`jobs.db${suffix}`, "belongs to the database itself"],
      [`link.db${suffix}`, "a part of the database"],
      [`other.db${suffix}`, "a part of the database"],
    ] as const) {
      expect(refusalOf(target).message).toContain(says);
      expect(existsSync(file(target))).toBe(false);
    }
  });

  test("keeps away from a log that a crash has left", async () => {
    const lost = new Database(file("lost.db"));
    onTestFinished(() => {
      lost.close();
    });
    lost.pragma("journal_mode = WAL");
    lost.exec("CREATE TABLE t (a)");
    // The database goes while its log stays.
    rmSync(file("lost.db"));
    refusalOf("lost.db");
    for (const suffix of ["-wal", "-shm"]) rmSync(file(`lost.db${suffix}`));
    backupSqliteFile(file("jobs.db"), file("lost.db"));
    const copy = openSqliteStore(file("lost.db"));
    onTestFinished(() => copy.close());
    expect(await allJobs(copy)).toHaveLength(1);
    expect(readdirSync(directory).filter((name) => name.includes("partial"))).toEqual([]);
  });
});
