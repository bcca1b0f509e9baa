import type { FastifyRequest } from "fastify";
import { DEFAULT_QUEUE } from "../../core/defaults.js";
import { KonveierError } from "../../core/errors.js";
import type { JobRequest } from "../../core/job-request.js";
import { coversQueue } from "../../core/queue-globs.js";
import type { JobTemplate, Schedule } from "../../core/schedule.js";
import type { EngineContext } from "../../engine/context.js";
import { findSchedule, scheduleNotFound } from "../../engine/schedules/by-hand.js";
import { jobNotFound } from "../../engine/job-change.js";
import type { Store } from "../../store/store.js";
import { identityOf } from "./guard.js";

/** Whether the caller's token covers the queue. */
export function covers(request: FastifyRequest, queue: string): boolean {
  return coversQueue(identityOf(request).queues, queue);
}

/** @throws KonveierError `queue_not_allowed` */
export function requireQueue(request: FastifyRequest, queue: string): void {
  if (covers(request, queue)) return;
  throw new KonveierError("queue_not_allowed", `The token does not cover the queue ${queue}.`);
}

/**
 * For what makes jobs. A unique key with the scope `all` may be that of a job in any queue, which would be told, and which
 * `reschedule` would change.
 *
 * @throws KonveierError `queue_not_allowed`
 */
export function requireQueuesOf(
  request: FastifyRequest,
  { queue, unique }: Pick<JobRequest, "queue" | "unique"> | JobTemplate,
): void {
  requireQueue(request, queue ?? DEFAULT_QUEUE);
  if (unique?.scope !== "all" || identityOf(request).queues === null) return;
  throw new KonveierError(
    "queue_not_allowed",
    "A unique key with the scope all is about all queues, and the token covers only some.",
  );
}

/**
 * For routes with a job's id: a job of a queue that the token does not cover is answered like one that
 * does not exist.
 *
 * @throws KonveierError `job_not_found`
 */
export async function requireVisibleJob(store: Store, request: FastifyRequest, id: string): Promise<void> {
  if (identityOf(request).queues === null) return;
  const job = await store.jobs.get(id);
  // One that is not there yet may be made, in any queue, before the route comes to it.
  if (job === null || !covers(request, job.queue)) throw jobNotFound(id);
}

/** The schedule, if the token covers its queue. @throws KonveierError `schedule_not_found` */
export async function visibleSchedule(
  context: EngineContext,
  request: FastifyRequest,
  key: string,
): Promise<Schedule> {
  const schedule = await findSchedule(context, key);
  if (!covers(request, schedule.job.queue)) throw scheduleNotFound(key);
  return schedule;
}

/**
 * Before a schedule is replaced: one of another queue must not be taken over.
 *
 * @returns the version to replace; `null`, for a token that covers all queues: whatever is there
 * @throws KonveierError `queue_not_allowed`
 */
export async function versionOfOwnSchedule(
  { store }: EngineContext,
  request: FastifyRequest,
  key: string,
): Promise<number | null> {
  if (identityOf(request).queues === null) return null;
  const schedule = await store.schedules.get(key);
  if (schedule === null || covers(request, schedule.job.queue)) return schedule?.version ?? 0;
  throw new KonveierError("queue_not_allowed", `The key ${key} is taken.`);
}

/** @throws KonveierError `queue_not_allowed` for a token that is limited to some queues */
export function requireAllQueues(request: FastifyRequest): void {
  if (identityOf(request).queues === null) return;
  throw new KonveierError(
    "queue_not_allowed",
    "This call is about all queues, and the token covers only some.",
  );
}
