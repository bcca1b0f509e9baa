/** How wide the points of a chart may be, in milliseconds. Each is a multiple of the one before. */
export const STAT_STEPS = {
  "1m": 60_000,
  "5m": 300_000,
  "15m": 900_000,
  "1h": 3_600_000,
  "6h": 6 * 3_600_000,
  "1d": 24 * 3_600_000,
} as const;
export type StatStepName = keyof typeof STAT_STEPS;

export const STAT_STEP_NAMES = Object.keys(STAT_STEPS) as StatStepName[];
