import type { RecordAges, Retention } from "../../store/maintenance.js";
import type { EngineContext } from "../context.js";
import { SESSION_MAX_MS } from "../access/sessions.js";
import { WORKER_TIMEOUT_MS } from "../worker-timeout.js";
import { Loop } from "./loop.js";

const INTERVAL_MS = 10_000;
/** Small, so that no write waits long behind it; as long as there is more, the next one follows at once. */
const BATCH = 500;
const DAY_MS = 24 * 3_600_000;
const RECORDS_KEPT: RecordAges = {
  // For charts of a month and a little more.
  minutes: 32 * DAY_MS,
  // For charts of a year and the year before.
  hours: 2 * 366 * DAY_MS,
  workers: WORKER_TIMEOUT_MS,
  sessions: SESSION_MAX_MS,
  operations: 90 * DAY_MS,
  audit: 366 * DAY_MS,
};
const RECORDS_INTERVAL_MS = 600_000;
/** Of the events that can be read again; see `docs/events.md`. */
const EVENTS_KEPT_MS = 600_000;
const EVENTS_KEPT = 50_000;

/** Removes finished jobs that retention no longer covers, and old records and events. */
export function createPruner(context: EngineContext, retention: Retention): Loop {
  const { store, clock, health } = context;
  let recordsDueAt = clock.monotonic();
  return new Loop(
    clock,
    async () => {
      const pruned = await store.maintenance.prune(retention, BATCH);
      const forgotten = await store.events.prune(EVENTS_KEPT_MS, EVENTS_KEPT, BATCH);
      if (clock.monotonic() >= recordsDueAt) {
        await store.maintenance.pruneRecords(RECORDS_KEPT);
        recordsDueAt = clock.monotonic() + RECORDS_INTERVAL_MS;
        health.wrote();
      }
      return pruned === BATCH || forgotten === BATCH ? 0 : INTERVAL_MS;
    },
    (error) => {
      health.failed(error, "the pruner");
      return INTERVAL_MS;
    },
  );
}
