import { kindOfError, type ErrorKind } from "../core/error-fingerprint.js";
import type { StoredError } from "../core/stored-error.js";

/** The kind of an error that is kept as JSON. Text that is none counts as an unknown error. */
export function kindOfStoredError(json: string | null): ErrorKind {
  return kindOfError(json === null ? null : readError(json));
}

function readError(json: string): StoredError | null {
  try {
    const value = JSON.parse(json) as Partial<Record<keyof StoredError, unknown>> | null;
    if (typeof value?.type !== "string" || typeof value.message !== "string") return null;
    return {
      type: value.type,
      message: value.message,
      stack: typeof value.stack === "string" ? value.stack : null,
    };
  } catch {
    return null;
  }
}
