import { activityOf, type Activity } from "../../engine/statistics/activity.js";
import { STAT_EVENTS, type Figures, type StatEvent } from "../../store/stats.js";
import { sample, type Family } from "./family.js";
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

const OUTCOMES = [
  { labels: { outcome: "succeeded" }, of: ({ attempts }: Activity) => attempts.succeeded },
  { labels: { outcome: "failed" }, of: ({ attempts }: Activity) => attempts.failed },
  { labels: { outcome: "timed_out" }, of: ({ attempts }: Activity) => attempts.timedOut },
  { labels: { outcome: "lost" }, of: ({ attempts }: Activity) => attempts.lost },
  { labels: { outcome: "released" }, of: ({ attempts }: Activity) => attempts.released },
  { labels: { outcome: "snoozed" }, of: ({ attempts }: Activity) => attempts.snoozed },
  { labels: { outcome: "cancelled" }, of: ({ attempts }: Activity) => attempts.cancelled },
] as const;

const FINAL_STATES = [
  { labels: { state: "completed" }, of: ({ jobs }: Activity) => jobs.completed },
  { labels: { state: "dead" }, of: ({ jobs }: Activity) => jobs.dead },
  { labels: { state: "cancelled" }, of: ({ jobs }: Activity) => jobs.cancelled },
] as const;

const RUN = "konveier_job_run_seconds";

/** One series for each lane and way of counting. */
interface Count {
  readonly labels: Readonly<Record<string, string>>;
  readonly of: (activity: Activity) => number;
}

/** What happened to jobs since the database was made. */
export function jobFamilies(reading: Reading, labels: MetricLabels): Family[] {
  const lanes = [...sumLanes(reading, labels)].map(([shared, sum]) => ({
    shared,
    activity: sum.activity(),
    run: sum.run,
  }));
  const counter = (name: string, help: string, counts: readonly Count[]): Family => ({
    name,
    help,
    type: "counter",
    values: lanes.flatMap(({ shared, activity }) =>
      counts.map((count) => sample(count.of(activity), shared, count.labels)),
    ),
  });
  return [
    counter("konveier_jobs_enqueued_total", "Jobs that were made.", [
      { labels: {}, of: ({ enqueued }) => enqueued },
    ]),
    counter("konveier_attempts_started_total", "Attempts that a worker has begun.", [
      { labels: {}, of: ({ started }) => started },
    ]),
    counter("konveier_attempts_finished_total", "Attempts that have ended, by how.", OUTCOMES),
    counter(
      "konveier_jobs_finished_total",
      "Jobs that came to a final state; one that is retried by hand may come to it again.",
      FINAL_STATES,
    ),
    {
      name: RUN,
      help: "From the start of an attempt to its success or failure.",
      type: "histogram",
      values: lanes.flatMap(({ shared, run }) => run.samples(RUN, shared)),
    },
  ];
}

function sumLanes({ totals, workers }: Reading, labels: MetricLabels): Map<LaneLabels, LaneSum> {
  const lanes = new Map<LaneLabels, LaneSum>();
  const find = (shared: LaneLabels): LaneSum => {
    let lane = lanes.get(shared);
    if (lane === undefined) {
      lane = new LaneSum();
      lanes.set(shared, lane);
    }
    return lane;
  };
  for (const total of totals) find(labels.lane(total.queue, total.name)).add(total);
  // What a worker is ready for has its series at 0 before the first job: a counter that is born with the
  // first dead letters never shows an increase.
  for (const { queues, names } of workers) {
    for (const queue of queues) {
      for (const name of names ?? []) {
        const shared = labels.optionalLane(queue, name);
        if (shared !== null) find(shared);
      }
    }
  }
  return lanes;
}
