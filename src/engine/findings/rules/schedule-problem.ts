import type { Facts } from "../facts.js";
import type { FindingOf } from "../finding.js";

type ScheduleProblem = FindingOf<"schedule_problem", { schedule: string; queue: string; problem: string }>;

/** A schedule was stopped because it cannot go on. */
export function scheduleProblem({ stoppedSchedules }: Facts): ScheduleProblem[] {
  return stoppedSchedules.map(({ key, job: { queue }, problem }) => ({
    code: "schedule_problem",
    severity: "critical",
    since: null,
    detail: `The schedule ${key} has stopped: ${problem ?? ""}`,
    audience: { queues: [queue] },
    schedule: key,
    queue,
    problem: problem ?? "",
  }));
}
