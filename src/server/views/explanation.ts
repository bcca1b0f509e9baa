import type { ExplanationView } from "../../api/explanation.js";
import { formatInstant } from "../../core/instant.js";
import { instantOrNull } from "./job.js";
import type { Explanation } from "../../engine/explain.js";

export function explanationView(explanation: Explanation): ExplanationView {
  const { state, detail } = explanation;
  switch (explanation.reason) {
    case "running": {
      const { workerId, since, leaseUntil } = explanation.facts;
      const facts = { workerId, since: formatInstant(since), leaseUntil: formatInstant(leaseUntil) };
      return { state, reason: explanation.reason, detail, facts };
    }
    case "finished":
    case "blocked":
      return {
        state,
        reason: explanation.reason,
        detail,
        facts: { since: formatInstant(explanation.facts.since) },
      };
    case "scheduled": {
      const { until, cause, attempt, maxAttempts } = explanation.facts;
      const facts = { until: formatInstant(until), cause, attempt, maxAttempts };
      return { state, reason: explanation.reason, detail, facts };
    }
    case "queue_paused": {
      const { since, pauseReason } = explanation.facts;
      return {
        state,
        reason: explanation.reason,
        detail,
        facts: { since: formatInstant(since), pauseReason },
      };
    }
    case "limited": {
      const { limit, key, until, max } = explanation.facts;
      return {
        state,
        reason: explanation.reason,
        detail,
        facts: { limit, key, until: instantOrNull(until), max },
      };
    }
    case "no_worker":
    case "workers_busy":
    case "waiting_turn":
      // Counts and names, which travel as they are.
      return explanation;
  }
}
