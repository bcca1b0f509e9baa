import { SpanKind, type Attributes } from "@opentelemetry/api";
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-node";

/** A real SDK, registered for this file, whose spans are kept. */
export const exporter = new InMemorySpanExporter();
new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).register();

export interface SeenSpan {
  readonly name: string;
  readonly kind: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string | null;
  readonly links: readonly string[];
  readonly attributes: Attributes;
  readonly status: { readonly code: number; readonly message?: string };
  /** Everything that would be sent, as text. */
  readonly text: string;
}

/** Spans that have ended, in the order of their ends. */
export function endedSpans(name?: string): SeenSpan[] {
  return exporter
    .getFinishedSpans()
    .filter((span) => name === undefined || span.name === name)
    .map((span) => ({
      name: span.name,
      kind: SpanKind[span.kind],
      ...idsOf(span.spanContext()),
      parentId: span.parentSpanContext?.spanId ?? null,
      links: span.links.map(({ context }) => traceparent(context)),
      attributes: span.attributes,
      status: span.status,
      text: JSON.stringify([span.name, span.attributes, span.status, span.events]),
    }));
}

/** The header that stands for a span. */
export function traceparent({ traceId, spanId }: { traceId: string; spanId: string }): string {
  return `00-${traceId}-${spanId}-01`;
}

function idsOf({ traceId, spanId }: { traceId: string; spanId: string }) {
  return { traceId, spanId };
}
