/** Every default of Konveier, each with its reason. */

export const DEFAULT_QUEUE = "default";

/** The middle of 0 to 9, so that both more and less urgent jobs have room. */
export const DEFAULT_PRIORITY = 4;
/** 9 is claimed first. */
export const MAX_PRIORITY = 9;

/** With the default backoff the last attempt comes about 8 hours after the first: longer than most outages. */
export const DEFAULT_MAX_ATTEMPTS = 20;
export const MAX_MAX_ATTEMPTS = 1_000;

/** 1 s catches a blip, doubling gives a broken peer room, an hour keeps a job from being forgotten. */
export const DEFAULT_BACKOFF = {
  type: "exponential",
  baseMs: 1_000,
  maxMs: 3_600_000,
  jitter: 0.2,
} as const;

/** Long enough for a pause of the garbage collector or a busy disk, short enough to notice a crash soon. */
export const DEFAULT_LEASE_MS = 30_000;
/** Below this a heartbeat every third of the lease would be mostly overhead. */
export const MIN_LEASE_MS = 100;
export const MAX_LEASE_MS = 24 * 3_600_000;
/** Two heartbeats may be lost before the lease is. */
export const HEARTBEATS_PER_LEASE = 3;

export const DEFAULT_CONCURRENCY = 10;

/** The net under wake-ups: a worker looks at its queues this often even if nothing woke it. */
export const DEFAULT_POLL_MS = 1_000;

/** How long `stop()` waits for handlers before it aborts them. */
export const DEFAULT_GRACE_MS = 10_000;
/** What an aborted handler has to tidy up before its job is released. */
export const ABORT_GRACE_MS = 500;

/** JSON text of a payload or result, in bytes. Larger data belongs in a file store, with its key in the payload. */
export const MAX_PAYLOAD_BYTES = 256 * 1024;
/** Deeper data makes recursive readers in other languages fail. */
export const MAX_PAYLOAD_DEPTH = 128;

export const MAX_NAME_LENGTH = 128;
export const MAX_KEY_LENGTH = 255;
export const MAX_TAGS = 16;
export const MAX_TAG_LENGTH = 64;
export const MAX_BATCH = 1_000;
/** Largest limit of how many jobs may wait in a queue. */
export const MAX_QUEUE_LENGTH = 1_000_000_000;
/** Jobs in one claim: bounds one transaction and one HTTP answer. */
export const MAX_CLAIM = 1_000;
/**
 * Queues times names of one claim or worker: each is looked at for its own. A program with a hundred kinds of jobs
 * may serve a hundred queues.
 */
export const MAX_CLAIM_LANES = 10_000;
/** Payloads of one claim together: what a thousand of the largest jobs have is more than a server can hold and send. */
export const MAX_CLAIM_BYTES = 8 * 1024 * 1024;

/** Jobs of one flow, and of one request that makes or extends it: what can be written in a few seconds. */
export const MAX_FLOW_JOBS = 100_000;
/** What depends on what in one such request: one job behind each of the others, and as many again. */
export const MAX_FLOW_DEPENDENCIES = 200_000;

export const MAX_ERROR_MESSAGE_LENGTH = 4_000;
export const MAX_ERROR_STACK_LENGTH = 8_000;
export const MAX_LOG_LINES = 1_000;
export const MAX_LOG_MESSAGE_LENGTH = 2_000;
export const MAX_PROGRESS_MESSAGE_LENGTH = 500;
/** Beyond this the work is a flow of jobs, not the steps of one. */
export const MAX_STEPS = 1_000;
/** Why a queue or a schedule was paused. */
export const MAX_REASON_LENGTH = 500;
/** Attempts kept in a job's history; the oldest go first. */
export const MAX_ATTEMPTS_KEPT = 100;

/** A second is as fine as cron can say; below it a queue is the wrong tool. */
export const MIN_EVERY_MS = 1_000;
export const MAX_EVERY_MS = 366 * 24 * 3_600_000;
export const DEFAULT_TIMEZONE = "UTC";
/** Enough for an hour of a schedule that runs every minute, and no flood after a long outage. */
export const DEFAULT_MAX_MISSED = 100;
export const MAX_MAX_MISSED = 1_000;
/** A slot no later than this is late, not missed: a restart or a deploy takes about as long. */
export const MISSED_AFTER_MS = 60_000;
export const MAX_JITTER_MS = 24 * 3_600_000;
/** Entries of a schedule's history; the oldest go first. */
export const MAX_SCHEDULE_RUNS_KEPT = 100;

/** How long a search may look at jobs in vain: what a person waits for, and then goes on by the cursor. */
export const SCAN_BUDGET_MS = 2_000;
/** A count goes no further: whoever reads it only wants to know that there are many. */
export const COUNT_CAP = 10_000;

/** With less room on the disk, new jobs are refused soon. */
export const LEAST_FREE_DISK_BYTES = 64 * 1024 * 1024;
/** Room for some hundred thousand jobs: with less, somebody should make some in time. */
export const ENOUGH_FREE_DISK_BYTES = 512 * 1024 * 1024;

/** Jobs that go before a job are counted no further: whoever reads it only wants to know that there are many. */
export const EXPLAIN_CAP = 1_000;

/** A week to look at what went well, a quarter to repair what did not. */
export const DEFAULT_RETENTION = {
  completedMs: 7 * 24 * 3_600_000,
  cancelledMs: 7 * 24 * 3_600_000,
  deadMs: 90 * 24 * 3_600_000,
} as const;

/** Last instant that every store, `Date` and RFC 3339 with a four-digit year can hold. */
export const MAX_INSTANT = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
