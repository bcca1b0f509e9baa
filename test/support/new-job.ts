import type { NewJob } from "../../src/store/jobs.js";

/** A job as the engine hands it to a store, with everything at its default. */
export function newJob(changes: Partial<NewJob> = {}): NewJob {
  return {
    queue: "default",
    name: "work",
    payload: "{}",
    priority: 4,
    runAt: null,
    delayMs: 0,
    maxAttempts: 20,
    backoff: null,
    timeoutMs: null,
    tags: [],
    unique: null,
    expiresAt: null,
    expiresInMs: null,
    idempotency: null,
    schedule: null,
    trace: null,
    keys: null,
    ...changes,
  };
}
