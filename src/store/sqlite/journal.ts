import type { JobEvent, JournalEntry } from "../../core/journal.js";
import type { JobState } from "../../core/states.js";
import { WANTED_MS } from "../events.js";
import { MAX_IN_ROW, type StoredEntry } from "../stored-entry.js";
import type { ChangeFeed } from "./change-feed.js";
import type { Connection } from "./connection.js";
import type { Sequences } from "./sequences.js";
import type { StepHook } from "./steps.js";

/**
 * Collects the events of one transaction and writes them before its commit, if anybody wants them.
 *
 * Whether they are wanted stands in the database and is read in every transaction. Writers follow one
 * another, so once a `want` is committed no later change of any process can miss it.
 */
export class Journal {
  #recording = false;
  readonly #entries: StoredEntry[] = [];
  readonly #wantedUntil;
  readonly #stop;
  readonly #want;
  readonly #restart;
  readonly #insert;

  constructor(
    db: Connection,
    private readonly sequences: Sequences,
    private readonly changes: ChangeFeed,
    private readonly step: StepHook,
  ) {
    this.#wantedUntil = db.prepare<[], number>("SELECT wanted_until FROM journal").pluck();
    this.#stop = db.prepare("UPDATE journal SET wanted_until = 0");
    this.#want = db.prepare<[number]>("UPDATE journal SET wanted_until = ?");
    this.#restart = db.prepare<[number, number]>("UPDATE journal SET wanted_until = ?, complete_after = ?");
    this.#insert = db.prepare<[number, number, number, string]>(
      "INSERT INTO events (seq, at, n, body) VALUES (?, ?, ?, ?)",
    );
  }

  /** Whether entries are wanted in this transaction. Ask before making one. */
  get recording(): boolean {
    return this.#recording;
  }

  /** At the start of a transaction. */
  begin(now: number): void {
    const until = this.#wantedUntil.get() ?? 0;
    this.#recording = until > now;
    // Said in the database before anything happens unrecorded: whatever clocks do, no gap stays unseen.
    if (until !== 0 && !this.#recording) this.#stop.run();
  }

  /** Inside a transaction. */
  want(now: number): void {
    const until = now + WANTED_MS;
    // Changes went unrecorded: a number that no event has parts what was before from what comes.
    if (this.#recording) this.#want.run(until);
    else this.#restart.run(until, this.sequences.take("event", 1) + 1);
    this.#recording = true;
  }

  /** Something happened to anything but a job. */
  add(entry: Exclude<JournalEntry, JobEvent>): void {
    if (this.#recording) this.#entries.push(entry);
  }

  /** A job came, changed its state or went. */
  addJob(
    id: number,
    queue: string,
    name: string,
    transition: JobEvent["transition"],
    from: JobState | null,
    to: JobState | null,
    attempt: number,
  ): void {
    if (!this.#recording) return;
    this.#entries.push([id, queue, name, transition, from, to, attempt]);
  }

  /** Writes the entries, at the end of the transaction. */
  flush(now: number): void {
    const { length } = this.#entries;
    if (length === 0) return;
    const first = this.sequences.take("event", length) + 1;
    for (let from = 0; from < length; from += MAX_IN_ROW) {
      const entries = this.#entries.slice(from, from + MAX_IN_ROW);
      this.#insert.run(first + from, now, entries.length, JSON.stringify(entries));
    }
    this.changes.events();
    this.step("journal:rows");
    this.clear();
  }

  /** Forgets what was reported: at a rollback, or after a flush. */
  clear(): void {
    this.#entries.length = 0;
    this.#recording = false;
  }
}
