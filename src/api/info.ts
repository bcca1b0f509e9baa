import { Type, type Static } from "typebox";
import { Instant, Nullable } from "./fields.js";

const Count = Type.Integer();
const MillisecondsOrNull = Nullable.WholeNumber;

const SettingView = Type.Object(
  {
    /** Of its variable. */
    name: Type.String(),
    /** `null`: it has none, or it is secret. */
    value: Nullable.Text,
    secret: Type.Boolean(),
    source: Type.Enum(["default", "environment", "flag", "file"]),
  },
  { title: "Setting" },
);

export const InfoView = Type.Object(
  {
    version: Type.String(),
    store: Type.Object({
      kind: Type.String(),
      /** Of the database software. */
      version: Type.String(),
      schemaVersion: Type.Integer(),
    }),
    startedAt: Instant,
    /** The clock that decides what is due. */
    now: Instant,
    /** Which installation this is, as its operator calls it. */
    environment: Type.Union([Type.Object({ label: Type.String(), color: Nullable.Text }), Type.Null()]),
    limits: Type.Object({
      bodyBytes: Count,
      payloadBytes: Count,
      payloadDepth: Count,
      batchJobs: Count,
      claimJobs: Count,
      nameLength: Count,
      keyLength: Count,
      tags: Count,
      tagLength: Count,
      priority: Count,
      attempts: Count,
      attemptsKept: Count,
      logLines: Count,
      steps: Count,
      logMessageLength: Count,
      progressMessageLength: Count,
      reasonLength: Count,
      /** Counts go no further. */
      countCap: Count,
      /** How long a search may look at jobs in vain. */
      scanMs: Count,
    }),
    /** How long finished jobs are kept; `null` inside: without limit. `null`: this server does not know. */
    retention: Type.Union([
      Type.Object({
        completedMs: MillisecondsOrNull,
        cancelledMs: MillisecondsOrNull,
        deadMs: MillisecondsOrNull,
        maxCompleted: Nullable.WholeNumber,
      }),
      Type.Null(),
    ]),
    /** How many proxies and networks are trusted to say where a request came from. */
    trustedProxies: Count,
    /** `null` for whom it is none of their business: all but administrators. */
    settings: Type.Union([Type.Array(SettingView), Type.Null()]),
  },
  { title: "Info" },
);
export type InfoView = Static<typeof InfoView>;
