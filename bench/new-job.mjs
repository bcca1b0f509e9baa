/** A job as a store takes it, with everything at its default: for measurements that go below the library. */
export function newJob(changes) {
  return {
    queue: "default",
    name: "work",
    payload: "null",
    priority: 4,
    runAt: null,
    delayMs: 0,
    maxAttempts: 1,
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
