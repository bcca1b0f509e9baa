/** How long finished jobs are kept, and how many. `null` means without limit. */
export interface Retention {
  readonly completedMs: number | null;
  readonly cancelledMs: number | null;
  readonly deadMs: number | null;
  /** Completed jobs kept at the most; the oldest go first. */
  readonly maxCompleted: number | null;
}

/** How old records may become that belong to no job, in milliseconds. */
export interface RecordAges {
  /** Of minute roll-ups. */
  readonly minutes: number;
  /** Of hour roll-ups. */
  readonly hours: number;
  /** Since a worker was seen. */
  readonly workers: number;
  /** Since a session was opened. */
  readonly sessions: number;
  /** Since a bulk operation was over. */
  readonly operations: number;
  /** Of entries of the audit log. */
  readonly audit: number;
}

export interface MaintenanceStore {
  /** Removes up to `limit` finished jobs that retention no longer covers. @returns how many there were */
  prune(retention: Retention, limit: number): Promise<number>;
  /** Removes records that are older. Lifetime totals and tokens stay. */
  pruneRecords(ages: RecordAges): Promise<void>;
}
