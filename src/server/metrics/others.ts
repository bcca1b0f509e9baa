import type { ScheduleTotal } from "../../store/stats.js";
import { labelText, type Exposition } from "./exposition.js";
import { HistogramSum } from "./histogram.js";
import type { MetricLabels } from "./labels.js";
import type { Reading } from "./reading.js";

/** All schedules that share a label. */
class ScheduleSum {
  enqueued = 0;
  skipped = 0;
  missed = 0;
  nextAt = Number.POSITIVE_INFINITY;

  add({ enqueued, skipped, missed, nextAt }: ScheduleTotal): void {
    this.enqueued += enqueued;
    this.skipped += skipped;
    this.missed += missed;
    this.nextAt = Math.min(this.nextAt, nextAt ?? Number.POSITIVE_INFINITY);
  }
}

/** What schedules did, and when they fire next. */
export function exposeSchedules(into: Exposition, reading: Reading, labels: MetricLabels): void {
  const schedules = [...sumSchedules(reading, labels)].map(([schedule, sum]) => ({
    text: labelText({ schedule }),
    sum,
  }));
  const RUNS = "konveier_schedule_runs_total";
  into.metric(RUNS, "counter", "What became of slots; a span of missed ones counts once.");
  for (const { text, sum } of schedules) {
    into.value(RUNS, `${text},result="enqueued"`, sum.enqueued);
    into.value(RUNS, `${text},result="skipped"`, sum.skipped);
    into.value(RUNS, `${text},result="missed"`, sum.missed);
  }
  const NEXT = "konveier_schedule_next_run_timestamp_seconds";
  into.metric(NEXT, "gauge", "When the schedule fires next; none while it is paused or has ended.");
  for (const { text, sum } of schedules) {
    if (Number.isFinite(sum.nextAt)) into.value(NEXT, text, sum.nextAt / 1_000);
  }
  const LAG = "konveier_schedule_lag_seconds";
  into.metric(LAG, "histogram", "From when a slot was due to when its job was made.");
  const lag = new HistogramSum();
  for (const { durations } of reading.totals) lag.add(durations.lag);
  lag.expose(into, LAG, "");
}

function sumSchedules({ schedules }: Reading, labels: MetricLabels): Map<string, ScheduleSum> {
  const sums = new Map<string, ScheduleSum>();
  for (const schedule of schedules) {
    const label = labels.schedule.of(schedule.key);
    const sum = sums.get(label) ?? new ScheduleSum();
    sums.set(label, sum);
    sum.add(schedule);
  }
  return sums;
}

/** Live workers, the files, and what the database has to tidy up. */
export function exposeSystem(into: Exposition, { workers, storage, upkeep }: Reading): void {
  into.metric("konveier_workers", "gauge", "Live workers, by state.");
  for (const state of ["active", "stopping"] as const) {
    const n = workers.filter((worker) => worker.state === state).length;
    into.value("konveier_workers", `state="${state}"`, n);
  }
  const SIZE = "konveier_storage_size_bytes";
  into.metric(SIZE, "gauge", "What the data takes on disk; the free list is a part of the database.");
  for (const { file, bytes } of storage) into.value(SIZE, `file="${file}"`, bytes);
  if (upkeep === null) return;
  const DEAD = "konveier_store_dead_rows";
  into.metric(
    DEAD,
    "gauge",
    "Row versions that nobody needs any more and no vacuum has removed yet; an estimate.",
  );
  into.value(DEAD, "", upkeep.deadRows);
  const OLDEST = "konveier_store_oldest_transaction_seconds";
  into.metric(
    OLDEST,
    "gauge",
    "Age of the oldest open transaction of the database that may be seen; 0 when none is.",
  );
  into.value(OLDEST, "", upkeep.oldestTransactionMs / 1_000);
}
