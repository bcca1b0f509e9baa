import { Type, type Static, type TProperties } from "typebox";
import { BULK_ACTIONS, type BulkAction } from "../core/bulk-action.js";
import { Instant, Nullable } from "./fields.js";

const Count = Type.Integer();
const Text = Type.String();

function finding<const Code extends string, Details extends TProperties>(
  code: Code,
  title: string,
  details: Details,
) {
  return Type.Object(
    {
      code: Type.Literal(code),
      /** `critical`: somebody should look now; `warning`: today; `info`: good to know. */
      severity: Type.Enum(["critical", "warning", "info"]),
      /** Since when it is so; `null` when that is not known. */
      since: Nullable.Instant,
      /** A sentence in English. */
      detail: Text,
      ...details,
    },
    { title },
  );
}

/** What the figures of each code mean is in `docs/findings.md`. */
const FindingView = Type.Union(
  [
    finding("disk_low", "DiskLowFinding", { freeBytes: Count, totalBytes: Count }),
    finding("no_worker", "NoWorkerFinding", { queue: Text, name: Nullable.Text, count: Count }),
    finding("queue_stalled", "QueueStalledFinding", { queue: Text, count: Count, ageMs: Count }),
    finding("schedule_overdue", "ScheduleOverdueFinding", { schedule: Text, queue: Text, overdueMs: Count }),
    finding("schedule_problem", "ScheduleProblemFinding", { schedule: Text, queue: Text, problem: Text }),
    finding("failing", "FailingFinding", { queue: Text, name: Text, attempts: Count, failed: Count }),
    finding("dead_recently", "DeadRecentlyFinding", {
      queue: Text,
      name: Text,
      count: Count,
      perHourBefore: Type.Number(),
    }),
    finding("leases_lost", "LeasesLostFinding", { queue: Text, count: Count }),
    finding("worker_silent", "WorkerSilentFinding", {
      worker: Text,
      host: Text,
      running: Count,
      silentMs: Count,
    }),
    finding("wal_large", "WalLargeFinding", { bytes: Count }),
    finding("queue_paused_with_backlog", "QueuePausedFinding", {
      queue: Text,
      count: Count,
      reason: Nullable.Text,
    }),
    finding("operation_running", "OperationRunningFinding", {
      operation: Text,
      action: Type.Enum(Object.keys(BULK_ACTIONS) as BulkAction[]),
      changed: Count,
      matched: Count,
    }),
  ],
  { title: "Finding", discriminator: { propertyName: "code" } },
);
export type FindingView = Static<typeof FindingView>;

export const FindingsView = Type.Object({
  at: Instant,
  /** The most severe first; 20 of a code at the most. */
  items: Type.Array(FindingView),
  /** Whether some were left out. */
  more: Type.Boolean(),
});
export type FindingsView = Static<typeof FindingsView>;
