import { KonveierError } from "./errors.js";
import { validationError } from "./job-request.js";

/** Waits for `work` and puts a prefix before the pointers of its faults: where in the caller's input the part was. */
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
