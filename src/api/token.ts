import { Type, type Static } from "typebox";
import { ALL_SCOPES } from "../core/access.js";
import { QUEUE_GLOB_PATTERN } from "../core/queue-globs.js";
import { MAX_NAME_LENGTH } from "../core/defaults.js";
import { CLOSED, Instant, InstantInput, Key, Nullable } from "./fields.js";

const ScopeName = Type.Enum([...ALL_SCOPES]);
const MAX_QUEUE_GLOBS = 100;
const MAX_OVERLAP_MS = 30 * 24 * 3_600_000;

const QueueGlob = Type.String({
  pattern: QUEUE_GLOB_PATTERN,
  minLength: 1,
  maxLength: MAX_NAME_LENGTH,
  "x-fault": { code: "invalid_name", detail: 'must be a queue name, in which "*" stands for any text' },
});

export const TokenBody = Type.Object(
  {
    /** For people: what the token is for. */
    name: Key,
    scopes: Type.Array(ScopeName, { minItems: 1, maxItems: ALL_SCOPES.length }),
    /** Queues that the token may see and use. Default: all. */
    queues: Type.Optional(Type.Array(QueueGlob, { minItems: 1, maxItems: MAX_QUEUE_GLOBS })),
    /** Default: never. */
    expiresAt: Type.Optional(InstantInput),
  },
  CLOSED,
);

export type TokenBody = Static<typeof TokenBody>;

export const RotateTokenBody = Type.Object(
  {
    /** How long the old token is still good. Default: a day. */
    overlapMs: Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_OVERLAP_MS })),
  },
  CLOSED,
);

const tokenFields = {
  id: Type.String(),
  name: Type.String(),
  scopes: Type.Array(ScopeName),
  /** `null`: all queues. */
  queues: Type.Union([Type.Array(Type.String()), Type.Null()]),
  createdAt: Instant,
  /** Id of the token that made it. */
  createdBy: Type.String(),
  expiresAt: Nullable.Instant,
  /** To the minute. */
  lastUsedAt: Nullable.Instant,
  revokedAt: Nullable.Instant,
};

export const TokenView = Type.Object(tokenFields, { title: "Token" });
export type TokenView = Static<typeof TokenView>;

export const TokenListView = Type.Object({ items: Type.Array(TokenView) });

export const IssuedTokenView = Type.Object(
  {
    ...tokenFields,
    /** The token itself. It is shown only here. */
    token: Type.String(),
  },
  { title: "IssuedToken" },
);
export type IssuedTokenView = Static<typeof IssuedTokenView>;

export const TokenParams = Type.Object({ id: Type.String() });

/** Who calls, and what that one may do. */
export const SelfView = Type.Object(
  {
    /** `root`: the token of the configuration. */
    id: Type.String(),
    name: Type.String(),
    capabilities: Type.Array(Type.String()),
    queues: Type.Union([Type.Array(Type.String()), Type.Null()]),
    session: Type.Boolean(),
  },
  { title: "Self" },
);
export type SelfView = Static<typeof SelfView>;

export const SessionBody = Type.Object({ token: Type.String() }, CLOSED);
