/**
 * From where on something is wrong. Where `deploy/prometheus/rules.yml` has an alert for it, that has the same
 * figure, so that the dashboard and the alerts agree. Alerts also wait (`for`), findings do not.
 */
export const THRESHOLDS = {
  /** `KonveierQueueStuck`: age of the oldest pending job. */
  stalledMs: 300_000,
  /** `KonveierQueueHasNoWorkers`: for so long workers that start anew may be away. */
  withoutWorkerMs: 120_000,
  /** `KonveierPausedTooLong` */
  pausedTooLongMs: 24 * 3_600_000,
  /** `KonveierFailureRatio`: share of the attempts. */
  failureRatio: 0.5,
  /** `KonveierLeasesLost`: leases of a queue that ended in the last 15 minutes. */
  leasesLost: 5,
  /** `KonveierScheduleOverdue` */
  overdueMs: 300_000,
  /** `KonveierWalGrowing` */
  walBytes: 1e9,
  /** Fewer attempts say little about the next ones. No alert has this. */
  attempts: 10,
} as const;

/** How far back failures and lost leases count. */
export const RECENT_MS = 900_000;
