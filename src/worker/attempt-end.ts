import type { Run } from "../core/run.js";
import { lostEnd, type AttemptEnd } from "../core/tracing.js";
import type { Settlement } from "../store/claims.js";

/** How an attempt ended, for its trace. */
export function attemptEnd(run: Run, settlement: Settlement | null): AttemptEnd {
  switch (settlement?.verb) {
    case undefined:
      return lostEnd(run.lost);
    case "complete":
      return { outcome: "completed", errorType: null };
    case "release":
      return { outcome: "released", errorType: null };
    case "snooze":
    case "wait":
      return { outcome: "snoozed", errorType: null };
    case "retry":
    case "bury": {
      const { outcome, error } = settlement.failure;
      return { outcome, errorType: error.type };
    }
  }
}
