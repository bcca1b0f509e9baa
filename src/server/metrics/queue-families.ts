import { JOB_STATES } from "../../core/states.js";
import { sample, type Family, type Sample } from "./family.js";
import { HistogramSum } from "./histogram.js";
import type { MetricLabels } from "./labels.js";
import type { Reading } from "./reading.js";

const STATE_LABELS = JOB_STATES.map((state) => ({ state }));

/** Figures of all queues that share a label. */
class QueueSum {
  readonly counts = JOB_STATES.map(() => 0);
  oldestPendingAt = Number.POSITIVE_INFINITY;
  paused = false;
  workers = 0;
  expired = 0;
  readonly wait = new HistogramSum();
}

/** The state of queues, and how long their jobs waited. */
export function queueFamilies(reading: Reading, labels: MetricLabels): Family[] {
  const queues = [...sumQueues(reading, labels)].map(([queue, sum]) => ({ shared: { queue }, sum }));
  const each = (samplesOf: (sum: QueueSum, shared: { queue: string }) => Sample[]): Sample[] =>
    queues.flatMap(({ shared, sum }) => samplesOf(sum, shared));
  const WAIT = "konveier_job_wait_seconds";
  return [
    {
      name: "konveier_queue_jobs",
      help: "Jobs that are there now, by state; finished ones until retention removes them.",
      type: "gauge",
      values: each(({ counts }, shared) =>
        STATE_LABELS.map((state, index) => sample(counts[index] ?? 0, shared, state)),
      ),
    },
    {
      name: "konveier_queue_oldest_pending_age_seconds",
      help: "Queue latency: for how long the job that waits longest could have been claimed; 0 when none waits.",
      type: "gauge",
      values: each(({ oldestPendingAt }, shared) => [
        sample(Math.max(0, reading.now - oldestPendingAt) / 1_000, shared),
      ]),
    },
    {
      name: "konveier_queue_paused",
      help: "1 while the queue is paused.",
      type: "gauge",
      values: each(({ paused }, shared) => [sample(paused ? 1 : 0, shared)]),
    },
    {
      name: "konveier_queue_workers",
      help: "Live workers that serve the queue.",
      type: "gauge",
      values: each(({ workers }, shared) => [sample(workers, shared)]),
    },
    {
      name: WAIT,
      help: "From when a job could be claimed to the start of the attempt, first attempts and retries.",
      type: "histogram",
      values: each(({ wait }, shared) => wait.samples(WAIT, shared)),
    },
    {
      name: "konveier_leases_expired_total",
      help: "Attempts whose lease ended without a word from the worker.",
      type: "counter",
      values: each(({ expired }, shared) => [sample(expired, shared)]),
    },
  ];
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
  for (const { name, counts, pausedAt, oldestPendingAt } of queues) {
    const sum = find(name);
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
