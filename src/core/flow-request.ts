import { MAX_FLOW_DEPENDENCIES, MAX_FLOW_JOBS, MAX_KEY_LENGTH } from "./defaults.js";
import type { Fault, FaultCode } from "./errors.js";
import type { JobRequest } from "./job-request.js";
import { pointerPart } from "./json-pointer.js";
import { isKey } from "./names.js";

/**
 * What it means for a job when one that it depends on does not complete, but dies, is cancelled or deleted.
 *
 * - `cancel`: it is cancelled, and with it what depends on it
 * - `run`: it runs all the same, and can see how the other one ended
 * - `block`: it waits until somebody retries the other one; of one that is deleted nothing can come, so it is cancelled
 */
export const ON_FAILURE = ["cancel", "run", "block"] as const;
export type OnFailure = (typeof ON_FAILURE)[number];

export interface DependencyRequest {
  readonly ref: string;
  /** Default: the `onDependencyFailure` of the job. */
  readonly onFailure?: OnFailure | undefined;
}

/** A job of a flow. The flow has an idempotency key, its jobs have no keys. */
export interface FlowJobRequest extends Omit<JobRequest, "idempotencyKey" | "unique"> {
  /** Its name within the flow: 1 to 255 printable characters, each once. */
  readonly ref: string;
  /** Jobs that end before this one can run. */
  readonly dependsOn?: readonly (string | DependencyRequest)[] | undefined;
  /** Default `cancel`. */
  readonly onDependencyFailure?: OnFailure | undefined;
}

export interface FlowRequest {
  readonly name: string;
  /** Up to 100 000. */
  readonly jobs: readonly FlowJobRequest[];
  /** A second request with the same key gets the first one's flow, as long as that is kept. */
  readonly idempotencyKey?: string | undefined;
}

export interface Dependency {
  readonly ref: string;
  readonly onFailure: OnFailure;
}

/** Of a long cycle, so many refs from its beginning and from its end are told. */
const SHOWN_OF_CYCLE = 10;

/** A graph without faults. */
export interface CheckedGraph {
  /** Places of the jobs, each behind those that it depends on. */
  readonly order: readonly number[];
  /** Of each job, by its place in the request. */
  readonly dependencies: readonly (readonly Dependency[])[];
}

/** Whether jobs may depend on others than those of the same request. */
export type OtherRefs = "refused" | "allowed";

/**
 * Checks what the jobs of one request are to each other.
 *
 * @param faults gets every fault, with pointers under `/jobs`
 * @returns `null` when there are any
 */
export function checkGraph(
  jobs: readonly FlowJobRequest[],
  otherRefs: OtherRefs,
  faults: Fault[],
): CheckedGraph | null {
  const fault = (at: string, code: FaultCode, detail: string): void => {
    faults.push({ pointer: `/jobs${at}`, code, detail });
  };
  const before = faults.length;
  if (jobs.length === 0) fault("", "required", "must hold at least one job");
  if (jobs.length > MAX_FLOW_JOBS) {
    fault("", "out_of_range", `holds ${jobs.length} jobs, the limit is ${MAX_FLOW_JOBS}`);
    return null;
  }
  const places = placesByRef(jobs, fault);
  const dependencies = jobs.map((job, place) => {
    const known = (ref: string): boolean => otherRefs === "allowed" || places.has(ref);
    return dependenciesOf(job, `/${place}`, known, fault);
  });
  const count = dependencies.reduce((sum, { length }) => sum + length, 0);
  if (count > MAX_FLOW_DEPENDENCIES) {
    fault("", "out_of_range", `holds ${count} dependencies, the limit is ${MAX_FLOW_DEPENDENCIES}`);
  }
  if (faults.length > before) return null;
  const inner = dependencies.map((all) => all.flatMap(({ ref }) => places.get(ref) ?? []));
  const order = inOrder(inner);
  if (order.length === jobs.length) return { order, dependencies };
  const cycle = findCycle(inner, order);
  const refs = cycle.map((place) => jobs[place]?.ref ?? "");
  const isLong = refs.length > 2 * SHOWN_OF_CYCLE;
  const shown = isLong ? [...refs.slice(0, SHOWN_OF_CYCLE), "…", ...refs.slice(-SHOWN_OF_CYCLE)] : refs;
  const path = shown.join(" → ");
  fault(`/${cycle[0] ?? 0}/dependsOn`, "cycle", `closes a cycle: ${path}`);
  return null;
}

type AddFault = (at: string, code: FaultCode, detail: string) => void;

function placesByRef(jobs: readonly FlowJobRequest[], fault: AddFault): Map<string, number> {
  const places = new Map<string, number>();
  for (const [place, { ref }] of jobs.entries()) {
    const first = places.get(ref);
    if (!isKey(ref)) {
      fault(`/${place}/ref`, "invalid_key", `must be 1 to ${MAX_KEY_LENGTH} printable characters`);
    } else if (first !== undefined) {
      fault(`/${place}/ref`, "duplicate", `is the ref of job ${first} as well`);
    } else places.set(ref, place);
  }
  return places;
}

function dependenciesOf(
  { ref, dependsOn = [], onDependencyFailure = "cancel" }: FlowJobRequest,
  at: string,
  isKnown: (ref: string) => boolean,
  fault: AddFault,
): Dependency[] {
  checkOnFailure(onDependencyFailure, `${at}/onDependencyFailure`, fault);
  if (!Array.isArray(dependsOn)) {
    fault(`${at}/dependsOn`, "wrong_type", "must be a list of refs");
    return [];
  }
  const seen = new Set<string>();
  return (dependsOn as NonNullable<FlowJobRequest["dependsOn"]>).flatMap((entry, index) => {
    const here = `${at}/dependsOn/${index}`;
    const dependency = typeof entry === "string" ? { ref: entry } : entry;
    checkFields(dependency, here, fault);
    const onFailure = dependency.onFailure ?? onDependencyFailure;
    if (dependency.onFailure !== undefined) checkOnFailure(onFailure, `${here}/onFailure`, fault);
    if (!isKey(dependency.ref)) fault(here, "invalid_key", "must be the ref of a job");
    else if (dependency.ref === ref) fault(here, "cycle", `closes a cycle: ${ref} → ${ref}`);
    else if (seen.has(dependency.ref)) fault(here, "duplicate", `names ${dependency.ref} a second time`);
    else if (!isKnown(dependency.ref)) fault(here, "unknown_ref", `names ${dependency.ref}, which no job is`);
    seen.add(dependency.ref);
    return [{ ref: dependency.ref, onFailure }];
  });
}

function checkFields(dependency: DependencyRequest, at: string, fault: AddFault): void {
  for (const field of Object.keys(dependency)) {
    if (field === "ref" || field === "onFailure") continue;
    fault(`${at}/${pointerPart(field)}`, "unknown_field", "is not a field of a dependency");
  }
}

function checkOnFailure(value: unknown, at: string, fault: AddFault): void {
  if ((ON_FAILURE as readonly unknown[]).includes(value)) return;
  fault(at, "unknown_value", `must be ${ON_FAILURE.map((one) => `"${one}"`).join(" or ")}`);
}

/**
 * Kahn's algorithm: takes those that depend on nothing any more, in the order of the request.
 *
 * @param dependencies places that each place depends on
 * @returns fewer places than there are when some of them form cycles
 */
function inOrder(dependencies: readonly (readonly number[])[]): number[] {
  const dependants = dependencies.map((): number[] => []);
  for (const [place, all] of dependencies.entries()) for (const other of all) dependants[other]?.push(place);
  const open = dependencies.map(({ length }) => length);
  const order = [...open.keys()].filter((place) => open[place] === 0);
  // Grows while it is walked.
  for (const place of order) {
    for (const dependant of dependants[place] ?? []) {
      open[dependant] = (open[dependant] ?? 0) - 1;
      if (open[dependant] === 0) order.push(dependant);
    }
  }
  return order;
}

/** @param free places that are in no cycle and behind none. @returns the places of one cycle, the first one again at its end */
function findCycle(dependencies: readonly (readonly number[])[], free: readonly number[]): number[] {
  const isFree = new Set(free);
  const start = [...dependencies.keys()].find((place) => !isFree.has(place)) ?? 0;
  const path = [start];
  const seenAt = new Map([[start, 0]]);
  // Each place that is left depends on another one that is left, so the walk comes back to where it was.
  for (let place = start; ;) {
    place = dependencies[place]?.find((other) => !isFree.has(other)) ?? start;
    const before = seenAt.get(place);
    path.push(place);
    if (before !== undefined) return path.slice(before);
    seenAt.set(place, path.length - 1);
  }
}
