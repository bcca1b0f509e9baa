import type { Fault } from "./errors.js";
import { pointerPart } from "./json-pointer.js";
import { validationError } from "./job-request.js";
import type { PayloadSchema, SchemaResult } from "./define-job.js";

/** The payload as its schema gives it back. @throws KonveierError `validation_failed` with every issue */
export async function validatePayload<Payload>(
  schema: PayloadSchema<Payload>,
  payload: unknown,
): Promise<Payload> {
  return valueOf(await schema["~standard"].validate(payload));
}

/** As `validatePayload`, at once. @throws TypeError for a validator that answers later */
export function validatePayloadNow<Payload>(schema: PayloadSchema<Payload>, payload: unknown): Payload {
  const result = schema["~standard"].validate(payload);
  if (!(result instanceof Promise)) return valueOf(result);
  result.catch(() => undefined);
  throw new TypeError("The schema answers later, and a transaction of SQLite cannot wait for it");
}

function valueOf<Payload>(result: SchemaResult<Payload>): Payload {
  if (result.issues === undefined) return result.value;
  throw validationError(
    result.issues.map(({ path, message }): Fault => ({
      pointer: ["", "payload", ...(path ?? []).map(segmentOf)].join("/"),
      code: "payload_invalid",
      detail: message,
    })),
  );
}

function segmentOf(segment: unknown): string {
  const key: unknown =
    typeof segment === "object" && segment !== null && "key" in segment ? segment.key : segment;
  return pointerPart(String(key));
}
