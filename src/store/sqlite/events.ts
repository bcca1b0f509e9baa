import type { JournalEvent } from "../../core/journal.js";
import type { EventPage, EventStore } from "../events.js";
import { toEvent, type StoredEntry } from "../stored-entry.js";
import type { SqliteContext } from "./context.js";

type EventRow = [seq: number, at: number, body: string];

/** Reads the journal, and keeps it short. What writes into it is in `journal.ts`. */
export class SqliteEvents implements EventStore {
  readonly #latest;
  readonly #oldest;
  readonly #rows;
  readonly #page;
  readonly #firstSince;
  readonly #outdated;
  readonly #delete;
  readonly #first;
  readonly #completeAfter;

  constructor(private readonly context: SqliteContext) {
    const { db } = context;
    this.#latest = db.prepare<[], number>("SELECT value FROM sequences WHERE name = 'event'").pluck();
    this.#oldest = db.prepare<[], number>("SELECT complete_after FROM journal").pluck();
    this.#rows = db
      .prepare<[number], EventRow>(
        `SELECT seq, at, body FROM events
         WHERE seq >= (SELECT coalesce(max(seq), 0) FROM events WHERE seq <= ?) ORDER BY seq`,
      )
      .raw();
    // One snapshot: between two readings another process could remove what is about to be read.
    this.#page = db.transaction((id: number, limit: number) => this.#read(id, limit));
    this.#firstSince = db
      .prepare<[number], number>("SELECT seq FROM events WHERE at >= ? ORDER BY seq LIMIT 1")
      .pluck();
    this.#outdated = db
      .prepare<[number, number, number], number>(
        "SELECT seq FROM events WHERE seq < ? AND seq + n <= ? ORDER BY seq LIMIT ?",
      )
      .pluck();
    this.#delete = db.prepare<[number]>("DELETE FROM events WHERE seq <= ?");
    this.#first = db.prepare<[], number | null>("SELECT min(seq) FROM events").pluck();
    this.#completeAfter = db.prepare<[number]>("UPDATE journal SET complete_after = max(complete_after, ?)");
  }

  async want(): Promise<void> {
    const { write, clock, journal } = this.context;
    await write(() => {
      journal.want(clock.now());
    });
  }

  latest(): Promise<number> {
    return this.context.read(() => this.#latestId());
  }

  oldest(): Promise<number> {
    return this.context.read(() => this.#oldestId());
  }

  after(id: number, limit: number): Promise<EventPage> {
    return this.context.read(() => this.#page(id, limit));
  }

  async prune(maxAgeMs: number, max: number, limit: number): Promise<number> {
    // Found first without the write lock: most of the time there is nothing.
    const found = await this.context.read(() => this.#find(maxAgeMs, max, limit));
    if (found.length === 0) return 0;
    return this.context.write(() => {
      const rows = this.#find(maxAgeMs, max, limit);
      const last = rows.at(-1);
      if (last === undefined) return 0;
      this.#delete.run(last);
      this.#completeAfter.run((this.#first.get() ?? this.#latestId() + 1) - 1);
      return rows.length;
    });
  }

  /** Rows of which every event is outdated. */
  #find(maxAgeMs: number, max: number, limit: number): number[] {
    const latest = this.#latestId();
    const byAge = this.#firstSince.get(this.context.clock.now() - maxAgeMs) ?? latest + 1;
    const firstKept = Math.max(byAge, latest - max + 1);
    return this.#outdated.all(firstKept, firstKept, limit);
  }

  #read(id: number, limit: number): EventPage {
    const latest = this.#latestId();
    if (id > latest) return { events: [], gap: "unknown_id", latest };
    if (id < this.#oldestId()) return { events: [], gap: "history_gap", latest };
    const events: JournalEvent[] = [];
    if (id === latest) return { events, gap: null, latest };
    for (const [first, at, body] of this.#rows.iterate(id + 1)) {
      for (const [index, entry] of (JSON.parse(body) as StoredEntry[]).entries()) {
        const seq = first + index;
        if (seq > id) events.push(toEvent(entry, seq, at));
        if (events.length === limit) return { events, gap: null, latest };
      }
    }
    return { events, gap: null, latest };
  }

  #latestId(): number {
    return this.#latest.get() ?? 0;
  }

  #oldestId(): number {
    return this.#oldest.get() ?? 0;
  }
}
