import { MAX_STEPS } from "../core/defaults.js";
import { KonveierError, type LeaseLossReason } from "../core/errors.js";
import type { JobStep } from "../core/job.js";
import type { FoundStep } from "../core/steps.js";
import type { ClaimKey } from "./claims.js";

export interface StepStore {
  /**
   * Looks for a step that this attempt or an earlier one has stored; or tells why the claim is lost.
   *
   * @throws KonveierError `too_many_steps` when there is none, and no room for one more
   */
  find(key: ClaimKey, name: string): Promise<FoundStep | LeaseLossReason>;

  /**
   * Stores what a step gave. A step that is stored already keeps its result, so that this can be said again.
   *
   * @param result JSON text, `null` when it gave nothing
   * @returns why the claim is lost, or `null`
   * @throws KonveierError `too_many_steps`
   */
  store(key: ClaimKey, name: string, result: string | null): Promise<LeaseLossReason | null>;

  /** In the order in which they were stored. */
  list(id: string): Promise<readonly JobStep[]>;

  /** JSON text; `null` when there is no such step or it gave nothing. */
  result(id: string, seq: number): Promise<string | null>;
}

/** @throws KonveierError `too_many_steps` when a job with this many steps may have no more */
export function requireRoom(steps: number): void {
  if (steps < MAX_STEPS) return;
  throw new KonveierError(
    "too_many_steps",
    `The job has ${steps} steps, the limit is ${MAX_STEPS}. Do more in one step, or make jobs of them.`,
  );
}
