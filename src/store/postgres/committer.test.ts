import { describe, expect, onTestFinished, test, vi } from "vitest";
import { PostgresDatabase } from "../../../test/support/postgres-database.js";
import { PostgresProxy } from "../../../test/support/postgres-proxy.js";
import { systemClock } from "../../core/clock.js";
import { Committer } from "./committer.js";
import { openPool } from "./connection.js";
import { DatabaseClock } from "./database-clock.js";
import { LowerFloors } from "./lane-floors.js";
import { FlowCounts } from "./flow-counts.js";
import { FlowEndStatements } from "./flow-ends.js";
import { LedgerStatements } from "./ledger.js";
import { SchemaGuard } from "./migrate.js";
import type { Transaction } from "./transaction.js";

/** The whole message: a transaction begins as READ COMMITTED. */
const COMMIT = "COMMIT\0";

/** A committer behind a proxy on a schema with a table of notes, and what it did. */
async function setUp() {
  const database = new PostgresDatabase();
  await (await database.open()).close();
  await database.rows("CREATE TABLE notes (text text PRIMARY KEY, n int NOT NULL DEFAULT 0)");
  const proxy = await PostgresProxy.start(database.url);
  const pool = openPool(proxy.url);
  onTestFinished(() => pool.end());
  const { s } = database;
  const told = { commits: 0 };
  const committer = new Committer(
    pool,
    systemClock,
    new DatabaseClock(systemClock, 0, false),
    {
      ledger: new LedgerStatements(s),
      floors: new LowerFloors(s),
      flowEnds: new FlowEndStatements(s),
      flowCounts: new FlowCounts(s),
    },
    new SchemaGuard(s, "here"),
    () => {
      told.commits += 1;
    },
    "here",
  );
  let tries = 0;
  return {
    database,
    proxy,
    committer,
    told,
    tries: () => tries,
    /** Writes a note and answers its text. */
    note: (text: string, more: (tx: Transaction) => Promise<unknown> = () => Promise.resolve()) =>
      committer.write(async (tx) => {
        tries += 1;
        await tx.query(`INSERT INTO ${s}.notes (text) VALUES ($1)`, [text]);
        await more(tx);
        return text;
      }),
    count: (tx: Transaction, text: string) =>
      tx.query(`UPDATE ${s}.notes SET n = n + 1 WHERE text = $1`, [text]),
    notes: async () =>
      (await database.rows<{ text: string; n: number }>("SELECT text, n FROM notes ORDER BY text")).map(
        ({ text, n }) => `${text} ${String(n)}`,
      ),
  };
}

test("a write whose statement is cancelled is told what may have done it", async () => {
  const { committer } = await setUp();
  const cancelled = committer.write((tx) =>
    tx.query("SELECT pg_cancel_backend(pg_backend_pid()), pg_sleep(60)"),
  );
  await expect(cancelled).rejects.toMatchObject({
    code: "store_busy",
    message: expect.stringContaining("statement_timeout") as string,
  });
});

describe("a write that is undone", () => {
  test("by a deadlock is tried again", async () => {
    const { committer, note, count, notes } = await setUp();
    await note("a");
    await note("b");
    let tries = 0;
    let meet = (): void => undefined;
    const met = new Promise<void>((resolve) => {
      meet = resolve;
    });
    const both = (first: string, second: string) =>
      committer.write(async (tx) => {
        await count(tx, first);
        tries += 1;
        if (tries === 2) meet();
        await met;
        await count(tx, second);
      });
    await Promise.all([both("a", "b"), both("b", "a")]);
    expect(await notes()).toEqual(["a 2", "b 2"]);
    expect(tries).toBe(3);
  });

  test("by a serialization failure is tried again, also when it comes at the commit", async () => {
    const { database, note, notes, tries, told } = await setUp();
    const fail = "RAISE EXCEPTION 'later' USING ERRCODE = 'serialization_failure'";
    await note("a", async (tx) => {
      if (tries() === 1) await tx.query(`DO $$ BEGIN ${fail}; END $$`);
    });
    expect([tries(), told.commits]).toEqual([2, 1]);
    await database.rows(`CREATE SEQUENCE fails;
      CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN IF nextval('${database.schema}.fails') = 1 THEN ${fail}; END IF; RETURN NULL; END $$;
      CREATE CONSTRAINT TRIGGER at_commit AFTER INSERT ON notes DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION fail()`);
    await note("b");
    expect([tries(), told.commits]).toEqual([4, 2]);
    expect(await notes()).toEqual(["a 0", "b 0"]);
  });

  test("by its own fault is not, and nothing of it is kept", async () => {
    const { note, notes, tries, told } = await setUp();
    await note("a");
    await expect(note("a")).rejects.toThrow("duplicate key");
    await expect(note("b", () => Promise.reject(new Error("defect")))).rejects.toThrow("defect");
    expect([tries(), told.commits, await notes()]).toEqual([3, 1, ["a 0"]]);
  });

  test("by an error that it has passed over is no success", async () => {
    const { note, notes, told } = await setUp();
    const passOver = (tx: Transaction) => tx.query("SELECT 1 / 0").catch(() => undefined);
    await expect(note("a", passOver)).rejects.toThrow("ended with ROLLBACK");
    expect([told.commits, await notes()]).toEqual([0, []]);
  });
});

describe("a connection that is cut", () => {
  test.each([
    ["before it begins", "BEGIN", "before", 1],
    ["when it has begun", "BEGIN", "after", 1],
    ["before a statement", "INSERT", "before", 2],
    ["before the answer of a statement", "INSERT", "after", 2],
    ["before the commit", COMMIT, "before", 2],
    ["before the answer of the commit", COMMIT, "after", 1],
  ] as const)("%s: the write is done once, and reported as done", async (_, at, cut, wantedTries) => {
    const { proxy, note, notes, tries, told } = await setUp();
    const isCut = proxy.cutAt(at, cut);
    expect(await note("a")).toBe("a");
    await isCut;
    expect([tries(), told.commits, await notes()]).toEqual([wantedTries, 1, ["a 0"]]);
  });

  test("while nobody waits for its answer, in the middle of a transaction, harms nothing else", async () => {
    const { database, note, notes, tries } = await setUp();
    await note("a", async (tx) => {
      if (tries() > 1) return;
      const { rows } = await tx.query("SELECT pg_backend_pid() AS pid");
      const [{ pid }] = rows as [{ pid: number }];
      await database.rows("SELECT pg_terminate_backend($1)", [pid]);
      await database.until(async () => {
        return (await database.rows("SELECT 1 FROM pg_stat_activity WHERE pid = $1", [pid])).length === 0;
      });
    });
    expect([tries(), await notes()]).toEqual([2, ["a 0"]]);
  });

  test("a server that is away for a moment is waited for, one that stays away is store_io", async () => {
    const { proxy, note, notes, told } = await setUp();
    proxy.network = "refuse";
    const patient = note("a");
    await new Promise((resolve) => setTimeout(resolve, 500));
    proxy.network = "well";
    expect(await patient).toBe("a");
    proxy.network = "refuse";
    await expect(note("b")).rejects.toMatchObject({ code: "store_io", retryable: true });
    expect([told.commits, await notes()]).toEqual([1, ["a 0"]]);
  });

  test("a commit that nobody can be asked about is reported as just that", async () => {
    const { proxy, note, told } = await setUp();
    const refused = expect(note("a")).rejects.toMatchObject({
      code: "store_io",
      message: expect.stringContaining("whether it was done") as string,
    });
    await proxy.cutAt(COMMIT, "after");
    proxy.network = "refuse";
    await refused;
    expect(told.commits).toBe(0);
  });
});

describe("a process that stops in the middle of a transaction", () => {
  test("keeps its rows from others for some seconds only, and does its work again when it goes on", async () => {
    const { committer, note, count, notes } = await setUp();
    await note("a");
    let goOn = (): void => undefined;
    const stopped = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    let hold = (): void => undefined;
    const holds = new Promise<void>((resolve) => {
      hold = resolve;
    });
    const slow = committer.write(async (tx) => {
      await count(tx, "a");
      hold();
      await stopped;
      await count(tx, "a");
    });
    await holds;
    // Others wait no longer than they must.
    await expect(committer.write((tx) => count(tx, "a"))).rejects.toMatchObject({ code: "store_busy" });
    await vi.waitFor(() => committer.write((tx) => count(tx, "a")), { timeout: 20_000 });
    expect(await notes()).toEqual(["a 1"]);
    goOn();
    await slow;
    expect(await notes()).toEqual(["a 3"]);
  });
});

describe("close", () => {
  test("refuses new writes, and resolves when the accepted ones are settled", async () => {
    const { committer, note, notes } = await setUp();
    const accepted = note("a");
    const closing = committer.close();
    await expect(note("b")).rejects.toMatchObject({ code: "store_closed" });
    await closing;
    expect(await notes()).toEqual(["a 0"]);
    expect(await accepted).toBe("a");
    await committer.close();
  });
});
