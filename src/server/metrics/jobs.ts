import { activityOf, type Activity } from "../../engine/statistics/activity.js";
import { STAT_EVENTS, type Figures, type StatEvent } from "../../store/stats.js";
import type { Exposition } from "./exposition.js";
import { HistogramSum } from "./histogram.js";
import type { LaneLabels, MetricLabels } from "./labels.js";
import type { Reading } from "./reading.js";

/** Figures of all queues and names that share their labels. */
class LaneSum {
  readonly #events = Object.fromEntries(STAT_EVENTS.map((event) => [event, 0])) as Record<StatEvent, number>;
  readonly run = new HistogramSum();

  add({ events, durations }: Figures): void {
    for (const event of STAT_EVENTS) this.#events[event] += events[event];
    this.run.add(durations.run);
  }

  activity(): Activity {
    return activityOf(this.#events);
  }
}

/** One series of a metric, in each lane. */
interface Count {
  readonly label: string;
  readonly of: (activity: Activity) => number;
}

const ENQUEUED: readonly Count[] = [{ label: "", of: ({ enqueued }) => enqueued }];
const STARTED: readonly Count[] = [{ label: "", of: ({ started }) => started }];

const OUTCOMES: readonly Count[] = [
  { label: ',outcome="succeeded"', of: ({ attempts }) => attempts.succeeded },
  { label: ',outcome="failed"', of: ({ attempts }) => attempts.failed },
  { label: ',outcome="timed_out"', of: ({ attempts }) => attempts.timedOut },
  { label: ',outcome="lost"', of: ({ attempts }) => attempts.lost },
  { label: ',outcome="released"', of: ({ attempts }) => attempts.released },
  { label: ',outcome="snoozed"', of: ({ attempts }) => attempts.snoozed },
  { label: ',outcome="cancelled"', of: ({ attempts }) => attempts.cancelled },
];

const FINAL_STATES: readonly Count[] = [
  { label: ',state="completed"', of: ({ jobs }) => jobs.completed },
  { label: ',state="dead"', of: ({ jobs }) => jobs.dead },
  { label: ',state="cancelled"', of: ({ jobs }) => jobs.cancelled },
];

/** What happened to jobs since the database was made. */
export function exposeJobs(into: Exposition, reading: Reading, labels: MetricLabels): void {
  const lanes = [...sumLanes(reading, labels)].map(([{ text }, sum]) => ({
    text,
    activity: sum.activity(),
    run: sum.run,
  }));
  const counter = (name: string, help: string, counts: readonly Count[]): void => {
    into.metric(name, "counter", help);
    for (const { text, activity } of lanes) {
      for (const { label, of } of counts) into.value(name, text + label, of(activity));
    }
  };
  counter("konveier_jobs_enqueued_total", "Jobs that were made.", ENQUEUED);
  counter("konveier_attempts_started_total", "Attempts that a worker has begun.", STARTED);
  counter("konveier_attempts_finished_total", "Attempts that have ended, by how.", OUTCOMES);
  counter(
    "konveier_jobs_finished_total",
    "Jobs that came to a final state; one that is retried by hand may come to it again.",
    FINAL_STATES,
  );
  const RUN = "konveier_job_run_seconds";
  into.metric(RUN, "histogram", "From the start of an attempt to its success or failure.");
  for (const { text, run } of lanes) run.expose(into, RUN, text);
}

function sumLanes({ totals, workers }: Reading, labels: MetricLabels): Map<LaneLabels, LaneSum> {
  const lanes = new Map<LaneLabels, LaneSum>();
  const find = (lane: LaneLabels): LaneSum => {
    let sum = lanes.get(lane);
    if (sum === undefined) {
      sum = new LaneSum();
      lanes.set(lane, sum);
    }
    return sum;
  };
  for (const total of totals) find(labels.lane(total.queue, total.name)).add(total);
  // What a worker is ready for has its series at 0 before the first job: a counter that is born with the
  // first dead letters never shows an increase.
  for (const { queues, names } of workers) {
    for (const queue of queues) {
      for (const name of names ?? []) {
        const lane = labels.laneWithoutJobs(queue, name);
        if (lane === null) return lanes;
        find(lane);
      }
    }
  }
  return lanes;
}
