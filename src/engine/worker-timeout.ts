/** A worker that was not seen for this long counts as gone. Workers report every 10 s or more often. */
export const WORKER_TIMEOUT_MS = 60_000;
