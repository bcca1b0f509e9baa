import type { ClaimedJob } from "../core/job.js";
import type { JobFact } from "../core/events.js";
import type { Settlement } from "../store/claims.js";
import type { EngineContext } from "./context.js";

export type SettledJob = Pick<ClaimedJob, "queue" | "name" | "attempt" | "startedAt"> & {
  readonly workerId: string;
};

/** Says what a settlement did, once the store has kept it. */
export function tellSettled({ events, store }: EngineContext, job: SettledJob, settlement: Settlement): void {
  if (settlement.verb === "complete" && !events.wants("job.completed")) return;
  const fact: JobFact = {
    id: settlement.id,
    token: settlement.token,
    queue: job.queue,
    name: job.name,
    attempt: job.attempt,
    workerId: job.workerId,
  };
  switch (settlement.verb) {
    case "complete": {
      const { resultProblem } = settlement;
      events.emit("job.completed", {
        ...fact,
        durationMs: Math.max(0, store.now() - job.startedAt),
        resultProblem,
      });
      break;
    }
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
  }
}
