import {
  context,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Context,
  type Link,
  type Span,
  type Tracer as OtelTracer,
  type TracerProvider,
} from "@opentelemetry/api";
import { KonveierError } from "../core/errors.js";
import type { ClaimedJob } from "../core/job.js";
import { describeError } from "../core/stored-error.js";
import { readTraceContext, type TraceContext } from "../core/trace-context.js";
import type { EnqueueFacts, EnqueueTrace, ProcessTrace, Tracer } from "../core/tracing.js";
import { endAttributes, enqueueAttributes, processAttributes, spanName } from "./attributes.js";
import { spanContextOf, traceContextOf } from "./span-context.js";

export interface OpenTelemetryOptions {
  /** Default: the one that is registered globally, also when that happens later. */
  readonly tracerProvider?: TracerProvider;
}

/**
 * Traces jobs with OpenTelemetry: a span for each call that enqueues, whose context is kept with the jobs, and
 * one for each attempt, which links to it. Handlers run inside the span of their attempt, as long as a context
 * manager is registered, which SDKs do. See `docs/tracing.md`.
 */
export function openTelemetry({ tracerProvider }: OpenTelemetryOptions = {}): Tracer {
  const tracer = (tracerProvider ?? trace.getTracerProvider()).getTracer("konveier");
  return {
    enqueue: (facts, given) => enqueueTrace(tracer, facts, given),
    process: (job, workerId) => processTrace(tracer, job, workerId),
  };
}

/**
 * With a given context, the job is linked to who sent the request, and the span here only tells what the server
 * did for it: what a client sends is what its worker gets, whether the server is traced or not.
 */
function enqueueTrace(tracer: OtelTracer, facts: EnqueueFacts, given: TraceContext | null): EnqueueTrace {
  const name = spanName("enqueue", facts.queue);
  const kind = given === null ? SpanKind.PRODUCER : SpanKind.SERVER;
  const parent = given === null ? context.active() : remote(given);
  const span = tracer.startSpan(name, { kind, attributes: enqueueAttributes(facts) }, parent);
  return {
    context: given ?? traceContextOf(span.spanContext()),
    accepted(id) {
      if (id !== null) span.setAttribute("messaging.message.id", id);
      span.end();
    },
    failed(error) {
      markFailed(span, errorTypeOf(error));
      span.end();
    },
  };
}

/** A root of its own: a job may run hours after its trace has ended, and again and again. */
function processTrace(tracer: OtelTracer, job: ClaimedJob, workerId: string): ProcessTrace {
  const attributes = processAttributes(job, workerId);
  const options = { kind: SpanKind.CONSUMER, root: true, links: linksOf(job), attributes };
  const span = tracer.startSpan(spanName("process", job.queue), options, ROOT_CONTEXT);
  const inside = trace.setSpan(ROOT_CONTEXT, span);
  return {
    run: (handler) => context.with(inside, handler),
    ended(end) {
      span.setAttributes(endAttributes(end));
      if (end.errorType !== null) markFailed(span, end.errorType);
      span.end();
    },
  };
}

function linksOf({ traceparent, tracestate }: ClaimedJob): Link[] {
  const created = readTraceContext(traceparent, tracestate);
  return created === null ? [] : [{ context: spanContextOf(created) }];
}

function remote(given: TraceContext): Context {
  return trace.setSpanContext(ROOT_CONTEXT, spanContextOf(given));
}

/** Never the message: it may hold what was in the payload. */
function markFailed(span: Span, errorType: string): void {
  span.setAttribute("error.type", errorType).setStatus({ code: SpanStatusCode.ERROR, message: errorType });
}

/** Errors of Konveier have a code, which says more than their class. */
function errorTypeOf(error: unknown): string {
  return error instanceof KonveierError ? error.code : describeError(error).type;
}
