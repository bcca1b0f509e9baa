import Database from "better-sqlite3";
import { describe, expect, onTestFinished, test } from "vitest";
import { FakeClock } from "../../../test/support/fake-clock.js";
import { settled } from "../../../test/support/settled.js";
import { SqliteFile } from "../../../test/support/sqlite-file.js";
import { KonveierError } from "../../core/errors.js";
import { Committer } from "./committer.js";
import { openConnection } from "./connection.js";
import { ChangeFeed } from "./change-feed.js";
import { FlowEnds } from "./flow-ends.js";
import { Journal } from "./journal.js";
import { Ledger } from "./ledger.js";
import { migrate } from "./migrate.js";
import { Sequences } from "./sequences.js";
import type { Step } from "./steps.js";

const MISSING = new KonveierError("store_missing", "gone");

/** A committer on a file with a table of notes, and what it did. */
function setUp() {
  const file = new SqliteFile();
  const db = openConnection(file.path, "normal");
  onTestFinished(() => {
    db.close();
  });
  migrate(db);
  // SQLite's own wait blocks in real time, for each of a thousand tries.
  db.pragma("busy_timeout = 0");
  db.exec("CREATE TABLE notes (text TEXT NOT NULL UNIQUE) STRICT");
  const clock = new FakeClock();
  const steps: Step[] = [];
  const sequences = new Sequences(db, () => undefined);
  const changes = new ChangeFeed(db, clock);
  const journal = new Journal(db, sequences, changes, () => undefined);
  const ledger = new Ledger(db, journal, changes, () => undefined);
  const flows = new FlowEnds(db, clock, ledger, changes, () => undefined);
  const hooks = { onStep: undefined as ((step: Step) => void) | undefined, verify: (): void => undefined };
  let commits = 0;
  const committer = new Committer(
    db,
    clock,
    ledger,
    flows,
    sequences,
    (step) => {
      steps.push(step);
      hooks.onStep?.(step);
    },
    () => undefined,
    () => {
      hooks.verify();
    },
    () => {
      commits += 1;
    },
  );
  const insert = db.prepare<[string]>("INSERT INTO notes (text) VALUES (?)");
  return {
    file,
    clock,
    committer,
    ledger,
    journal,
    sequences,
    hooks,
    transactions: () => steps.filter((step) => step === "begin").length,
    commits: () => commits,
    /** Writes a note and answers its text. */
    note: (text: string) =>
      committer.write(() => {
        insert.run(text);
        return text;
      }),
    insert: (text: string) => insert.run(text),
    notes: () => file.raw().prepare<[], string>("SELECT text FROM notes ORDER BY rowid").pluck().all(),
  };
}

/** Holds the write lock of the file, as another process does, until it is called. */
function holdLock(file: SqliteFile): () => void {
  const other = new Database(file.path, { timeout: 0 });
  other.exec("BEGIN IMMEDIATE");
  const release = (): void => {
    other.close();
  };
  onTestFinished(release);
  return release;
}

describe("group commit", () => {
  test("writes of one turn share a transaction, later ones get another", async () => {
    const { note, transactions, commits, notes } = setUp();
    expect(await Promise.all([note("a"), note("b"), note("c")])).toEqual(["a", "b", "c"]);
    expect([transactions(), commits()]).toEqual([1, 1]);
    await note("d");
    expect([transactions(), commits()]).toEqual([2, 2]);
    expect(notes()).toEqual(["a", "b", "c", "d"]);
  });

  test("a write resolves only when others can see it", async () => {
    const { note, hooks, notes } = setUp();
    let resolved = false;
    hooks.onStep = (step) => {
      if (step === "before-commit") expect([resolved, notes()]).toEqual([false, []]);
    };
    await note("a").then(() => {
      resolved = true;
      expect(notes()).toEqual(["a"]);
    });
  });

  test("a refusal before the first statement fails alone, in the same transaction", async () => {
    const { note, committer, transactions, notes } = setUp();
    const refused = new KonveierError("idempotency_key_reused", "no");
    const answers = await Promise.allSettled([
      note("a"),
      committer.write(() => {
        throw refused;
      }),
      note("b"),
    ]);
    expect(answers).toEqual([
      { status: "fulfilled", value: "a" },
      { status: "rejected", reason: refused },
      { status: "fulfilled", value: "b" },
    ]);
    expect(transactions()).toBe(1);
    expect(notes()).toEqual(["a", "b"]);
  });

  test("any other error rolls the group back, and each write runs again alone", async () => {
    const { note, committer, insert, transactions, notes } = setUp();
    const defect = new Error("defect");
    const answers = await Promise.allSettled([
      note("a"),
      committer.write(() => {
        insert("half");
        throw defect;
      }),
      note("b"),
    ]);
    expect(answers).toEqual([
      { status: "fulfilled", value: "a" },
      { status: "rejected", reason: defect },
      { status: "fulfilled", value: "b" },
    ]);
    expect(transactions()).toBe(4);
    expect(notes()).toEqual(["a", "b"]);
  });

  test("an error of SQLite fails its own write alone", async () => {
    const { note, notes } = setUp();
    const [first, second, third] = await Promise.allSettled([note("a"), note("a"), note("b")]);
    expect([first.status, second.status, third.status]).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(notes()).toEqual(["a", "b"]);
  });

  test("an error at the commit keeps nothing of the group and tries each alone", async () => {
    const { note, hooks, notes } = setUp();
    let failures = 1;
    hooks.onStep = (step) => {
      if (step === "before-commit" && failures-- > 0) throw new Error("at the commit");
    };
    expect(await Promise.all([note("a"), note("b")])).toEqual(["a", "b"]);
    expect(notes()).toEqual(["a", "b"]);
  });

  test("what a rolled back write left in the ledger, journal and sequences is forgotten", async () => {
    const { committer, ledger, journal, sequences, clock, file } = setUp();
    await committer.write(() => {
      journal.want(clock.now());
    });
    const ids: number[] = [];
    const insertOne = (): void => {
      ids.push(sequences.take("job", 1) + 1);
      ledger.lane("q", "n").inserted(1, "pending");
    };
    await Promise.allSettled([
      committer.write(insertOne),
      committer.write(() => {
        insertOne();
        throw new Error("defect");
      }),
      committer.write(insertOne),
    ]);
    const { counts, minute_events: events, sequences: values, events: rows } = file.dump();
    expect(counts).toEqual([{ queue: "q", name: "n", state: "pending", n: 2 }]);
    expect(events).toMatchObject([{ event: "enqueued", n: 2 }]);
    expect(values).toContainEqual({ name: "job", value: 2 });
    expect(ids.slice(2)).toEqual([1, 2, 2]);
    // The wish took the first number; after the rollback each write had a transaction of its own.
    expect(rows).toMatchObject([
      { seq: 2, n: 1 },
      { seq: 3, n: 1 },
    ]);
  });

  test("a long group is split, so that no other process waits long for the lock", async () => {
    const { committer, clock, insert, transactions } = setUp();
    const slow = Array.from({ length: 10 }, (_, index) =>
      committer.write(() => {
        insert(String(index));
        clock.block(30);
      }),
    );
    await Promise.all(slow);
    expect(transactions()).toBe(5);
  });

  test("SQL-06 a commit into a file that is gone is no success for any write of the group", async () => {
    const { note, committer, hooks } = setUp();
    hooks.verify = () => {
      throw MISSING;
    };
    const refused = committer.write(() => {
      throw new KonveierError("idempotency_key_reused", "no");
    });
    const answers = await Promise.allSettled([note("a"), refused, note("b")]);
    for (const answer of answers) expect(answer).toEqual({ status: "rejected", reason: MISSING });
  });
});

describe("SQL-01 while another process holds the write lock", () => {
  test("writes wait with timers, the event loop goes on, and then they are done", async () => {
    const { note, clock, file, notes, transactions } = setUp();
    const release = holdLock(file);
    const early = note("early");
    await clock.advance(1_000);
    expect(clock.pendingTimers).toBe(1);
    const late = note("late");
    await clock.advance(1_000);
    release();
    await clock.advance(10);
    expect(await Promise.all([early, late])).toEqual(["early", "late"]);
    expect(notes()).toEqual(["early", "late"]);
    expect(transactions()).toBe(1);
    expect(clock.pendingTimers).toBe(0);
  });

  test("each write waits its own five seconds, then fails with store_busy", async () => {
    const { note, clock, file, notes } = setUp();
    const release = holdLock(file);
    const outcomes: string[] = [];
    const follow = (text: string) =>
      note(text).then(
        () => outcomes.push(`${text} done`),
        (error: unknown) => outcomes.push(`${text} ${(error as KonveierError).code}`),
      );
    const first = follow("first");
    await clock.advance(3_000);
    const second = follow("second");
    await clock.advance(1_900);
    expect(outcomes).toEqual([]);
    await clock.advance(200);
    expect(outcomes).toEqual(["first store_busy"]);
    release();
    await clock.advance(10);
    await Promise.all([first, second]);
    expect(outcomes).toEqual(["first store_busy", "second done"]);
    expect(notes()).toEqual(["second"]);
  });

  test("the error says who is in the way, and that trying again helps", async () => {
    const { note, clock, file } = setUp();
    holdLock(file);
    const outcome = note("a").catch((error: unknown) => error);
    await clock.advance(6_000);
    const error = (await outcome) as KonveierError;
    expect(error).toMatchObject({ code: "store_busy", retryable: true });
    expect(error.message).toContain(file.path);
    expect(clock.pendingTimers).toBe(0);
  });

  test("a lock that comes between writes that run alone keeps the rest for later", async () => {
    const { note, committer, clock, file, hooks, notes } = setUp();
    let release = (): void => undefined;
    let begun = 0;
    hooks.onStep = (step) => {
      if (step === "begin") begun += 1;
      // The group fails, "a" is committed alone, and then somebody else takes the lock.
      if (step === "after-commit" && begun === 2) release = holdLock(file);
    };
    const a = note("a");
    const bad = committer.write(() => {
      throw new Error("defect");
    });
    const b = note("b");
    const outcomes = Promise.allSettled([a, bad, b]);
    await clock.advance(100);
    expect(notes()).toEqual(["a"]);
    release();
    await clock.advance(10);
    expect((await outcomes).map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(notes()).toEqual(["a", "b"]);
  });
});

describe("close", () => {
  test("refuses new writes, and resolves when the accepted ones are settled", async () => {
    const { note, committer, notes } = setUp();
    const accepted = note("a");
    const closing = committer.close();
    await expect(note("b")).rejects.toMatchObject({ code: "store_closed" });
    await closing;
    expect(notes()).toEqual(["a"]);
    expect(await accepted).toBe("a");
    await committer.close();
  });

  test("waits for writes that wait for the lock", async () => {
    const { note, committer, clock, file, notes } = setUp();
    const release = holdLock(file);
    const accepted = note("a");
    await settled();
    let closed = false;
    const closing = committer.close().then(() => {
      closed = true;
    });
    await clock.advance(2_000);
    expect(closed).toBe(false);
    release();
    await clock.advance(10);
    await closing;
    expect(await accepted).toBe("a");
    expect(notes()).toEqual(["a"]);
    expect(clock.pendingTimers).toBe(0);
  });

  test("ends when the lock never comes", async () => {
    const { note, committer, clock, file } = setUp();
    holdLock(file);
    const refused = note("a").catch((error: unknown) => (error as KonveierError).code);
    const closing = committer.close();
    await clock.advance(6_000);
    await closing;
    expect(await refused).toBe("store_busy");
  });
});
