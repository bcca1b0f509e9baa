import type { Attributes } from "@opentelemetry/api";
import type { ClaimedJob } from "../core/job.js";
import type { AttemptEnd, EnqueueFacts } from "../core/tracing.js";

/**
 * Names of the semantic conventions for messaging, and of Konveier. Those conventions are not stable yet:
 * what is written here is what docs/tracing.md promises, whatever a later package of constants says.
 */
const SYSTEM = { "messaging.system": "konveier" };

/** `<operation> <queue>`: never the name or the id of a job, of which there may be many. */
export function spanName(operation: "enqueue" | "process", queue: string | null): string {
  return queue === null ? operation : `${operation} ${queue}`;
}

export function enqueueAttributes({ queue, name, count }: EnqueueFacts): Attributes {
  return {
    ...SYSTEM,
    "messaging.operation.name": "enqueue",
    "messaging.operation.type": "send",
    ...(queue !== null && { "messaging.destination.name": queue }),
    ...(name !== null && { "konveier.job.name": name }),
    ...(count > 1 && { "messaging.batch.message_count": count }),
  };
}

export function processAttributes(job: ClaimedJob, workerId: string): Attributes {
  return {
    ...SYSTEM,
    "messaging.operation.name": "process",
    "messaging.operation.type": "process",
    "messaging.destination.name": job.queue,
    "messaging.message.id": job.id,
    "messaging.client.id": workerId,
    "konveier.job.name": job.name,
    "konveier.job.attempt": job.attempt,
    "konveier.job.max_attempts": job.maxAttempts,
    ...(job.schedule !== null && { "konveier.schedule.key": job.schedule.key }),
  };
}

export function endAttributes({ outcome, errorType }: AttemptEnd): Attributes {
  return {
    "konveier.job.outcome": outcome,
    ...(errorType !== null && { "error.type": errorType }),
  };
}
