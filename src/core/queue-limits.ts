/** What new jobs of a full queue meet: they are refused, or the oldest pending ones are cancelled for them. */
export const ON_FULL = ["refuse", "drop-oldest"] as const;
export type OnFull = (typeof ON_FULL)[number];

export interface QueueLimits {
  /** Jobs that may wait: blocked, scheduled and pending ones. `null`: any number. */
  readonly maxLength: number | null;
  readonly onFull: OnFull;
}
