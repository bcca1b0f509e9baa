import { setTimeout as sleep } from "node:timers/promises";
import type { Instant } from "../../core/job.js";
import type { JournalEvent } from "../../core/journal.js";
import { WANTED_MS, type EventPage, type EventStore } from "../events.js";
import { toEvent, type StoredEntry } from "../stored-entry.js";
import type { Queryable } from "./connection.js";
import type { PostgresContext } from "./context.js";
import { Statement } from "./statement.js";
import type { Transaction } from "./transaction.js";

interface JournalRow {
  readonly wanted_until: Instant;
  readonly wanted_since: Instant;
  readonly complete_after: number;
  readonly latest: number;
}

/** The journal, with one row of events, or with none at all. */
type PageRow = Pick<JournalRow, "complete_after" | "latest"> &
  (
    | { readonly seq: number; readonly at: Instant; readonly body: string }
    | { readonly seq: null; readonly at: null; readonly body: null }
  );

/** Rows of the inbox that one statement numbers. */
const NUMBERED_AT_ONCE = 1_000;
/** How often, and how long, transactions are waited for that may not know yet that events are wanted. */
const WAIT_STEP_MS = 10;
const WAIT_LIMIT_MS = 2_000;

/**
 * Reads the journal, and keeps it short. What writes into it is in `journal.ts`.
 *
 * Whoever reads first numbers what was written since. All who number follow one another, so the numbers have no gap;
 * and what a reader has not seen has a higher number than all that it has seen, whenever its transaction began.
 */
export class PostgresEvents implements EventStore {
  readonly #journal;
  readonly #lock;
  readonly #hasNew;
  readonly #number;
  readonly #extend;
  readonly #restart;
  readonly #newXid;
  readonly #haveEnded;
  readonly #page;
  readonly #outdated;
  readonly #delete;
  readonly #completeAfter;

  constructor(private readonly context: PostgresContext) {
    const { s } = context;
    this.#journal = new Statement<[], JournalRow>(`SELECT * FROM ${s}.journal`);
    this.#lock = new Statement<[], JournalRow>(`SELECT * FROM ${s}.journal FOR UPDATE`);
    this.#hasNew = new Statement<[], { found: boolean }>(
      `SELECT EXISTS (SELECT 1 FROM ${s}.event_inbox) AS found`,
    );
    this.#number = new Statement<[limit: number], { rows: number }>(
      `WITH taken AS (
         DELETE FROM ${s}.event_inbox WHERE id IN (SELECT id FROM ${s}.event_inbox ORDER BY id LIMIT $1)
         RETURNING id, at, n, body
       ), numbered AS (
         INSERT INTO ${s}.events (seq, at, n, body)
         SELECT latest + 1 + sum(n) OVER (ORDER BY id) - n, at, n, body FROM taken, ${s}.journal
         RETURNING n
       ), moved AS (
         UPDATE ${s}.journal SET latest = latest + (SELECT sum(n) FROM numbered)
         WHERE EXISTS (SELECT 1 FROM numbered)
       )
       SELECT count(*) AS rows FROM numbered`,
    );
    this.#extend = new Statement<[until: Instant], never>(`UPDATE ${s}.journal SET wanted_until = $1`);
    // Changes went unrecorded: a number that no event has parts what was before from what comes.
    this.#restart = new Statement<[until: Instant, now: Instant], never>(
      `UPDATE ${s}.journal SET wanted_until = $1, wanted_since = $2, latest = latest + 1, complete_after = latest + 1`,
    );
    this.#newXid = new Statement<[], { xid: string }>("SELECT pg_current_xact_id()::text AS xid");
    this.#haveEnded = new Statement<[xid: string], { ended: boolean }>(
      "SELECT pg_snapshot_xmin(pg_current_snapshot()) > $1::xid8 AS ended",
    );
    // One statement, so one snapshot: between two, others could remove what is about to be read. Where it may be read
    // at all there is no number without an event, so the numbers say which rows have those of this page.
    this.#page = new Statement<[id: number, limit: number], PageRow>(
      `SELECT latest, complete_after, seq, at, body FROM ${s}.journal LEFT JOIN LATERAL (
         SELECT seq, at, body FROM ${s}.events WHERE $1::bigint >= complete_after AND seq <= $1 + $2::bigint
           AND seq >= (SELECT coalesce(max(seq), 0) FROM ${s}.events WHERE seq <= $1 + 1)
       ) AS page ON true ORDER BY seq`,
    );
    // Rows of which every event is outdated.
    this.#outdated = new Statement<[since: Instant, max: number, limit: number], { seq: number }>(
      `WITH kept AS (
         SELECT greatest(latest - $2::bigint + 1, coalesce(
           (SELECT seq FROM ${s}.events WHERE at >= $1 ORDER BY seq LIMIT 1), latest + 1)) AS first
         FROM ${s}.journal
       )
       SELECT seq FROM ${s}.events, kept WHERE seq < first AND seq + n <= first ORDER BY seq LIMIT $3`,
    );
    this.#delete = new Statement<[last: number], never>(`DELETE FROM ${s}.events WHERE seq <= $1`);
    this.#completeAfter = new Statement<[], never>(
      `UPDATE ${s}.journal SET complete_after =
         greatest(complete_after, coalesce((SELECT min(seq) FROM ${s}.events), latest + 1) - 1)`,
    );
  }

  async want(): Promise<void> {
    const since = await this.context.write((tx) => this.#want(tx));
    // Somebody else may have begun a moment ago and still be waiting.
    if (this.context.clock.now() - since < WAIT_LIMIT_MS) await this.#untilAllKnow();
  }

  async latest(): Promise<number> {
    await this.#numberNew();
    return (await this.context.read((db) => this.#existing(db))).latest;
  }

  async oldest(): Promise<number> {
    return (await this.context.read((db) => this.#existing(db))).complete_after;
  }

  async after(id: number, limit: number): Promise<EventPage> {
    await this.#numberNew();
    const rows = await this.context.read((db) => this.#page.all(db, id, limit));
    const { latest, complete_after: completeAfter } = rows[0] ?? missing();
    if (id > latest) return { events: [], gap: "unknown_id", latest };
    if (id < completeAfter) return { events: [], gap: "history_gap", latest };
    const events: JournalEvent[] = [];
    for (const { seq: first, at, body } of rows) {
      if (first === null) continue;
      for (const [index, entry] of (JSON.parse(body) as StoredEntry[]).entries()) {
        const seq = first + index;
        if (seq > id && seq <= id + limit) events.push(toEvent(entry, seq, at));
      }
    }
    return { events, gap: null, latest };
  }

  async prune(maxAgeMs: number, max: number, limit: number): Promise<number> {
    await this.#numberNew();
    // Found first without a lock: most of the time there is nothing.
    const found = await this.context.read((db) =>
      this.#outdated.all(db, this.context.clock.now() - maxAgeMs, max, limit),
    );
    if (found.length === 0) return 0;
    return this.context.write(async (tx) => {
      await this.#locked(tx);
      const rows = await this.#outdated.all(tx, tx.now - maxAgeMs, max, limit);
      const last = rows.at(-1);
      if (last === undefined) return 0;
      await this.#delete.run(tx, last.seq);
      // What was deleted must be gone for this one, so it is a statement of its own.
      await this.#completeAfter.run(tx);
      return rows.length;
    });
  }

  /** @returns since when events are wanted without a break */
  async #want(tx: Transaction): Promise<Instant> {
    const journal = await this.#locked(tx);
    const until = tx.now + WANTED_MS;
    // Also when that time has passed: nobody has left out a change as long as nobody has said so here.
    if (journal.wanted_until !== 0) {
      await this.#extend.run(tx, until);
      return journal.wanted_since;
    }
    // What was recorded before the break is numbered before it.
    while ((await this.#numberSome(tx)) === NUMBERED_AT_ONCE);
    await this.#restart.run(tx, until, tx.now);
    return tx.now;
  }

  /**
   * Resolves when every transaction has ended that is running now: it may have read that nobody wants events. Only
   * what happens between that reading and the commit counts, which takes milliseconds, but nobody can tell how far
   * a transaction is. One that takes long, or is another program's, must not hold up those who want to follow.
   */
  async #untilAllKnow(): Promise<void> {
    const { read } = this.context;
    // Higher than those of all that were running when the wish was committed.
    const { xid } = (await read((db) => this.#newXid.get(db))) ?? missing();
    for (let waited = 0; waited < WAIT_LIMIT_MS; waited += WAIT_STEP_MS) {
      if ((await read((db) => this.#haveEnded.get(db, xid)))?.ended === true) return;
      await sleep(WAIT_STEP_MS);
    }
  }

  /** Numbers what was written until now. */
  async #numberNew(): Promise<void> {
    const { read, write } = this.context;
    for (;;) {
      if ((await read((db) => this.#hasNew.get(db)))?.found !== true) return;
      const rows = await write(async (tx) => {
        await this.#locked(tx);
        return this.#numberSome(tx);
      });
      if (rows < NUMBERED_AT_ONCE) return;
    }
  }

  /** The journal is locked: by a statement of its own, so that this one sees the number of who had it before. */
  async #numberSome(tx: Transaction): Promise<number> {
    return (await this.#number.get(tx, NUMBERED_AT_ONCE))?.rows ?? 0;
  }

  async #locked(tx: Transaction): Promise<JournalRow> {
    return (await this.#lock.get(tx)) ?? missing();
  }

  async #existing(db: Queryable): Promise<JournalRow> {
    return (await this.#journal.get(db)) ?? missing();
  }
}

function missing(): never {
  throw new Error("The database has lost its journal");
}
