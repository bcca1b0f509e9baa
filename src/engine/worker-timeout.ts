/**
 * A worker that was not seen for this long counts as gone. Workers report every 10 s or more often, but a remote one says
 * nothing while its claim waits, for up to 60 s, and its last report may be 10 s older than that.
 */
export const WORKER_TIMEOUT_MS = 90_000;
