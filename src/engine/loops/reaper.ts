import type { ExpiredClaim, FailedSettlement } from "../../store/claims.js";
import type { EngineContext } from "../context.js";
import { failure } from "../fail.js";
import { tellSettled } from "../tell-settled.js";
import { Loop } from "./loop.js";

const INTERVAL_MS = 1_000;
const BATCH = 200;
/**
 * After the process was suspended or the store was out of reach, leases have ended although their
 * holders live: this long they may extend them first.
 */
const GRACE_MS = 3_000;
/**
 * When the wall clock steps forward, or the machine wakes up from sleep, all leases seem to have ended at
 * once. Their holders need until their next heartbeat, which comes at least every ten seconds.
 */
const STEP_GRACE_MS = 12_000;
/** Smaller corrections of the clock are part of any lease's reserve. */
const SMALLEST_STEP_MS = 1_000;

/**
 * Takes jobs away from workers that let their lease end: back to the queue after the backoff, or to
 * dead when the budget is used up. Needs no word from the worker, so a crash at any moment is covered.
 */
export async function reap(context: EngineContext, limit = BATCH): Promise<number> {
  const expired = await context.store.claims.expired(limit);
  if (expired.length === 0) return 0;
  const settlements = expired.map((claim) => settlementOf(context, claim));
  const settled = await context.store.claims.reap(settlements);
  for (const [index, claim] of expired.entries()) {
    const settlement = settlements[index];
    if (settlement === undefined || settled[index]?.ok !== true) continue;
    tellSettled(context, { ...claim, startedAt: context.store.now() }, claim.workerId, settlement);
  }
  return expired.length;
}

function settlementOf(context: EngineContext, claim: ExpiredClaim): FailedSettlement {
  const error = {
    type: "LeaseExpired",
    message: `The lease of worker "${claim.workerId}" ended: it crashed, or it was blocked or cut off for too long`,
    stack: null,
  };
  return failure(context, claim, { outcome: "lost", error });
}

/** Compares the clock that leases are written with against one that never steps. */
class ClockSteps {
  #wall: number;
  #monotonic: number;

  constructor(private readonly context: EngineContext) {
    this.#wall = context.store.now();
    this.#monotonic = context.clock.monotonic();
  }

  /** How far the wall clock went ahead of the monotonic one since the last call. */
  forwardMs(): number {
    const wall = this.context.store.now();
    const monotonic = this.context.clock.monotonic();
    const step = wall - this.#wall - (monotonic - this.#monotonic);
    this.#wall = wall;
    this.#monotonic = monotonic;
    return step;
  }
}

export function createReaper(context: EngineContext, intervalMs = INTERVAL_MS): Loop {
  const { clock, health } = context;
  const steps = new ClockSteps(context);
  let dueAt = clock.monotonic();
  let graceUntil = Number.NEGATIVE_INFINITY;

  const again = (delayMs: number): number => {
    dueAt = clock.monotonic() + delayMs;
    return delayMs;
  };
  return new Loop(
    clock,
    async () => {
      const now = clock.monotonic();
      if (now - dueAt > GRACE_MS) graceUntil = now + GRACE_MS;
      if (steps.forwardMs() > SMALLEST_STEP_MS) graceUntil = now + STEP_GRACE_MS;
      if (now < graceUntil || health.sinceFailureMs() < GRACE_MS) return again(intervalMs);
      const reaped = await reap(context);
      if (reaped > 0) health.wrote();
      return again(reaped === BATCH ? 0 : intervalMs);
    },
    (error) => {
      health.failed(error, "the reaper");
      return again(intervalMs);
    },
  );
}
