import { KonveierError, type FaultCode } from "../errors.js";

/** The refusal of a filter: what is wrong, and at which offset of its text. */
export function badFilter(code: FaultCode, position: number, detail: string): KonveierError {
  return new KonveierError("bad_filter", `The filter has a fault at position ${position}: ${detail}`, {
    faults: [{ pointer: "/q", code, detail, position }],
  });
}
