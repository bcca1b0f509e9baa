import type { JournalEvent } from "../core/journal.js";

/** For how long events are recorded after somebody wanted them. */
export const WANTED_MS = 600_000;

/**
 * Why events after an id cannot be told:
 *
 * - `history_gap`: some of them are no longer kept, or were never recorded because nobody wanted them
 * - `unknown_id`: no event has had this id yet, so it is of another database, or of one that was restored
 */
export type Gap = "history_gap" | "unknown_id";

export interface EventPage {
  /** In the order of their ids; empty with a gap. */
  readonly events: readonly JournalEvent[];
  readonly gap: Gap | null;
  /** Id of the latest event at the time of this reading. */
  readonly latest: number;
}

/**
 * The journal: what happened, event by event, in the order of the commits. An event is written in the
 * transaction of its change, so there is one exactly if there is the other.
 */
export interface EventStore {
  /**
   * Once this has resolved, every later change of every process is recorded, for `WANTED_MS`. Without it
   * nothing is, and a change costs no more than before.
   */
  want(): Promise<void>;
  /** Id of the latest event; 0 before the first. */
  latest(): Promise<number>;
  /** The smallest id after which everything that happened can be read. */
  oldest(): Promise<number>;
  /** Up to `limit` events after this one. Fewer mean that these are all there are. */
  after(id: number, limit: number): Promise<EventPage>;
  /**
   * Removes up to `limit` records of events that are older than `maxAgeMs` or more than `max` behind the
   * latest. @returns how many there were
   */
  prune(maxAgeMs: number, max: number, limit: number): Promise<number>;
}
