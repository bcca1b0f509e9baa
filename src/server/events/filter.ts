import type { EventQuery } from "../../api/event.js";
import { queueOf, type JournalEvent } from "../../core/journal.js";

export type EventFilter = (event: JournalEvent) => boolean;

/**
 * Which events a client asked for. Every parameter narrows: `queue` leaves events of these queues, `job`
 * and `state` leave only events of jobs.
 *
 * @param maySee whether the client may see this queue; what it must not see is left out in silence
 */
export function eventFilter(
  { topics, queue, job, state }: EventQuery,
  maySee: ((queue: string) => boolean) | null,
): EventFilter {
  const types = setOf(topics);
  const queues = setOf(queue);
  const jobs = setOf(job);
  const states = setOf(state);
  return (event) => {
    if (types !== null && !types.has(event.type)) return false;
    const of = queueOf(event);
    if (queues !== null && (of === null || !queues.has(of))) return false;
    if (jobs !== null && !(event.type === "job" && jobs.has(event.id))) return false;
    if (states !== null && !(event.type === "job" && event.to !== null && states.has(event.to))) return false;
    return maySee === null || (of !== null && maySee(of));
  };
}

function setOf(items: readonly string[] | undefined): ReadonlySet<string> | null {
  return items === undefined ? null : new Set(items);
}
