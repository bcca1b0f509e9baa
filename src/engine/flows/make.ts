import { setImmediate as nextTurn } from "node:timers/promises";
import { KonveierError, LeaseLostError, type Fault } from "../../core/errors.js";
import type { CreatedFlow } from "../../core/flow.js";
import {
  checkGraph,
  type FlowJobRequest,
  type FlowRequest,
  type OtherRefs,
} from "../../core/flow-request.js";
import { fingerprint } from "../../core/fingerprint.js";
import { validationError, type JobRequest } from "../../core/job-request.js";
import { pointerPart } from "../../core/json-pointer.js";
import { isKey, isName, nameFault } from "../../core/names.js";
import type { TraceContext } from "../../core/trace-context.js";
import { traceEnqueue } from "../../core/tracing.js";
import type { ClaimKey } from "../../store/claims.js";
import type { NewFlow, NewFlowJob } from "../../store/flows.js";
import type { EngineContext } from "../context.js";
import { fingerprintOf, toNewJob } from "../enqueue.js";

/** Jobs that are checked in one turn of the event loop. */
const CHECKED_AT_ONCE = 500;
/** Faults that one answer tells. */
export const MAX_FAULTS = 100;

/**
 * Accepts a flow: all its jobs or none. When the promise resolves, all are durable.
 *
 * @param given where in a trace the request was made
 * @throws KonveierError `validation_failed`, `payload_…`, `idempotency_key_reused`, `store_…`
 */
export async function createFlow(
  { store, tracer }: EngineContext,
  request: FlowRequest,
  given: TraceContext | null = null,
): Promise<CreatedFlow> {
  const faults = faultsOfFlow(request);
  const create = async (trace: TraceContext | null) => {
    const jobs = await toNewFlowJobs(request.jobs, "refused", trace, faults);
    return store.flows.create(withKey(request, jobs));
  };
  if (tracer === null) return create(given);
  return traceEnqueue(tracer, request.jobs, given, create, () => null);
}

/**
 * Adds jobs to the flow of a claimed job, all or none; refs that it has already are left as they are.
 *
 * @throws LeaseLostError; KonveierError as `createFlow`
 */
export async function extendFlow(
  { store, tracer }: EngineContext,
  key: ClaimKey,
  requests: readonly FlowJobRequest[],
  given: TraceContext | null = null,
): Promise<void> {
  const add = async (trace: TraceContext | null) => {
    const jobs = await toNewFlowJobs(requests, "allowed", trace, []);
    const answer = await store.flows.add(key, jobs);
    if (typeof answer === "string") throw new LeaseLostError(key.id, key.token, answer);
    if (answer.length === 0) return;
    const places = new Map(requests.map(({ ref }, place) => [ref, place]));
    const faults = answer.map(({ place, ref }): Fault => {
      const at = places.get(jobs[place]?.ref ?? "") ?? 0;
      return {
        pointer: `/jobs/${at}/dependsOn`,
        code: "unknown_ref",
        detail: `names ${ref}, which no job of the flow is`,
      };
    });
    throw validationError(faults.slice(0, MAX_FAULTS));
  };
  if (tracer === null) return add(given);
  return traceEnqueue(tracer, requests, given, add, () => null);
}

/** Whoever has the key may be in no flow, or in another one. */
const NOT_IN_FLOWS = ["idempotencyKey", "unique"] as const;

const FIELDS: Readonly<Record<keyof FlowRequest, true>> = { name: true, jobs: true, idempotencyKey: true };

function faultsOfFlow(request: FlowRequest): Fault[] {
  const faults: Fault[] = [];
  for (const field of Object.keys(request)) {
    if (Object.hasOwn(FIELDS, field)) continue;
    faults.push({
      pointer: `/${pointerPart(field)}`,
      code: "unknown_field",
      detail: "is not a field of a flow",
    });
  }
  if (!isName(request.name)) faults.push(nameFault("name"));
  if (request.idempotencyKey !== undefined && !isKey(request.idempotencyKey)) {
    faults.push({
      pointer: "/idempotencyKey",
      code: "invalid_key",
      detail: "must be 1 to 255 printable characters",
    });
  }
  return faults;
}

/** @returns each job behind those that it depends on */
async function toNewFlowJobs(
  requests: readonly FlowJobRequest[],
  otherRefs: OtherRefs,
  trace: TraceContext | null,
  faults: Fault[],
): Promise<NewFlowJob[]> {
  const given: unknown = requests;
  if (!Array.isArray(given)) {
    throw validationError([
      ...faults,
      { pointer: "/jobs", code: "wrong_type", detail: "must be a list of jobs" },
    ]);
  }
  const graph = checkGraph(requests, otherRefs, faults);
  const jobs: NewFlowJob["job"][] = [];
  let other: KonveierError | null = null;
  for (const [place, request] of requests.entries()) {
    if (place % CHECKED_AT_ONCE === CHECKED_AT_ONCE - 1) await nextTurn();
    if (faults.length >= MAX_FAULTS) break;
    for (const field of NOT_IN_FLOWS) {
      if ((request as JobRequest)[field] === undefined) continue;
      const detail = "is not for a job of a flow";
      faults.push({ pointer: `/jobs/${place}/${field}`, code: "conflict", detail });
    }
    try {
      jobs.push(toNewJob(withoutPlace(request), `/jobs/${place}`, trace));
    } catch (error) {
      if (!(error instanceof KonveierError)) throw error;
      faults.push(...error.faults);
      if (error.faults.length === 0) other ??= error;
    }
  }
  if (faults.length > 0 || graph === null) throw validationError(faults.slice(0, MAX_FAULTS));
  if (other !== null) throw other;
  return graph.order.map((place) => {
    const [request, job] = [requests[place], jobs[place]];
    if (request === undefined || job === undefined) throw new Error(`Job ${place} of a flow is missing`);
    return { ref: request.ref, job, dependsOn: graph.dependencies[place] ?? [] };
  });
}

/** Of the place of a job in its flow. */
const OF_THE_PLACE = new Set(["ref", "dependsOn", "onDependencyFailure"]);

/** What a job is by itself. */
function withoutPlace(request: FlowJobRequest): JobRequest {
  const own = Object.entries(request).filter(([field]) => !OF_THE_PLACE.has(field));
  return Object.fromEntries(own) as unknown as JobRequest;
}

function withKey({ name, idempotencyKey: key }: FlowRequest, jobs: readonly NewFlowJob[]): NewFlow {
  if (key === undefined) return { name, jobs, idempotency: null };
  const definition = jobs.map(({ ref, job, dependsOn }) => ({ ref, dependsOn, job: fingerprintOf(job) }));
  return { name, jobs, idempotency: { key, fingerprint: fingerprint({ name, definition }) } };
}
