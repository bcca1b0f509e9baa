import type { TSchema } from "typebox";
import { FlowJobBody } from "../../api/flow.js";
import { JobRequestBody } from "../../api/job-request.js";
import { ScheduleBody } from "../../api/schedule.js";
import { KonveierError, type Fault } from "../../core/errors.js";
import { checkJobRequest, type JobRequest } from "../../core/job-request.js";
import { checkScheduleRequest, type ScheduleRequest } from "../../engine/schedules/request.js";
import type { ExtraRules } from "./explain.js";

/** What the core says about a job beyond its schema, such as two fields that exclude each other. */
export const JOB_RULES: ExtraRules = new Map<TSchema, (value: object, at: string) => readonly Fault[]>([
  [JobRequestBody, jobFaults],
  [FlowJobBody, jobFaults],
  [ScheduleBody, scheduleFaults],
]);

function jobFaults(value: object, at: string): readonly Fault[] {
  const known = knownFields(JobRequestBody.properties, value);
  return faultsOf(() => checkJobRequest(known as unknown as JobRequest, at));
}

function scheduleFaults(value: object): readonly Fault[] {
  const known = knownFields(ScheduleBody.properties, value);
  return faultsOf(() => checkScheduleRequest(known as unknown as ScheduleRequest));
}

/** Unknown fields have been told, each with the name that was meant. */
function knownFields(properties: object, value: object): object {
  return Object.fromEntries(Object.entries(value).filter(([name]) => Object.hasOwn(properties, name)));
}

function faultsOf(check: () => unknown): readonly Fault[] {
  try {
    check();
    return [];
  } catch (error) {
    if (error instanceof KonveierError) return error.faults;
    throw error;
  }
}
