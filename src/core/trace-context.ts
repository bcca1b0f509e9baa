/** A point in a distributed trace, in the words of W3C Trace Context. */
export interface TraceContext {
  /** Version 00, 55 characters: `00-<trace id>-<span id>-<flags>`. */
  readonly traceparent: string;
  /** What tracing systems add to it, up to 512 characters. */
  readonly tracestate: string | null;
}

const MAX_TRACESTATE_LENGTH = 512;
const MAX_TRACESTATE_MEMBERS = 32;

/** Version, trace id, span id, flags, and what later versions may append. */
const TRACEPARENT =
  /^(?!ff)([0-9a-f]{2})-((?!0{32})[0-9a-f]{32})-((?!0{16})[0-9a-f]{16})-([0-9a-f]{2})(-[\x21-\x7e]*)?$/;
const TRACESTATE_MEMBER =
  /^[a-z0-9][a-z0-9_*/-]{0,255}(@[a-z][a-z0-9_*/-]{0,13})?=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{1,256}$/;

/**
 * Reads what came from elsewhere. A faulty `traceparent` means no context, a faulty `tracestate` is left out:
 * a trace is never worth refusing a job for.
 */
export function readTraceContext(traceparent: unknown, tracestate: unknown): TraceContext | null {
  // Longer than any version that is known, and not worth a look.
  if (typeof traceparent !== "string" || traceparent.length > 255) return null;
  const [, version, traceId, spanId, flags, rest] = TRACEPARENT.exec(traceparent) ?? [];
  if (version === undefined || traceId === undefined || spanId === undefined || flags === undefined)
    return null;
  if (version === "00" && rest !== undefined) return null;
  // Later versions begin with the same fields; what is passed on is the version that is known here.
  return { traceparent: `00-${traceId}-${spanId}-${flags}`, tracestate: readTracestate(tracestate) };
}

function readTracestate(tracestate: unknown): string | null {
  if (typeof tracestate !== "string" || tracestate.length > MAX_TRACESTATE_LENGTH) return null;
  const members = tracestate
    .split(",")
    .map((member) => member.trim())
    .filter((member) => member !== "");
  if (members.length === 0 || members.length > MAX_TRACESTATE_MEMBERS) return null;
  return members.every((member) => TRACESTATE_MEMBER.test(member)) ? members.join(",") : null;
}
