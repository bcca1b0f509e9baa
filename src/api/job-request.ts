import { Type, type Static } from "typebox";
import { MAX_BACKOFF_MS } from "../core/backoff.js";
import { MAX_BATCH, MAX_MAX_ATTEMPTS, MAX_PRIORITY, MAX_TAGS } from "../core/defaults.js";
import { CLOSED, InstantInput, Key, Name, Tag } from "./fields.js";

const Delay = Type.Integer({ minimum: 0, maximum: MAX_BACKOFF_MS });
const Jitter = Type.Number({ minimum: 0, maximum: 1 });

export const Backoff = Type.Union(
  [
    Type.Object({ type: Type.Literal("fixed"), delayMs: Delay, jitter: Type.Optional(Jitter) }, CLOSED),
    Type.Object(
      {
        type: Type.Literal("exponential"),
        baseMs: Type.Optional(Delay),
        maxMs: Type.Optional(Delay),
        jitter: Type.Optional(Jitter),
      },
      CLOSED,
    ),
  ],
  { title: "Backoff" },
);

/**
 * A job to enqueue. `core/job-request.ts` is the authority on the rules and adds the ones that a schema
 * cannot say.
 */
export const JobRequestBody = Type.Object(
  {
    name: Name,
    payload: Type.Optional(Type.Unknown()),
    queue: Type.Optional(Name),
    priority: Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_PRIORITY })),
    delayMs: Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_BACKOFF_MS * 100 })),
    runAt: Type.Optional(InstantInput),
    maxAttempts: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_MAX_ATTEMPTS })),
    backoff: Type.Optional(Backoff),
    timeoutMs: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_BACKOFF_MS })),
    idempotencyKey: Type.Optional(Key),
    tags: Type.Optional(Type.Array(Tag, { maxItems: MAX_TAGS })),
    /** What the limits per key of the queue count the job under. */
    concurrencyKey: Type.Optional(Key),
    rateKey: Type.Optional(Key),
  },
  CLOSED,
);

export const BatchBody = Type.Object({ jobs: Type.Array(JobRequestBody, { maxItems: MAX_BATCH }) }, CLOSED);

/** Of W3C Trace Context. Without a pattern: faulty ones are ignored, a trace is never worth refusing a job for. */
export const TraceHeaders = Type.Object({
  traceparent: Type.Optional(Type.String()),
  tracestate: Type.Optional(Type.String()),
});
export type TraceHeaders = Static<typeof TraceHeaders>;
