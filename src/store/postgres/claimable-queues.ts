import { HAS_LIMITS } from "../limit-rows.js";
import { KEYED, pendingOfLane } from "./lane-floors.js";

/** A queue in which a claim could find anything. */
export interface ClaimableQueue {
  readonly queue: string;
  /** Its jobs are claimed within limits, and in turn between keys. */
  readonly limited: boolean;
}

/** Those of the queues $1 in which a claim for the names $2 could find anything at the time $3, in their order. */
export function queuesWithJobs(s: string): string {
  // Not EXISTS for the jobs: that may become a join, which reads the index from its beginning and not from the floor.
  return `SELECT queue, ${isLimited(s, "asked.queue")} AS limited
    FROM unnest($1::text[]) WITH ORDINALITY AS asked (queue, place)
    WHERE NOT EXISTS (SELECT 1 FROM ${s}.queues WHERE queues.name = asked.queue AND paused_at IS NOT NULL)
      AND EXISTS (
        SELECT 1 FROM ${s}.lanes AS lane WHERE lane.queue = asked.queue AND ($2::text[] IS NULL OR lane.name = ANY($2))
          AND CASE priority WHEN ${String(KEYED)} THEN (
            SELECT true FROM ${s}.jobs WHERE state = 'pending' AND keys IS NOT NULL AND jobs.queue = lane.queue
              AND jobs.name = lane.name LIMIT 1
          ) ELSE (SELECT true ${pendingOfLane(s, "$3::bigint")} LIMIT 1) END)
    ORDER BY place`;
}

/** Whether a queue has limits, or ever had jobs with keys. */
export function isLimited(s: string, queue: string): string {
  return `(EXISTS (SELECT 1 FROM ${s}.queues WHERE queues.name = ${queue} AND ${HAS_LIMITS})
    OR EXISTS (SELECT 1 FROM ${s}.lanes AS keyed WHERE keyed.queue = ${queue} AND keyed.priority = ${String(KEYED)}))`;
}
