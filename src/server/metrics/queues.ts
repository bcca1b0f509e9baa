import type { QueueLimits } from "../../core/queue-limits.js";
import { JOB_STATES } from "../../core/states.js";
import { labelText, type Exposition } from "./exposition.js";
import { HistogramSum } from "./histogram.js";
import { OTHER, type MetricLabels } from "./labels.js";
import type { Reading } from "./reading.js";

const STATES = JOB_STATES.map((state) => `,state="${state}"`);

/** Figures of all queues that share a label. */
class QueueSum {
  readonly counts = JOB_STATES.map(() => 0);
  oldestPendingAt = Number.POSITIVE_INFINITY;
  paused = false;
  workers = 0;
  expired = 0;
  /** By name. */
  limits = new Map<string, number>();
  readonly wait = new HistogramSum();
}

/** The state of queues, and how long their jobs waited. */
export function exposeQueues(into: Exposition, reading: Reading, labels: MetricLabels): void {
  const queues = [...sumQueues(reading, labels)].map(([queue, sum]) => ({ text: labelText({ queue }), sum }));
  const metric = (
    name: string,
    type: "counter" | "gauge",
    help: string,
    of: (sum: QueueSum) => number,
  ): void => {
    into.metric(name, type, help);
    for (const { text, sum } of queues) into.value(name, text, of(sum));
  };
  const JOBS = "konveier_queue_jobs";
  into.metric(
    JOBS,
    "gauge",
    "Jobs that are there now, by state; finished ones until retention removes them.",
  );
  for (const { text, sum } of queues) {
    for (const [index, state] of STATES.entries()) into.value(JOBS, text + state, sum.counts[index] ?? 0);
  }
  const LIMIT = "konveier_queue_limit";
  into.metric(LIMIT, "gauge", "Limits that the queue has: jobs, or starts in a second.");
  for (const { text, sum } of queues) {
    for (const [limit, value] of sum.limits) into.value(LIMIT, `${text},${labelText({ limit })}`, value);
  }
  metric(
    "konveier_queue_oldest_pending_age_seconds",
    "gauge",
    "Queue latency: for how long the job that waits longest could have been claimed; 0 when none waits.",
    ({ oldestPendingAt }) => Math.max(0, reading.now - oldestPendingAt) / 1_000,
  );
  metric("konveier_queue_paused", "gauge", "1 while the queue is paused.", ({ paused }) => (paused ? 1 : 0));
  metric("konveier_queue_workers", "gauge", "Live workers that serve the queue.", ({ workers }) => workers);
  metric(
    "konveier_leases_expired_total",
    "counter",
    "Attempts whose lease ended without a word from the worker.",
    ({ expired }) => expired,
  );
  const WAIT = "konveier_job_wait_seconds";
  into.metric(
    WAIT,
    "histogram",
    "From when a job could be claimed to the start of the attempt, first attempts and retries.",
  );
  for (const { text, sum } of queues) sum.wait.expose(into, WAIT, text);
}

function sumQueues({ queues, totals, workers }: Reading, labels: MetricLabels): Map<string, QueueSum> {
  const sums = new Map<string, QueueSum>();
  const find = (name: string): QueueSum => {
    const label = labels.queue.of(name);
    let sum = sums.get(label);
    if (sum === undefined) {
      sum = new QueueSum();
      sums.set(label, sum);
    }
    return sum;
  };
  for (const queue of queues) {
    const { name, counts, pausedAt, oldestPendingAt } = queue;
    const sum = find(name);
    // Of several queues together there is no limit.
    if (labels.queue.of(name) !== OTHER) sum.limits = limitsOf(queue);
    for (const [index, state] of JOB_STATES.entries()) {
      sum.counts[index] = (sum.counts[index] ?? 0) + counts[state];
    }
    sum.paused ||= pausedAt !== null;
    sum.oldestPendingAt = Math.min(sum.oldestPendingAt, oldestPendingAt ?? Number.POSITIVE_INFINITY);
  }
  for (const { queue, events, durations } of totals) {
    const sum = find(queue);
    sum.expired += events.lost;
    sum.wait.add(durations.wait);
  }
  for (const worker of workers) {
    // Of several queues that share a label, a worker counts once.
    for (const sum of new Set(worker.queues.map(find))) sum.workers += 1;
  }
  return sums;
}

function limitsOf({ concurrency, maxLength, rateLimit }: QueueLimits): Map<string, number> {
  const perSecond = rateLimit === null ? null : rateLimit.max / (rateLimit.perMs / 1_000);
  const all = { concurrency, max_length: maxLength, rate_per_second: perSecond };
  return new Map(Object.entries(all).flatMap(([limit, value]) => (value === null ? [] : [[limit, value]])));
}
