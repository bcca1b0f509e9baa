import { Type, type Static } from "typebox";
import { MAX_CLAIM } from "../core/defaults.js";
import { CLOSED, Instant, JobId, Key, LeaseMs, Name, Nullable } from "./fields.js";
import { Backoff } from "./job-request.js";

/** Below the 60 s after which many proxies give up on a silent connection. */
const MAX_WAIT_MS = 60_000;
/** More than this is a mistake, and each is looked up in every claim. */
const MAX_CLAIM_NAMES = 1_000;

export const ClaimBody = Type.Object(
  {
    workerId: Key,
    /** A name for this claim: asking again under it hands out the same jobs. */
    claimId: Type.Optional(Key),
    queues: Type.Array(Name, { minItems: 1, maxItems: MAX_CLAIM_NAMES }),
    names: Type.Optional(Type.Array(Name, { minItems: 1, maxItems: MAX_CLAIM_NAMES })),
    max: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_CLAIM })),
    waitMs: Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_WAIT_MS })),
    leaseMs: Type.Optional(LeaseMs),
  },
  CLOSED,
);
export type ClaimBody = Static<typeof ClaimBody>;

export const ClaimedJobView = Type.Object(
  {
    id: JobId,
    queue: Type.String(),
    name: Type.String(),
    priority: Type.Integer(),
    /** Exactly the JSON text that is stored. */
    payload: Type.Unknown(),
    attempt: Type.Integer(),
    maxAttempts: Type.Integer(),
    /** Failed attempts so far in the present budget. */
    failures: Type.Integer(),
    createdAt: Instant,
    runAt: Instant,
    /** Begin of this attempt. */
    startedAt: Instant,
    /** The fencing token: larger than that of every earlier claim of any job. For systems that the job writes to. */
    token: Type.Integer(),
    /** What the server wants back with everything that the worker says about this claim. */
    leaseToken: Type.String(),
    leaseExpiresAt: Instant,
    timeoutMs: Nullable.WholeNumber,
    /** `null`: the default backoff. */
    backoff: Type.Union([Backoff, Type.Null()]),
    /** The schedule that made the job, and for which slot. */
    schedule: Nullable.Origin,
    /** Which job of which flow it is. */
    flow: Nullable.FlowPlace,
    /** Where in a distributed trace the job was enqueued: headers of W3C Trace Context. */
    traceparent: Nullable.Text,
    tracestate: Nullable.Text,
  },
  { title: "ClaimedJob" },
);
export type ClaimedJobView = Static<typeof ClaimedJobView>;

export const ClaimView = Type.Object({
  jobs: Type.Array(ClaimedJobView),
  serverTime: Instant,
  /** How often to extend leases of the length that was asked for. */
  heartbeatMs: Type.Integer(),
  /** The server is stopping and takes no new claims: claim from another one. */
  draining: Type.Boolean(),
});
export type ClaimView = Static<typeof ClaimView>;
