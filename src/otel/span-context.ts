import { createTraceState, type SpanContext } from "@opentelemetry/api";
import { readTraceContext, type TraceContext } from "../core/trace-context.js";

/** What is kept with a job of the span that enqueued it; `null` when there is no tracing SDK. */
export function traceContextOf({
  traceId,
  spanId,
  traceFlags,
  traceState,
}: SpanContext): TraceContext | null {
  const flags = traceFlags.toString(16).padStart(2, "0");
  return readTraceContext(`00-${traceId}-${spanId}-${flags}`, traceState?.serialize());
}

/** The span that a job was enqueued in. */
export function spanContextOf({ traceparent, tracestate }: TraceContext): SpanContext {
  const [, traceId = "", spanId = "", flags = ""] = traceparent.split("-");
  const context = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
  return tracestate === null ? context : { ...context, traceState: createTraceState(tracestate) };
}
