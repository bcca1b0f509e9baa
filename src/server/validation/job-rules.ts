import { JobRequestBody } from "../../api/job-request.js";
import { KonveierError, type Fault } from "../../core/errors.js";
import { checkJobRequest, validationError, type JobRequest } from "../../core/job-request.js";
import type { ExtraRules } from "./explain.js";

/** What the core says about a job beyond its schema, such as two fields that exclude each other. */
export const JOB_RULES: ExtraRules = new Map([[JobRequestBody, coreFaults]]);

function coreFaults(value: object, at: string): readonly Fault[] {
  // Unknown fields have been told, each with the name that was meant.
  const known = Object.fromEntries(
    Object.entries(value).filter(([name]) => Object.hasOwn(JobRequestBody.properties, name)),
  );
  try {
    checkJobRequest(known as unknown as JobRequest, at);
    return [];
  } catch (error) {
    if (error instanceof KonveierError) return error.faults;
    throw error;
  }
}

/** Waits for `work` and puts a prefix before the pointers of its faults: where in the body the engine's input was. */
export async function withFaultsUnder<T>(prefix: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof KonveierError) || error.faults.length === 0) throw error;
    const faults = error.faults.map((fault) => ({ ...fault, pointer: `${prefix}${fault.pointer}` }));
    if (error.code === "validation_failed") throw validationError(faults);
    throw new KonveierError(error.code, error.message, { cause: error, faults });
  }
}
