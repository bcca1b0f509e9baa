import type { Instant } from "../../core/job.js";
import type { JobEvent, JournalEntry } from "../../core/journal.js";
import type { JobState } from "../../core/states.js";
import { MAX_IN_ROW, type StoredEntry } from "../stored-entry.js";
import type { Queryable } from "./connection.js";
import { Statement } from "./statement.js";

/** What is said about the journal by those who write into it. `events.ts` has what its readers say. */
export class JournalStatements {
  readonly stop;
  readonly insert;

  constructor(s: string) {
    this.stop = new Statement<[now: Instant], never>(
      `UPDATE ${s}.journal SET wanted_until = 0 WHERE wanted_until BETWEEN 1 AND $1`,
    );
    this.insert = new Statement<[at: Instant, n: number, body: string], never>(
      `INSERT INTO ${s}.event_inbox (at, n, body) VALUES ($1, $2, $3)`,
    );
  }
}

/** Collects the events of one transaction and writes them before its commit, if anybody wants them. */
export class Journal {
  readonly #entries: StoredEntry[] = [];

  constructor(private readonly statements: JournalStatements) {}

  get empty(): boolean {
    return this.#entries.length === 0;
  }

  /** Something happened to anything but a job. */
  add(entry: Exclude<JournalEntry, JobEvent>): void {
    this.#entries.push(entry);
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
    this.#entries.push([id, queue, name, transition, from, to, attempt]);
  }

  /**
   * At the end of the transaction.
   *
   * @param wantedUntil as it stands in the database at this moment, not at the begin of the transaction
   * @returns whether anything was written
   */
  async flush(db: Queryable, now: Instant, wantedUntil: Instant): Promise<boolean> {
    if (this.empty || wantedUntil === 0) return false;
    // Said in the database before anything happens unrecorded: whatever clocks do, no gap stays unseen. Where the
    // statement finds nothing, somebody has wanted them again meanwhile, or said it first.
    if (wantedUntil <= now && (await this.statements.stop.run(db, now)) === 1) return false;
    for (let from = 0; from < this.#entries.length; from += MAX_IN_ROW) {
      const entries = this.#entries.slice(from, from + MAX_IN_ROW);
      await this.statements.insert.run(db, now, entries.length, JSON.stringify(entries));
    }
    return true;
  }
}
