import { expect } from "vitest";
import type { Job } from "../../src/core/job.js";
import { isFinished, JOB_STATES, type JobState } from "../../src/core/states.js";
import type { JobCursor, JobFilter } from "../../src/store/jobs.js";
import type { Store } from "../../src/store/store.js";

/** Walks all pages of a list. */
export async function allJobs(store: Store, filter: JobFilter = {}, limit = 500): Promise<Job[]> {
  const jobs: Job[] = [];
  let cursor: JobCursor | null = null;
  do {
    const page = await store.jobs.list(filter, limit, cursor);
    jobs.push(...page.items);
    cursor = page.next;
  } while (cursor !== null);
  return jobs;
}

/** Checks that the kept counters are what counting the jobs gives, and that no job is in an impossible state. */
export async function checkBooks(store: Store): Promise<void> {
  const jobs = await allJobs(store);
  for (const job of jobs) checkJob(job);

  const queues = await store.queues.list();
  const counted = new Map(queues.map(({ name }) => [name, noJobs()]));
  for (const { queue, state } of jobs) {
    const counts = counted.get(queue);
    if (counts === undefined) throw new Error(`Queue ${queue} has jobs and is not listed`);
    counts[state] += 1;
  }
  expect(new Map(queues.map(({ name, counts }) => [name, counts]))).toEqual(counted);

  await checkAttempts(store, jobs);

  const pending = new Map<string, number>();
  for (const { queue, name, state } of jobs) {
    if (state === "pending") pending.set(`${queue} ${name}`, (pending.get(`${queue} ${name}`) ?? 0) + 1);
  }
  const kept = await store.queues.pendingNames();
  expect(new Map(kept.map((entry) => [`${entry.queue} ${entry.name}`, entry.pending]))).toEqual(pending);

  for (const { name, oldestPendingAt } of queues) {
    const waiting = jobs.filter(({ queue, state }) => queue === name && state === "pending");
    const oldest = waiting.length === 0 ? null : Math.min(...waiting.map(({ runAt }) => runAt));
    expect(oldestPendingAt).toBe(oldest);
  }
}

/** Every attempt that was started still runs, or was counted once as ended. */
async function checkAttempts(store: Store, jobs: readonly Job[]): Promise<void> {
  for (const { queue, name, events } of await store.stats.totals()) {
    const running = jobs.filter((job) => job.queue === queue && job.name === name && job.state === "running");
    const { completed, failed, released, snoozed, aborted } = events;
    const ended = completed + failed + released + snoozed + aborted;
    expect(events.started, `attempts of ${queue} ${name}`).toBe(ended + running.length);
    expect(failed, `failures of ${queue} ${name}`).toBeGreaterThanOrEqual(events.timed_out + events.lost);
  }
}

function noJobs(): Record<JobState, number> {
  return Object.fromEntries(JOB_STATES.map((state) => [state, 0])) as Record<JobState, number>;
}

/** What must hold for a job in every state. */
function checkJob(job: Job): void {
  const where = `job ${job.id} (${job.state})`;
  expect(JOB_STATES, where).toContain(job.state);
  expect(job.attempt, where).toBeGreaterThanOrEqual(0);
  expect(job.attempt, where).toBeLessThanOrEqual(job.maxAttempts);
  expect(job.finishedAt !== null, `${where}: finishedAt`).toBe(isFinished(job.state));
  expect(job.leaseExpiresAt !== null, `${where}: leaseExpiresAt`).toBe(job.state === "running");
  if (job.state !== "running" && job.state !== "completed") return;
  expect(job.attempt, where).toBeGreaterThan(0);
  expect(job.token, `${where}: token`).not.toBeNull();
  expect(job.workerId, `${where}: workerId`).not.toBeNull();
  expect(job.startedAt, `${where}: startedAt`).not.toBeNull();
}
