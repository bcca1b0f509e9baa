import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, onTestFinished, test } from "vitest";
import { Konveier } from "../../src/konveier.js";
import { tempDirectory } from "../support/temp-directory.js";
import { JOINING, type Connection, type Shop } from "./joining.js";

async function open(): Promise<Shop & { readonly db: Database.Database; readonly file: string }> {
  const file = join(tempDirectory(), "shop.db");
  const konveier = await Konveier.open(`sqlite:${file}`);
  const db = new Database(file);
  onTestFinished(async () => {
    db.close();
    await konveier.close();
  });
  db.exec("CREATE TABLE orders (item TEXT)");
  return {
    konveier,
    db,
    file,
    transaction: async (work) => {
      db.exec("BEGIN IMMEDIATE");
      try {
        const answer = await work(db as unknown as Connection);
        db.exec("COMMIT");
        return answer;
      } catch (error) {
        db.exec("ROLLBACK");
        throw error;
      }
    },
    order: (_, item) => Promise.resolve(db.prepare("INSERT INTO orders VALUES (?)").run(item)),
    orders: () => Promise.resolve(db.prepare<[], string>("SELECT item FROM orders").pluck().all()),
  };
}

describe("joined transactions on SQLite", () => {
  for (const [title, body] of Object.entries(JOINING)) test(title, async () => body(await open()));

  test("an enqueue is done when it returns, so that it fits into a synchronous transaction", async () => {
    const { konveier, db } = await open();
    const enqueue = db.transaction((fail: boolean) => {
      const job = konveier.within(db).enqueue("a", {});
      if (fail) throw new Error("no");
      return job.id;
    });
    expect(() => enqueue.immediate(true)).toThrow("no");
    const id = enqueue.immediate(false);
    expect((await konveier.jobs.get(id))?.state).toBe("pending");
  });

  test("a connection that gives bigints, and one that has joined before, will do", async () => {
    const { konveier, db } = await open();
    db.defaultSafeIntegers(true);
    const enqueue = db.transaction(() => konveier.within(db).enqueue("a", {}).id);
    const [first, second] = [enqueue.immediate(), enqueue.immediate()];
    expect(Number(second)).toBe(Number(first) + 1);
    expect((await konveier.queues.list())[0]?.counts.pending).toBe(2);
  });

  test.each<[string, (shop: Awaited<ReturnType<typeof open>>) => unknown]>([
    ["no transaction", ({ konveier, db }) => konveier.within(db).enqueue("a", {})],
    [
      "another file",
      ({ konveier }) => {
        const other = new Database(join(tempDirectory(), "other.db"));
        other.exec("BEGIN");
        return konveier.within(other).enqueue("a", {});
      },
    ],
    ["a database in memory", ({ konveier }) => konveier.within(new Database(":memory:")).enqueue("a", {})],
    ["no connection", ({ konveier }) => konveier.within({} as never).enqueue("a", {})],
  ])("%s is refused", async (_, call) => {
    const shop = await open();
    expect(() => call(shop)).toThrow(expect.objectContaining({ code: "transaction_unusable" }));
    expect(await shop.konveier.queues.list()).toEqual([]);
  });

  test("a schema that answers later is refused before anything is written", async () => {
    const { konveier, db } = await open();
    const later = {
      name: "a",
      handler: () => undefined,
      schema: {
        "~standard": {
          version: 1,
          vendor: "test",
          validate: (value: unknown) => Promise.resolve({ value }),
        },
      },
    } as const;
    const enqueue = db.transaction(() => konveier.within(db).enqueue(later, {}));
    expect(() => enqueue.immediate()).toThrow(/answers later/);
    expect(await konveier.queues.list()).toEqual([]);
  });

  test("a write that SQLite refuses half-way leaves nothing in the caller's transaction", async () => {
    const { konveier, db } = await open();
    await konveier.enqueue("a", {});
    // The row of the next job's payload is there already.
    db.exec("INSERT INTO job_specs (job_id, payload, budget) VALUES (2, '{}', 1)");
    db.exec("BEGIN IMMEDIATE");
    expect(() => konveier.within(db).enqueue("a", {})).toThrow(/UNIQUE/);
    db.exec("COMMIT");
    expect(db.prepare("SELECT id FROM jobs").pluck().all()).toEqual([1]);
    expect((await konveier.queues.list())[0]?.counts.pending).toBe(1);
  });
});
