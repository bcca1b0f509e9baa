import { LIVE_TOPICS, type LiveTopic } from "../../core/live-topics.js";
import { JOB_STATES } from "../../core/states.js";
import type { LiveReading } from "../../store/live.js";
import type { Queue } from "../../store/queues.js";

/** `other`: something was written that belongs to none of the topics, or to one that cannot be told. */
export type ChangeTopic = LiveTopic | "other";

/** What differs between two readings. */
export interface LiveChange {
  /** Those that are new or differ, as they are. */
  readonly queues: readonly Queue[];
  /** Names of those that are no more. */
  readonly gone: readonly string[];
  readonly topics: readonly ChangeTopic[];
}

/** @returns `null` when nothing has changed that anybody could see */
export function changeBetween(before: LiveReading, after: LiveReading): LiveChange | null {
  const known = new Map(before.queues.map((queue) => [queue.name, queue]));
  const queues: Queue[] = [];
  let jobs = before.marks.jobs !== after.marks.jobs;
  for (const queue of after.queues) {
    const old = known.get(queue.name);
    known.delete(queue.name);
    if (old !== undefined && !differs(old, queue)) continue;
    queues.push(queue);
    jobs ||= old === undefined || countsDiffer(old, queue);
  }
  const gone = [...known.keys()];
  const topics: ChangeTopic[] = LIVE_TOPICS.filter((topic) =>
    topic === "jobs" ? jobs : before.marks[topic] !== after.marks[topic],
  );
  if (queues.length + gone.length + topics.length > 0) return { queues, gone, topics };
  const other = before.rest !== after.rest && before.housekeeping === after.housekeeping;
  return other ? { queues, gone, topics: ["other"] } : null;
}

function differs(before: Queue, after: Queue): boolean {
  return (
    before.version !== after.version ||
    before.oldestPendingAt !== after.oldestPendingAt ||
    countsDiffer(before, after)
  );
}

function countsDiffer({ counts: before }: Queue, { counts: after }: Queue): boolean {
  return JOB_STATES.some((state) => before[state] !== after[state]);
}
