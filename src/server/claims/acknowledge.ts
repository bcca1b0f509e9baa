import type { AckItem } from "../../api/lease.js";
import { KonveierError, LeaseLostError, type Fault } from "../../core/errors.js";
import { validationError } from "../../core/job-request.js";
import type { Job } from "../../core/job.js";
import { describeError, type StoredError } from "../../core/stored-error.js";
import type { RetryWish } from "../../core/verdict.js";
import type { EngineContext } from "../../engine/context.js";
import { failure } from "../../engine/fail.js";
import { hasToWait } from "../../engine/flows/within-job.js";
import { tellSettled } from "../../engine/tell-settled.js";
import type { ClaimKey, Settled, Settlement } from "../../store/claims.js";
import type { ResultFaults } from "../json-body.js";
import type { Signer } from "../signer.js";
import { readLeaseToken } from "./lease-token.js";
import { completionOf, storedErrorOf } from "./said.js";

/** How one claim ended: what the store made of it, and what was said. */
export interface Acknowledged {
  readonly settled: Settled;
  readonly settlement: Settlement | null;
}

/** Of a token that no server on this database has handed out for the job. */
const LOST: Acknowledged = { settled: { ok: false, reason: "reclaimed" }, settlement: null };

/**
 * Ends many claims in one transaction, each guarded by its own token: a lost one does not touch the
 * others. Saying the same again is fine.
 *
 * @param resultFaults why results are not among the items, by their index
 * @returns in the order of `items`
 */
export async function acknowledge(
  context: EngineContext,
  signer: Signer,
  items: readonly AckItem[],
  resultFaults: ResultFaults | null,
): Promise<readonly Acknowledged[]> {
  refuseMisplacedFields(items);
  const settlements = await Promise.all(
    items.map(async (item, index) => {
      const key = readLeaseToken(signer, item.id, item.leaseToken);
      return key === null ? null : settlementOf(context, key, item, resultFaults?.get(index));
    }),
  );
  const known = settlements.filter((settlement) => settlement !== null);
  const settled = await settleAll(context, known);
  const answers = new Map(known.map((settlement, index) => [settlement, settled[index]]));
  return settlements.map((settlement) => {
    const answer = settlement === null ? undefined : answers.get(settlement);
    return answer === undefined ? LOST : { settled: answer, settlement };
  });
}

async function settlementOf(
  context: EngineContext,
  key: ClaimKey,
  item: AckItem,
  resultFault: KonveierError | undefined,
): Promise<Settlement> {
  const { outcome, error, retry, delayMs, refs, hold } = item;
  switch (outcome) {
    case "completed":
      return completionOf(key, item, resultFault);
    case "released":
      return { verb: "release", ...key };
    case "snoozed":
      return { verb: "snooze", ...key, delayMs: delayMs ?? 0, ...(hold !== undefined && { hold }) };
    case "waiting":
      return waitOf(context, key, refs ?? []);
    case "failed":
      return failedOf(context, key, storedErrorOf(error ?? { message: "" }), retry ?? "auto");
  }
}

/** Who waits for nobody would run again at once, for ever: a ref that the flow does not have fails the attempt. */
async function waitOf(context: EngineContext, key: ClaimKey, refs: readonly string[]): Promise<Settlement> {
  try {
    await hasToWait(context, key.id, refs);
    return { verb: "wait", ...key, refs };
  } catch (error) {
    if (!(error instanceof KonveierError) || error.code !== "validation_failed") throw error;
    return failedOf(context, key, describeError(error), "auto");
  }
}

async function failedOf(
  context: EngineContext,
  key: ClaimKey,
  error: StoredError,
  retry: RetryWish,
): Promise<Settlement> {
  const failed = { outcome: "failed", error } as const;
  const claim = await context.store.claims.current(key);
  // A claim that is not the current one never becomes it again: this finds out whether it failed before.
  if (typeof claim === "string") return { verb: "retry", ...key, delayMs: 0, failure: failed };
  return failure(context, claim, failed, retry);
}

async function settleAll(
  context: EngineContext,
  settlements: readonly Settlement[],
): Promise<readonly Settled[]> {
  const { claims, jobs } = context.store;
  const before = await Promise.all(settlements.map(({ id }) => jobs.get(id)));
  const settled = await claims.settle(settlements);
  const told = new Set<string>();
  for (const [index, settlement] of settlements.entries()) {
    const job = before[index];
    // A repeat changed nothing, so nothing is told.
    if (settled[index]?.ok !== true || !isHeld(job, settlement) || told.has(job.id)) continue;
    told.add(job.id);
    const startedAt = job.startedAt ?? context.store.now();
    tellSettled(context, { ...job, startedAt }, job.workerId ?? "", settlement);
  }
  return settled;
}

function isHeld(job: Job | null | undefined, { token }: ClaimKey): job is Job {
  return job?.state === "running" && job.token === token;
}

/** Why a claim was not ended, in words. */
export function lossDetail({ id, leaseToken }: AckItem, { settled, settlement }: Acknowledged): string {
  if (settled.ok) throw new RangeError(`Claim ${leaseToken} is not lost`);
  if (settlement === null) return "The lease token does not belong to this job.";
  return new LeaseLostError(id, settlement.token, settled.reason).message;
}

const FIELDS_OF_AN_OUTCOME = {
  completed: ["result", "resultProblem"],
  failed: ["error", "retry"],
  released: [],
  snoozed: ["delayMs", "hold"],
  waiting: ["refs"],
} as const satisfies Record<AckItem["outcome"], readonly string[]>;
const NEEDED = {
  completed: null,
  failed: "error",
  released: null,
  snoozed: "delayMs",
  waiting: "refs",
} as const;

/** @throws KonveierError `validation_failed` with every fault */
function refuseMisplacedFields(items: readonly AckItem[]): void {
  const faults: Fault[] = [];
  for (const [index, item] of items.entries()) {
    const at = `/results/${index}`;
    const own: readonly string[] = FIELDS_OF_AN_OUTCOME[item.outcome];
    for (const field of ["result", "resultProblem", "error", "retry", "delayMs", "refs", "hold"] as const) {
      if (item[field] === undefined || own.includes(field)) continue;
      const detail = `does not belong to the outcome "${item.outcome}"`;
      faults.push({ pointer: `${at}/${field}`, code: "conflict", detail });
    }
    const needed = NEEDED[item.outcome];
    if (needed !== null && item[needed] === undefined) {
      const detail = `is required for the outcome "${item.outcome}"`;
      faults.push({ pointer: `${at}/${needed}`, code: "required", detail });
    }
  }
  if (faults.length > 0) throw validationError(faults);
}
