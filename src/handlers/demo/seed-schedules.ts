import type { EngineContext } from "../../engine/context.js";
import { pauseSchedule } from "../../engine/schedules/by-hand.js";
import { putSchedule } from "../../engine/schedules/put.js";
import type { ScheduleRequest } from "../../engine/schedules/request.js";
import { emailRequest, imageRequest } from "./requests.js";

/** Several rhythms, so that there is one to watch, one with a time zone, and one that waits for its job. */
const SCHEDULES: Readonly<Record<string, ScheduleRequest>> = {
  "email.digest": {
    cron: "*/2 * * * *",
    job: emailRequest(1, "weekly-digest", {}),
  },
  "report.weekly": {
    cron: "30 8 * * MON",
    timezone: "Europe/Berlin",
    job: emailRequest(2, "weekly-digest", {}),
  },
  "images.nightly": {
    cron: "0 3 * * *",
    timezone: "America/New_York",
    overlap: "queue",
    missed: "skip",
    job: imageRequest(3, {}),
  },
  "newsletter.monthly": {
    cron: "0 10 1 * *",
    job: { ...emailRequest(4, "welcome", {}), queue: "newsletter" },
  },
};

/** Writes the schedules of the demo; the last one is paused. */
export async function seedSchedules(context: EngineContext): Promise<void> {
  for (const [key, request] of Object.entries(SCHEDULES)) await putSchedule(context, key, request, "api");
  await pauseSchedule(context, "newsletter.monthly", "Waits for the final text");
}
