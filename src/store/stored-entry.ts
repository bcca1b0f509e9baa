import type { Instant } from "../core/job.js";
import type { JobEvent, JournalEntry, JournalEvent } from "../core/journal.js";
import type { JobState } from "../core/states.js";

/**
 * How an event is written. Jobs change by the thousand, so theirs are lists: with names in each, writing and
 * reading took twice as long.
 */
export type StoredEntry = StoredJobEntry | Exclude<JournalEntry, JobEvent>;

type StoredJobEntry = [
  id: number,
  queue: string,
  name: string,
  transition: JobEvent["transition"],
  from: JobState | null,
  to: JobState | null,
  attempt: number,
];

export function toEvent(entry: StoredEntry, seq: number, at: Instant): JournalEvent {
  if (!Array.isArray(entry)) return { ...entry, seq, at };
  const [id, queue, name, transition, from, to, attempt] = entry;
  return { type: "job", id: String(id), queue, name, transition, from, to, attempt, seq, at };
}

/** Events in one row: reading a page must not parse the whole of a huge transaction. */
export const MAX_IN_ROW = 500;
