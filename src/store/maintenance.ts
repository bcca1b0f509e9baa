/** How long finished jobs are kept, and how many. `null` means without limit. */
export interface Retention {
  readonly completedMs: number | null;
  readonly cancelledMs: number | null;
  readonly deadMs: number | null;
  /** Completed jobs kept at the most; the oldest go first. */
  readonly maxCompleted: number | null;
}

export interface MaintenanceStore {
  /** Removes up to `limit` finished jobs that retention no longer covers. @returns how many there were */
  prune(retention: Retention, limit: number): Promise<number>;
  /** Removes roll-ups and workers not seen for longer than `olderThanMs`. */
  pruneRecords(olderThanMs: { readonly stats: number; readonly workers: number }): Promise<void>;
}
