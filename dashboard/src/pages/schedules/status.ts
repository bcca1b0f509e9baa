import type { ScheduleView } from "../../api/types.js";

export const STATUSES = ["active", "paused", "stopped", "ended"] as const;

/**
 * What a schedule does.
 * - `stopped`: it cannot go on, and says why in `problem`
 * - `ended`: no run is left
 */
export type ScheduleStatus = (typeof STATUSES)[number];

export function statusOf(schedule: Pick<ScheduleView, "pausedAt" | "problem" | "nextRunAt">): ScheduleStatus {
  if (schedule.problem !== null) return "stopped";
  if (schedule.pausedAt !== null) return "paused";
  return schedule.nextRunAt === null ? "ended" : "active";
}
