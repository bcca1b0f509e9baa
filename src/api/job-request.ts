import { Type, type Static } from "typebox";
import { MAX_BACKOFF_MS } from "../core/backoff.js";
import { MAX_BATCH, MAX_MAX_ATTEMPTS, MAX_PRIORITY, MAX_TAGS } from "../core/defaults.js";
import { MAX_FROM_NOW_MS } from "../core/job-request.js";
import { JOB_STATES } from "../core/states.js";
import { CONFLICT_POLICIES, UNIQUE_SCOPES } from "../core/unique.js";
import { CLOSED, InstantInput, Key, Name, Nullable, Tag } from "./fields.js";

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

const FromNow = Type.Integer({ minimum: 1, maximum: MAX_FROM_NOW_MS });

export const UniqueBody = Type.Object(
  {
    key: Key,
    scope: Type.Optional(Type.Enum([...UNIQUE_SCOPES])),
    states: Type.Optional(
      Type.Array(Type.Enum([...JOB_STATES]), { minItems: 1, maxItems: JOB_STATES.length }),
    ),
    ttlMs: Type.Optional(FromNow),
    onConflict: Type.Optional(Type.Enum([...CONFLICT_POLICIES])),
  },
  CLOSED,
);

/** With the defaults filled in. */
export const UniqueView = Type.Object({
  key: Type.String(),
  scope: Type.Enum([...UNIQUE_SCOPES]),
  states: Type.Array(Type.Enum([...JOB_STATES])),
  ttlMs: Nullable.WholeNumber,
  onConflict: Type.Enum([...CONFLICT_POLICIES]),
});

export const ExpiresInMs = FromNow;

/** What a job is, however it is made. */
export const jobRequestFields = {
  name: Name,
  payload: Type.Optional(Type.Unknown()),
  queue: Type.Optional(Name),
  priority: Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_PRIORITY })),
  delayMs: Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_FROM_NOW_MS })),
  runAt: Type.Optional(InstantInput),
  maxAttempts: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_MAX_ATTEMPTS })),
  backoff: Type.Optional(Backoff),
  timeoutMs: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_BACKOFF_MS })),
  tags: Type.Optional(Type.Array(Tag, { maxItems: MAX_TAGS })),
  expiresAt: Type.Optional(InstantInput),
  expiresInMs: Type.Optional(ExpiresInMs),
  /** What the limits per key of the queue count the job under. */
  concurrencyKey: Type.Optional(Key),
  rateKey: Type.Optional(Key),
};

/**
 * A job to enqueue. `core/job-request.ts` is the authority on the rules and adds the ones that a schema
 * cannot say.
 */
export const JobRequestBody = Type.Object(
  { ...jobRequestFields, unique: Type.Optional(UniqueBody), idempotencyKey: Type.Optional(Key) },
  CLOSED,
);

export const BatchBody = Type.Object({ jobs: Type.Array(JobRequestBody, { maxItems: MAX_BATCH }) }, CLOSED);

/** Of W3C Trace Context. Without a pattern: faulty ones are ignored, a trace is never worth refusing a job for. */
export const TraceHeaders = Type.Object({
  traceparent: Type.Optional(Type.String()),
  tracestate: Type.Optional(Type.String()),
});
export type TraceHeaders = Static<typeof TraceHeaders>;
