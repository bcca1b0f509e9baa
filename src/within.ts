import type { JobDefinition } from "./core/define-job.js";
import type { Enqueued } from "./core/job.js";
import type { JobRequest, JobSettings } from "./core/job-request.js";
import type { EngineContext } from "./engine/context.js";
import { enqueueWithin } from "./engine/enqueue.js";
import { jobRequestNow, jobRequestOf } from "./worker/job-request-of.js";

/** Enqueues in a transaction on a connection to a SQLite file. Everything is done when a call returns. */
export interface EnqueueNow {
  /** As `Konveier.enqueue`. @throws TypeError for a schema that answers later */
  enqueue<Payload>(job: JobDefinition<Payload> | string, payload: Payload, settings?: JobSettings): Enqueued;
  /** As `Konveier.enqueueMany`. */
  enqueueMany(requests: readonly JobRequest[]): readonly Enqueued[];
}

/** Enqueues in a transaction on a client of PostgreSQL. */
export interface EnqueueLater {
  /** As `Konveier.enqueue`. */
  enqueue<Payload>(
    job: JobDefinition<Payload> | string,
    payload: Payload,
    settings?: JobSettings,
  ): Promise<Enqueued>;
  /** As `Konveier.enqueueMany`. */
  enqueueMany(requests: readonly JobRequest[]): Promise<readonly Enqueued[]>;
}

/** @throws KonveierError `transaction_unusable` */
export function enqueuerWithin(context: EngineContext, connection: unknown): EnqueueNow | EnqueueLater {
  const joined = context.store.join(connection);
  if (!joined.atOnce) {
    const enqueueMany = async (requests: readonly JobRequest[]) => enqueueWithin(context, joined, requests);
    return {
      enqueue: async (job, payload, settings = {}) =>
        only(await enqueueMany([await jobRequestOf(job, payload, settings)])),
      enqueueMany,
    };
  }
  // What a store that works at once answers is no promise.
  const enqueueMany = (requests: readonly JobRequest[]) =>
    enqueueWithin(context, joined, requests) as readonly Enqueued[];
  return {
    enqueue: (job, payload, settings = {}) => only(enqueueMany([jobRequestNow(job, payload, settings)])),
    enqueueMany,
  };
}

function only([job]: readonly Enqueued[]): Enqueued {
  if (job === undefined) throw new Error("The store answered an insert with nothing");
  return job;
}
