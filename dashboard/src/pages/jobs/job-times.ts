import type { JobView } from "../../api/types.js";
import { isFinished } from "../../../../src/core/states.js";

export type Moment = "created" | "due" | "started" | "ended";

/** The instant that matters for a job in its state. */
export function momentOf({ state, createdAt, runAt, startedAt, finishedAt }: JobView): {
  readonly kind: Moment;
  readonly at: string;
} {
  if (state === "running" && startedAt !== null) return { kind: "started", at: startedAt };
  if (isFinished(state) && finishedAt !== null) return { kind: "ended", at: finishedAt };
  if (state === "scheduled" || state === "pending") return { kind: "due", at: runAt };
  return { kind: "created", at: createdAt };
}

/** How long the latest attempt ran, when it is over and the job ended with it. */
export function ranMs({ startedAt, finishedAt }: JobView): number | null {
  if (startedAt === null || finishedAt === null) return null;
  return Math.max(0, Date.parse(finishedAt) - Date.parse(startedAt));
}
