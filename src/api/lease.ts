import { Type, type Static } from "typebox";
import { MAX_BACKOFF_MS } from "../core/backoff.js";
import { MAX_BATCH, MAX_FLOW_JOBS } from "../core/defaults.js";
import { LOG_LEVELS } from "../core/job.js";
import { HOLD_SCOPES } from "../core/outcomes.js";
import { CLOSED, Instant, JobId, Key, LeaseMs, Nullable } from "./fields.js";
import { JobState } from "./job.js";

/** What a worker says about a job that it holds. Texts that are too long are cut, never refused. */

const leaseToken = Type.String();
const Delay = Type.Integer({ minimum: 0, maximum: MAX_BACKOFF_MS });
const MAX_LINES = 500;
const MAX_ACK = 500;
const LossReason = Type.Enum(["reclaimed", "cancelled", "gone"]);

const Result = {
  result: Type.Optional(Type.Unknown()),
  /** Why the worker could not send the result; kept in its place. */
  resultProblem: Type.Optional(Type.String()),
};

export const CompleteBody = Type.Object({ leaseToken, ...Result }, CLOSED);
export type CompleteBody = Static<typeof CompleteBody>;

const FailureError = Type.Object(
  {
    type: Type.Optional(Type.String()),
    message: Type.String(),
    stack: Type.Optional(Type.String()),
  },
  CLOSED,
);
export type FailureError = Static<typeof FailureError>;

const Retry = Type.Union([
  Type.Literal("auto"),
  Type.Literal("never"),
  Type.Object({ delayMs: Delay }, CLOSED),
]);

export const FailBody = Type.Object({ leaseToken, error: FailureError, retry: Type.Optional(Retry) }, CLOSED);

export const ReleaseBody = Type.Object({ leaseToken }, CLOSED);

/** Besides the job, nothing of its queue, or with its key, is started for so long. */
const Hold = Type.Enum([...HOLD_SCOPES]);

export const SnoozeBody = Type.Object({ leaseToken, delayMs: Delay, hold: Type.Optional(Hold) }, CLOSED);

/** Jobs of the same flow. */
const Refs = Type.Array(Key, { minItems: 1, maxItems: MAX_FLOW_JOBS });

export const WaitForJobsBody = Type.Object(
  {
    leaseToken,
    refs: Refs,
    /** Only say whether one of them has not ended: the job goes on running. */
    check: Type.Optional(Type.Boolean()),
  },
  CLOSED,
);

export const WaitForJobsView = Type.Object(
  {
    /** Whether one of them has not ended, or had ended before the job waited for it the first time. */
    waiting: Type.Boolean(),
    /** `running` after a check. Else the job runs again when all have ended: at once when they had. */
    state: JobState,
  },
  { title: "WaitForJobs" },
);
export type WaitForJobsView = Static<typeof WaitForJobsView>;

export const ProgressBody = Type.Object(
  {
    leaseToken,
    percent: Type.Number({ minimum: 0, maximum: 100 }),
    message: Type.Optional(Type.String()),
  },
  CLOSED,
);

export const LogsBody = Type.Object(
  {
    leaseToken,
    /** Grows with every batch of this claim: one that is sent again is not kept twice. */
    seq: Type.Optional(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })),
    lines: Type.Array(
      Type.Object({ level: Type.Optional(Type.Enum([...LOG_LEVELS])), message: Type.String() }, CLOSED),
      { maxItems: MAX_LINES },
    ),
  },
  CLOSED,
);

export const FindStepBody = Type.Object({ leaseToken, name: Key }, CLOSED);

export const FoundStepView = Type.Object({
  found: Type.Boolean(),
  /** Not there when the step is not done, or gave nothing. */
  result: Type.Optional(Type.Unknown()),
});
export type FoundStepView = Static<typeof FoundStepView>;

export const StoreStepBody = Type.Object(
  { leaseToken, name: Key, result: Type.Optional(Type.Unknown()) },
  CLOSED,
);

export const HeartbeatBody = Type.Object(
  {
    workerId: Key,
    leaseMs: Type.Optional(LeaseMs),
    leases: Type.Array(Type.Object({ id: JobId, leaseToken }, CLOSED), { maxItems: MAX_BATCH }),
  },
  CLOSED,
);

export const HeartbeatView = Type.Object({
  results: Type.Array(
    Type.Union([
      Type.Object({ id: JobId, ok: Type.Literal(true), leaseExpiresAt: Instant }),
      Type.Object({
        id: JobId,
        ok: Type.Literal(false),
        reason: LossReason,
      }),
    ]),
  ),
  /** How often to extend leases of the length that was asked for. */
  heartbeatMs: Type.Integer(),
  /** The server is stopping and takes no new claims: claim from another one. */
  draining: Type.Boolean(),
});
export type HeartbeatView = Static<typeof HeartbeatView>;

/** Which fields belong to which outcome is a rule beside the schema. */
export const AckItem = Type.Object(
  {
    id: JobId,
    leaseToken,
    outcome: Type.Enum(["completed", "failed", "released", "snoozed", "waiting"]),
    ...Result,
    error: Type.Optional(FailureError),
    retry: Type.Optional(Retry),
    delayMs: Type.Optional(Delay),
    refs: Type.Optional(Refs),
    hold: Type.Optional(Hold),
  },
  CLOSED,
);
export type AckItem = Static<typeof AckItem>;

export const AckBody = Type.Object({ results: Type.Array(AckItem, { maxItems: MAX_ACK }) }, CLOSED);

const AckedView = Type.Union([
  Type.Object({
    id: JobId,
    ok: Type.Literal(true),
    state: JobState,
    runAt: Instant,
    /** Why the result was not kept although one was given. */
    resultProblem: Nullable.Text,
  }),
  Type.Object({
    id: JobId,
    ok: Type.Literal(false),
    code: Type.Literal("lease_lost"),
    reason: LossReason,
    detail: Type.String(),
  }),
]);
export type AckedView = Static<typeof AckedView>;

/** In the order of the request. */
export const AckView = Type.Object({ results: Type.Array(AckedView) });
export type AckView = Static<typeof AckView>;

export const CompletedView = Type.Object({
  state: JobState,
  /** Why the result was not kept although one was given. */
  resultProblem: Nullable.Text,
});

/** After a fail, release or snooze. */
export const SettledView = Type.Object({ state: JobState, runAt: Instant });
export const FailedView = Type.Object({ state: JobState, runAt: Instant, attempt: Type.Integer() });
