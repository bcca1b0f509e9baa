import type { Instant } from "../../core/job.js";
import type { Schedule } from "../../core/schedule.js";
import type { NewJobOfSlot } from "../../store/schedules.js";

/** The job of one slot. */
export function jobOfSlot({ key, job }: Schedule, slot: Instant): NewJobOfSlot {
  return {
    slot,
    job: {
      ...job,
      runAt: null,
      delayMs: 0,
      expiresAt: null,
      idempotency: null,
      schedule: { key, slot },
      trace: null,
    },
  };
}
