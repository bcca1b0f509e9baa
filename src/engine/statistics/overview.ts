import type { Instant } from "../../core/job.js";
import { STAT_EVENTS, STEP_MS, type Figures } from "../../store/stats.js";
import type { Queue } from "../../store/queues.js";
import type { Store } from "../../store/store.js";
import { activityOf, type Activity } from "./activity.js";
import type { RollUps } from "./roll-ups.js";

export interface Overview {
  readonly now: Instant;
  /** Since when `recent` counts: the minute that has begun and the 59 before it. */
  readonly since: Instant;
  readonly queues: readonly { readonly queue: Queue; readonly recent: Activity }[];
}

/** Every queue as it is, and what happened in it in the last hour. */
export async function overview(store: Store, rollUps: RollUps): Promise<Overview> {
  const now = store.now();
  const since = Math.ceil((now + 1) / STEP_MS.minute) * STEP_MS.minute - STEP_MS.hour;
  const lastHour = { from: since, to: now + 1, step: "minute", kinds: [] } as const;
  const [queues, sums] = await Promise.all([store.queues.list(), rollUps.sums(lastHour, "queues")]);
  const events = new Map(sums.map((sum) => [sum.queue, sum.events]));
  const nothing = activityOf(zeroes());
  return {
    now,
    since,
    queues: queues.map((queue) => {
      const happened = events.get(queue.name);
      return { queue, recent: happened === undefined ? nothing : activityOf(happened) };
    }),
  };
}

function zeroes(): Figures["events"] {
  return Object.fromEntries(STAT_EVENTS.map((event) => [event, 0])) as unknown as Figures["events"];
}
