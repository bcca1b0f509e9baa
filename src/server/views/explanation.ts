import type { ExplanationView } from "../../api/explanation.js";
import { formatInstant } from "../../core/instant.js";
import type { Explanation } from "../../engine/explain.js";
import { instantOrNull } from "./job.js";

export function explanationView(explanation: Explanation): ExplanationView {
  const { state, detail } = explanation;
  const expiresAt = instantOrNull(explanation.expiresAt);
  switch (explanation.reason) {
    case "running": {
      const { workerId, since, leaseUntil } = explanation.facts;
      const facts = { workerId, since: formatInstant(since), leaseUntil: formatInstant(leaseUntil) };
      return { state, reason: explanation.reason, detail, facts, expiresAt };
    }
    case "finished": {
      const { since, cancelled } = explanation.facts;
      const facts = { since: formatInstant(since), cancelled };
      return { state, reason: explanation.reason, detail, facts, expiresAt };
    }
    case "blocked": {
      const { since, open, dependencies, stuck } = explanation.facts;
      return {
        state,
        reason: explanation.reason,
        detail,
        facts: { since: formatInstant(since), open, dependencies: [...dependencies], stuck },
        expiresAt,
      };
    }
    case "scheduled": {
      const { until, cause, attempt, maxAttempts } = explanation.facts;
      const facts = { until: formatInstant(until), cause, attempt, maxAttempts };
      return { state, reason: explanation.reason, detail, facts, expiresAt };
    }
    case "queue_paused": {
      const { since, pauseReason } = explanation.facts;
      return {
        state,
        reason: explanation.reason,
        detail,
        facts: { since: formatInstant(since), pauseReason },
        expiresAt,
      };
    }
    case "limited": {
      const { limit, key, until, max, perMs } = explanation.facts;
      return {
        state,
        reason: explanation.reason,
        detail,
        facts: { limit, key, until: instantOrNull(until), max, perMs },
        expiresAt,
      };
    }
    case "no_worker":
    case "workers_busy":
    case "waiting_turn":
      // Counts and names, which travel as they are.
      return { ...explanation, expiresAt };
  }
}
