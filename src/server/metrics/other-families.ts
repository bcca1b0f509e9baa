import type { ScheduleTotal } from "../../store/stats.js";
import { sample, type Family } from "./family.js";
import { HistogramSum } from "./histogram.js";
import type { MetricLabels } from "./labels.js";
import type { Reading } from "./reading.js";

const RESULTS = [
  { result: "enqueued", of: ({ enqueued }: ScheduleTotal) => enqueued },
  { result: "skipped", of: ({ skipped }: ScheduleTotal) => skipped },
  { result: "missed", of: ({ missed }: ScheduleTotal) => missed },
] as const;

/** What schedules did, and when they fire next. */
export function scheduleFamilies({ schedules, totals }: Reading, labels: MetricLabels): Family[] {
  const groups = new Map<string, ScheduleTotal[]>();
  for (const schedule of schedules) {
    const label = labels.schedule.of(schedule.key);
    groups.set(label, [...(groups.get(label) ?? []), schedule]);
  }
  const lag = new HistogramSum();
  for (const { durations } of totals) lag.add(durations.lag);
  const LAG = "konveier_schedule_lag_seconds";
  return [
    {
      name: "konveier_schedule_runs_total",
      help: "What became of slots; spans of missed ones count once.",
      type: "counter",
      values: [...groups].flatMap(([schedule, group]) =>
        RESULTS.map(({ result, of }) =>
          sample(
            group.reduce((sum, each) => sum + of(each), 0),
            { schedule },
            { result },
          ),
        ),
      ),
    },
    {
      name: LAG,
      help: "From when a slot was due to when its job was made.",
      type: "histogram",
      values: lag.samples(LAG, {}),
    },
    {
      name: "konveier_schedule_next_run_timestamp_seconds",
      help: "When the schedule fires next; none while it is paused or has ended.",
      type: "gauge",
      values: [...groups].flatMap(([schedule, group]) => {
        const nextAt = Math.min(...group.map((each) => each.nextAt ?? Number.POSITIVE_INFINITY));
        return Number.isFinite(nextAt) ? [sample(nextAt / 1_000, { schedule })] : [];
      }),
    },
  ];
}

/** Live workers, and the files. */
export function systemFamilies({ workers, storage }: Reading): Family[] {
  return [
    {
      name: "konveier_workers",
      help: "Live workers, by state.",
      type: "gauge",
      values: (["active", "stopping"] as const).map((state) =>
        sample(workers.filter((worker) => worker.state === state).length, { state }),
      ),
    },
    {
      name: "konveier_storage_size_bytes",
      help: "What the data takes on disk; the free list is a part of the database.",
      type: "gauge",
      values: storage.map(({ file, bytes }) => sample(bytes, { file })),
    },
  ];
}
