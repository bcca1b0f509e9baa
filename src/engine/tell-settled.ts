import type { ClaimedJob } from "../core/job.js";
import type { JobFact } from "../core/events.js";
import type { Settlement } from "../store/claims.js";
import type { EngineContext } from "./context.js";

export type SettledJob = Pick<ClaimedJob, "queue" | "name" | "attempt" | "startedAt">;

/** Says what a settlement did, once the store has kept it. */
export function tellSettled(
  { events, store }: EngineContext,
  { queue, name, attempt, startedAt }: SettledJob,
  workerId: string,
  settlement: Settlement,
): void {
  const { id, token } = settlement;
  if (settlement.verb === "complete") {
    if (!events.wants("job.completed")) return;
    const durationMs = Math.max(0, store.now() - startedAt);
    const { resultProblem } = settlement;
    // Written out: copying the fact took longer than everything else that follows a completion.
    events.emit("job.completed", {
      id,
      token,
      queue,
      name,
      attempt,
      workerId,
      durationMs,
      resultProblem,
    });
    return;
  }
  const fact: JobFact = { id, token, queue, name, attempt, workerId };
  switch (settlement.verb) {
    case "retry": {
      const { delayMs, failure } = settlement;
      if (failure.outcome === "lost") events.emit("job.lost", { ...fact, next: "retrying" });
      else events.emit("job.retrying", { ...fact, delayMs, error: failure.error });
      break;
    }
    case "bury":
      if (settlement.failure.outcome === "lost") events.emit("job.lost", { ...fact, next: "dead" });
      events.emit("job.dead", { ...fact, error: settlement.failure.error });
      break;
    case "release":
      events.emit("job.released", fact);
      break;
    case "snooze":
      events.emit("job.snoozed", { ...fact, delayMs: settlement.delayMs });
      break;
    case "wait":
      events.emit("job.waiting", { ...fact, refs: settlement.refs });
      break;
  }
}
