import type { ScheduleRunView } from "../../api/types.js";

export const RUN_KINDS = [
  "ok",
  "failed",
  "underway",
  "waiting",
  "skipped",
  "missed",
  "cancelled",
  "removed",
] as const;

/**
 * How a run ended, or how far it is.
 * - `underway`: its job has not ended
 * - `waiting`: it waits for the job before it, and has none yet
 * - `removed`: its job is no longer kept
 */
export type RunKind = (typeof RUN_KINDS)[number];

export function kindOf(run: Pick<ScheduleRunView, "outcome" | "jobState">): RunKind {
  if (run.outcome !== "enqueued") return run.outcome;
  switch (run.jobState) {
    case "completed":
      return "ok";
    case "dead":
      return "failed";
    case "cancelled":
      return "cancelled";
    case null:
      return "removed";
    default:
      return "underway";
  }
}

/** How many there are of each kind, for a sentence. Kinds that do not occur are left out. */
export function countKinds(
  runs: readonly Pick<ScheduleRunView, "outcome" | "jobState">[],
): readonly { readonly kind: RunKind; readonly count: number }[] {
  const kinds = runs.map(kindOf);
  return RUN_KINDS.map((kind) => ({ kind, count: kinds.filter((other) => other === kind).length })).filter(
    ({ count }) => count > 0,
  );
}
