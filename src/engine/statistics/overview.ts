import type { Instant } from "../../core/job.js";
import { STAT_EVENTS, STEP_MS, type Figures } from "../../store/stats.js";
import type { Queue } from "../../store/queues.js";
import type { EngineContext } from "../context.js";
import { activityOf, type Activity } from "./activity.js";

export interface Overview {
  readonly now: Instant;
  /** Since when `recent` counts: an hour ago, taken down to the minute. */
  readonly since: Instant;
  readonly queues: readonly { readonly queue: Queue; readonly recent: Activity }[];
}

/** Every queue as it is, and what happened in it in the last hour. */
export async function overview({ store }: EngineContext): Promise<Overview> {
  const now = store.now();
  const since = Math.floor((now - STEP_MS.hour) / STEP_MS.minute) * STEP_MS.minute;
  const filter = { from: since, to: now + 1, step: "minute", widthMs: STEP_MS.hour } as const;
  const [queues, points] = await Promise.all([store.queues.list(), store.stats.series(filter, "queues")]);
  const events = new Map<string | null, Figures["events"]>();
  for (const point of points) {
    // An hour back lies in two hours of the clock.
    const before = events.get(point.queue);
    events.set(point.queue, before === undefined ? point.events : added(before, point.events));
  }
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

function added(a: Figures["events"], b: Figures["events"]): Figures["events"] {
  return Object.fromEntries(
    STAT_EVENTS.map((event) => [event, a[event] + b[event]]),
  ) as unknown as Figures["events"];
}

function zeroes(): Figures["events"] {
  return Object.fromEntries(STAT_EVENTS.map((event) => [event, 0])) as unknown as Figures["events"];
}
