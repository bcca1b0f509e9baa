import type { Logger } from "pino";
import { formatInstant } from "../core/instant.js";
import type { EventMap, EventName, Events, JobFact } from "../core/events.js";

type Level = "debug" | "info" | "warn" | "error";
type Line = readonly [level: Level, fields: object, message: string];

/**
 * What each event says in the log. Of errors that jobs threw only the type is written: their messages
 * may hold what was in the payload, and are kept with the job.
 */
const LINES: { readonly [Name in EventName]: (event: EventMap[Name]) => Line } = {
  "job.completed": ({ durationMs, resultProblem, ...fact }) =>
    resultProblem === null
      ? ["debug", { ...jobFields(fact), durationMs }, "job completed"]
      : ["warn", { ...jobFields(fact), durationMs }, "job completed, but its result could not be kept"],
  "job.retrying": ({ delayMs, error, ...fact }) => [
    "debug",
    { ...jobFields(fact), delayMs, errorType: error.type },
    "job failed and will be tried again",
  ],
  "job.dead": ({ error, ...fact }) => ["warn", { ...jobFields(fact), errorType: error.type }, "job is dead"],
  "job.lost": ({ next, ...fact }) => ["warn", { ...jobFields(fact), next }, "job lost its worker"],
  "job.released": (fact) => ["debug", jobFields(fact), "job given back"],
  "job.waiting": ({ refs, ...fact }) => [
    "debug",
    { ...jobFields(fact), refs: refs.length },
    "job waits for others",
  ],
  "job.snoozed": ({ delayMs, ...fact }) => ["debug", { ...jobFields(fact), delayMs }, "job snoozed"],
  "job.cancelled": ({ id, queue, name }) => ["info", { jobId: id, queue, name }, "job cancelled"],
  "lease.lost": ({ reason, ...fact }) => ["warn", { ...jobFields(fact), reason }, "lease lost"],
  "handler.stuck": (fact) => ["warn", jobFields(fact), "handler goes on after its signal aborted"],
  "jobs.unhandled": (event) => ["warn", event, "pending jobs that no worker handles"],
  "schedule.fired": ({ key, slot, jobId }) => [
    "debug",
    { key, slot: formatInstant(slot), jobId },
    "schedule fired",
  ],
  "schedule.skipped": ({ key, slot }) => [
    "info",
    { key, slot: formatInstant(slot) },
    "slot skipped, a job of the schedule has not ended",
  ],
  "schedule.missed": ({ key, from, through }) => [
    "warn",
    { key, from: formatInstant(from), through: formatInstant(through) },
    "slots passed with nobody to fire them",
  ],
  "schedule.stopped": ({ key, problem }) => ["error", { key, problem }, "schedule cannot go on"],
  "operation.completed": (fact) => ["info", fact, "bulk operation completed"],
  "worker.started": ({ workerId, queues, names }) => ["info", { workerId, queues, names }, "worker started"],
  "worker.stopped": ({ workerId, released }) => ["info", { workerId, released }, "worker stopped"],
  "store.unavailable": ({ error }) => ["error", { err: error }, "the database does not answer"],
  "store.recovered": () => ["info", {}, "the database answers again"],
  "internal.error": ({ error, during }) => ["error", { err: error, during }, "internal error"],
};

/** Writes every event as one structured line, until the returned function is called. Never payloads, results or tokens. */
export function logEvents(events: Events, logger: Logger): () => void {
  const unsubscribe = (Object.keys(LINES) as EventName[]).map((name) => {
    const lineOf = LINES[name] as (event: EventMap[EventName]) => Line;
    return events.on(name, (event) => {
      const [level, fields, message] = lineOf(event);
      logger[level]({ event: name, ...fields }, message);
    });
  });
  return () => {
    for (const stop of unsubscribe) stop();
  };
}

function jobFields({ id, queue, name, attempt, workerId }: Omit<JobFact, "token">): object {
  return { jobId: id, queue, name, attempt, workerId };
}
