import { Type, type Static } from "typebox";
import { MAX_BACKOFF_MS } from "../core/backoff.js";
import { MAX_BATCH } from "../core/defaults.js";
import { LOG_LEVELS } from "../core/job.js";
import { CLOSED, Instant, JobId, Key, LeaseMs, Nullable } from "./fields.js";
import { JobState } from "./job.js";

/** What a worker says about a job that it holds. Texts that are too long are cut, never refused. */

const leaseToken = Type.String();
const Delay = Type.Integer({ minimum: 0, maximum: MAX_BACKOFF_MS });
const MAX_LINES = 500;

export const CompleteBody = Type.Object({ leaseToken, result: Type.Optional(Type.Unknown()) }, CLOSED);

export const FailBody = Type.Object(
  {
    leaseToken,
    error: Type.Object(
      {
        type: Type.Optional(Type.String()),
        message: Type.String(),
        stack: Type.Optional(Type.String()),
      },
      CLOSED,
    ),
    retry: Type.Optional(
      Type.Union([Type.Literal("auto"), Type.Literal("never"), Type.Object({ delayMs: Delay }, CLOSED)]),
    ),
  },
  CLOSED,
);

export const ReleaseBody = Type.Object({ leaseToken }, CLOSED);

export const SnoozeBody = Type.Object({ leaseToken, delayMs: Delay }, CLOSED);

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
    lines: Type.Array(
      Type.Object({ level: Type.Optional(Type.Enum([...LOG_LEVELS])), message: Type.String() }, CLOSED),
      { maxItems: MAX_LINES },
    ),
  },
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
        reason: Type.Enum(["reclaimed", "cancelled", "gone"]),
      }),
    ]),
  ),
});
export type HeartbeatView = Static<typeof HeartbeatView>;

export const CompletedView = Type.Object({
  state: JobState,
  /** Why the result was not kept although one was given. */
  resultProblem: Nullable.Text,
});

/** After a fail, release or snooze. */
export const SettledView = Type.Object({ state: JobState, runAt: Instant });
export const FailedView = Type.Object({ state: JobState, runAt: Instant, attempt: Type.Integer() });
