import { expect } from "vitest";
import { kindOfError } from "../../src/core/error-fingerprint.js";
import { flowStateOf } from "../../src/core/flow.js";
import type { Job } from "../../src/core/job.js";
import { isFinished, JOB_STATES, type JobState } from "../../src/core/states.js";
import type { DeadGroup } from "../../src/store/dead.js";
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
  await checkFlows(store);
  await checkDeadGroups(store);

  const pending = new Map<string, number>();
  for (const { queue, name, state } of jobs) {
    if (state === "pending") pending.set(`${queue} ${name}`, (pending.get(`${queue} ${name}`) ?? 0) + 1);
  }
  const kept = await store.queues.pendingNames();
  expect(new Map(kept.map((entry) => [`${entry.queue} ${entry.name}`, entry.pending]))).toEqual(pending);

  for (const { name, oldestPendingAt } of queues) {
    const waiting = jobs.filter(({ queue, state }) => queue === name && state === "pending");
    const oldest = waiting.reduce<number | null>((least, { runAt }) => Math.min(least ?? runAt, runAt), null);
    expect(oldestPendingAt).toBe(oldest);
  }
}

/** Checks that the kept groups of dead jobs are what looking at each dead job gives. @returns how many there are */
export async function checkDeadGroups(store: Store): Promise<number> {
  const recounted = new Map<string, DeadGroup>();
  // The one that died last comes first.
  for (const { id, queue, name, finishedAt } of await allJobs(store, { state: "dead" })) {
    const { lastError, fingerprint } = (await store.jobs.detail(id)) ?? {};
    const kind = kindOfError(lastError ?? null);
    expect(fingerprint, `fingerprint of job ${id}`).toBe(kind.fingerprint);
    const at = finishedAt ?? 0;
    const key = `${queue} ${name} ${kind.fingerprint}`;
    const group = recounted.get(key) ?? { ...kind, queue, name, count: 0, lastAt: at, latestJobId: id };
    recounted.set(key, { ...group, count: group.count + 1, firstAt: at });
  }
  const kept = await store.dead.groups({}, null, "count", Number.MAX_SAFE_INTEGER);
  expect(new Map(kept.map((group) => [`${group.queue} ${group.name} ${group.fingerprint}`, group]))).toEqual(
    recounted,
  );
  return kept.length;
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

/** Checks that the kept counts of flows are what counting gives, and that nobody waits for what has ended. */
async function checkFlows(store: Store): Promise<void> {
  const { items } = await store.flows.list({}, Number.MAX_SAFE_INTEGER - 1, null);
  for (const { id, state, counts, finishedAt } of items) {
    const jobs = (await store.flows.jobs(id, Number.MAX_SAFE_INTEGER - 1, null))?.items ?? [];
    const count = (wanted: JobState): number => jobs.filter((job) => job.state === wanted).length;
    const recounted = {
      jobs: jobs.length,
      completed: count("completed"),
      dead: count("dead"),
      cancelled: count("cancelled"),
    };
    expect(counts, `counts of flow ${id}`).toEqual(recounted);
    expect(state, `state of flow ${id}`).toBe(flowStateOf(recounted));
    expect(finishedAt === null, `end of flow ${id}`).toBe(state === "running");
    for (const job of jobs) {
      if (job.state !== "blocked" || job.dependencies > job.dependsOn.length) continue;
      const open = job.dependsOn.filter(({ resolved }) => !resolved);
      expect(open.length, `what job ${job.id} waits for`).toBeGreaterThan(0);
    }
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
