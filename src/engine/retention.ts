import { DEFAULT_RETENTION } from "../core/defaults.js";
import type { Fault } from "../core/errors.js";
import { validationError } from "../core/job-request.js";
import { pointerPart } from "../core/json-pointer.js";
import type { Retention } from "../store/maintenance.js";

const DEFAULTS: Retention = { ...DEFAULT_RETENTION, maxCompleted: null };

/**
 * The retention with the defaults filled in. A slip here would remove jobs for good, so nonsense is
 * refused instead of being interpreted.
 *
 * @throws KonveierError `validation_failed` naming each field that is wrong
 */
export function completeRetention(retention: Partial<Retention> = {}): Retention {
  const faults: Fault[] = [];
  const entries: [string, number | null | undefined][] = Object.entries(retention);
  const given = entries.filter(([, limit]) => limit !== undefined);
  for (const [field, limit] of given) {
    const pointer = `/retention/${pointerPart(field)}`;
    if (!Object.hasOwn(DEFAULTS, field)) {
      faults.push({ pointer, code: "unknown_field", detail: "is not a field of a retention" });
    } else if (limit !== null && !isLimit(limit)) {
      const detail = "must be a whole number from 0, or null for no limit";
      faults.push({ pointer, code: "out_of_range", detail });
    }
  }
  if (faults.length > 0) throw validationError(faults);
  return { ...DEFAULTS, ...Object.fromEntries(given) };
}

function isLimit(value: unknown): boolean {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}
