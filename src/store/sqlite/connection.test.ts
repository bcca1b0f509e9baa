import { chmodSync, existsSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { runProgram } from "../../../test/support/programs.js";
import { SqliteFile } from "../../../test/support/sqlite-file.js";
import { tempDirectory } from "../../../test/support/temp-directory.js";
import type { KonveierError } from "../../core/errors.js";
import { openConnection } from "./connection.js";

function open(path: string, synchronous: "full" | "normal" = "full") {
  const db = openConnection(path, synchronous);
  onTestFinished(() => {
    db.close();
  });
  return db;
}

function errorOf(call: () => unknown): KonveierError {
  try {
    call();
  } catch (error) {
    return error as KonveierError;
  }
  throw new Error("not refused");
}

describe("openConnection", () => {
  test("makes the file and its directory, for the owner alone", () => {
    const path = join(tempDirectory(), "a", "b", "konveier.db");
    open(path).exec("CREATE TABLE t (id INTEGER)");
    expect(statSync(join(path, "..")).mode & 0o777).toBe(0o700);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(`${path}-wal`).mode & 0o777).toBe(0o600);
  });

  test("is durable by default and not where the caller says so", () => {
    const directory = tempDirectory();
    const modeOf = (name: string, synchronous: "full" | "normal") =>
      open(join(directory, name), synchronous).pragma("synchronous", { simple: true });
    expect(modeOf("full.db", "full")).toBe(2);
    expect(modeOf("normal.db", "normal")).toBe(1);
  });

  test("SQL-01 waits for processes that open the file at the same time, and only then", () => {
    const file = new SqliteFile();
    let waitMs: unknown = null;
    const { pragma } = Object.getPrototypeOf(open(":memory:")) as { pragma: (...args: unknown[]) => unknown };
    const spy = vi.spyOn(Database.prototype, "pragma").mockImplementation(function (this: unknown, ...args) {
      // The change to a write-ahead log needs the file for itself.
      if (args[0] === "journal_mode = WAL") {
        waitMs = pragma.call(this, "busy_timeout", { simple: true });
      }
      return pragma.call(this, ...args);
    });
    onTestFinished(() => {
      spy.mockRestore();
    });
    const db = open(file.path);
    expect(waitMs).toBe(30_000);
    expect(db.pragma("busy_timeout", { simple: true })).toBe(5);
  });

  test("an empty name and :memory: are databases in memory", () => {
    expect(open(":memory:").memory).toBe(true);
    expect(open("").memory).toBe(true);
    expect(existsSync(":memory:")).toBe(false);
  });

  test("SQL-09 a file system that answers another journal mode is refused", () => {
    const file = new SqliteFile();
    const spy = vi.spyOn(Database.prototype, "pragma").mockReturnValue("delete");
    onTestFinished(() => {
      spy.mockRestore();
    });
    const error = errorOf(() => open(file.path));
    expect(error.code).toBe("store_unsupported");
    expect(error.message).toContain(file.path);
    expect(error.message).toMatch(/write-ahead log.*"delete".*local disk/);
  });

  test("a directory in the place of the file is refused", () => {
    const path = join(tempDirectory(), "konveier.db");
    mkdirSync(path);
    const error = errorOf(() => open(path));
    expect(error.code).toBe("store_io");
    expect(error.message).toContain(path);
  });

  test("a file in the place of the directory is refused", () => {
    const directory = tempDirectory();
    writeFileSync(join(directory, "file"), "");
    const error = errorOf(() => open(join(directory, "file", "konveier.db")));
    expect(error.code).toBe("store_io");
    expect(error.message).toContain("konveier.db");
  });
});

describe("a file that this user may not write", () => {
  const program = new URL("../../../test/contract/programs/use-as-nobody.ts", import.meta.url);

  /** What a user without rights is told when it opens the file and enqueues a job. */
  async function toldNobody(path: string): Promise<{ code: string; message: string }> {
    const { code, stdout, stderr } = await runProgram(program, [path]);
    expect([code, stderr]).toEqual([0, ""]);
    return JSON.parse(stdout) as { code: string; message: string };
  }

  test("read-only: says that it must be writable", async () => {
    const file = new SqliteFile();
    await file.open().close();
    chmodSync(join(file.path, ".."), 0o755);
    chmodSync(file.path, 0o444);
    const told = await toldNobody(file.path);
    expect(told.code).toBe("store_read_only");
    expect(told.message).toContain(file.path);
    expect(told.message).toMatch(/writable/);
  });

  test("in a read-only directory that lacks it: says so", async () => {
    const directory = tempDirectory();
    chmodSync(directory, 0o555);
    const told = await toldNobody(join(directory, "konveier.db"));
    expect(told.code).toBe("store_read_only");
    expect(told.message).toContain("konveier.db");
  });

  test("in a directory that is read-only, the file itself being writable: says so", async () => {
    const file = new SqliteFile();
    await file.open().close();
    chmodSync(file.path, 0o666);
    chmodSync(join(file.path, ".."), 0o555);
    const told = await toldNobody(file.path);
    expect(["store_read_only", "store_io"]).toContain(told.code);
    expect(told.message).toMatch(/writable|written/);
  });

  test("unreadable: says so", async () => {
    const file = new SqliteFile();
    await file.open().close();
    chmodSync(join(file.path, ".."), 0o755);
    chmodSync(file.path, 0o000);
    const told = await toldNobody(file.path);
    expect(["store_read_only", "store_io"]).toContain(told.code);
    expect(told.message).toContain(file.path);
  });
});
