import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import type { Clock } from "../../core/clock.js";
import { systemClock } from "../../core/clock.js";
import {
  DEFAULT_CONCURRENCY,
  DEFAULT_LEASE_MS,
  DEFAULT_QUEUE,
  MAX_CLAIM,
  MAX_LEASE_MS,
  MIN_LEASE_MS,
} from "../../core/defaults.js";
import type { AnyJobDefinition } from "../../core/define-job.js";
import type { Fault, FaultCode } from "../../core/errors.js";
import { validationError } from "../../core/job-request.js";
import { isKey, isName, nameFault } from "../../core/names.js";
import { storableText } from "../../core/storable-text.js";
import type { Tracer } from "../../core/tracing.js";
import type { KonveierClient } from "../client.js";

export interface RemoteWorkerOptions {
  readonly client: KonveierClient;
  readonly jobs: readonly AnyJobDefinition[];
  /** In order of preference. Default: `["default"]`. */
  readonly queues?: readonly string[];
  /** Handlers running at the same time, 1 to 1000. Default 10. */
  readonly concurrency?: number;
  /** How long a claim holds without a heartbeat. Default 30 s. */
  readonly leaseMs?: number;
  /** Default: host, process id and random letters. */
  readonly id?: string;
  /** Told what failed although the worker goes on, such as a server that does not answer. */
  readonly onProblem?: (error: unknown, during: string) => void;
  /** Traces the attempts, such as `openTelemetry()` of `konveier/otel`. Default: nothing is traced. */
  readonly tracing?: Tracer;
  /** For tests. */
  readonly clock?: Clock;
  /** From 0 up to 1; spreads retries. For tests. */
  readonly random?: () => number;
}

export type CompleteOptions = Required<Omit<RemoteWorkerOptions, "tracing">> & {
  readonly tracing: Tracer | null;
};

/** @throws KonveierError `validation_failed` naming each option that is wrong */
export function completeOptions(options: RemoteWorkerOptions): CompleteOptions {
  const complete = {
    client: options.client,
    jobs: options.jobs,
    queues: options.queues ?? [DEFAULT_QUEUE],
    concurrency: options.concurrency ?? DEFAULT_CONCURRENCY,
    leaseMs: options.leaseMs ?? DEFAULT_LEASE_MS,
    id: options.id ?? defaultWorkerId(),
    onProblem: options.onProblem ?? (() => undefined),
    tracing: options.tracing ?? null,
    clock: options.clock ?? systemClock,
    random: options.random ?? Math.random,
  };
  const faults = faultsOf(complete);
  if (faults.length > 0) throw validationError(faults);
  return complete;
}

function faultsOf({ jobs, queues, concurrency, leaseMs, id }: CompleteOptions): Fault[] {
  const faults: Fault[] = [];
  const fault = (field: string, code: FaultCode, detail: string): void => {
    faults.push({ pointer: `/${field}`, code, detail });
  };
  if (jobs.length === 0) fault("jobs", "required", "must hold at least one job definition");
  if (new Set(jobs.map(({ name }) => name)).size < jobs.length) {
    fault("jobs", "duplicate", "defines the same job name twice");
  }
  if (queues.length === 0) fault("queues", "required", "must name at least one queue");
  for (const [index, queue] of queues.entries())
    if (!isName(queue)) faults.push(nameFault(`queues/${index}`));
  if (!isWhole(concurrency, 1, MAX_CLAIM)) {
    fault("concurrency", "out_of_range", `must be a whole number from 1 to ${MAX_CLAIM}`);
  }
  if (!isWhole(leaseMs, MIN_LEASE_MS, MAX_LEASE_MS)) {
    fault("leaseMs", "out_of_range", `must be a whole number from ${MIN_LEASE_MS} to ${MAX_LEASE_MS}`);
  }
  if (!isKey(id)) fault("id", "invalid_key", "must be 1 to 255 printable characters");
  return faults;
}

function isWhole(value: number, min: number, max: number): boolean {
  return Number.isSafeInteger(value) && value >= min && value <= max;
}

function defaultWorkerId(): string {
  return storableText(`${hostname()}-${process.pid}-${randomBytes(3).toString("hex")}`, 200);
}
