import type { RecordAges } from "../../src/store/maintenance.js";

const YEAR_MS = 366 * 24 * 3_600_000;

/** Nothing is as old as this, so a test names only the ages that it is about. */
export const RECORD_AGES: RecordAges = {
  minutes: YEAR_MS,
  hours: YEAR_MS,
  workers: YEAR_MS,
  sessions: YEAR_MS,
  operations: YEAR_MS,
  audit: YEAR_MS,
};
