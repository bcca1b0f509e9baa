import { Type, type Static } from "typebox";
import { MAX_KEY_LENGTH } from "../core/defaults.js";
import { CLOSED, Limit } from "./fields.js";

export const DEFAULT_SUGGESTIONS = 10;

export const SuggestQuery = Type.Object(
  {
    field: Type.Enum(["queue", "name", "tag", "schedule", "worker"]),
    /** What the suggestions begin with, as it is written. Default: anything. */
    prefix: Type.Optional(Type.String({ maxLength: MAX_KEY_LENGTH })),
    limit: Type.Optional(Limit(50)),
  },
  CLOSED,
);
export type SuggestQuery = Static<typeof SuggestQuery>;

export const SuggestView = Type.Object({ items: Type.Array(Type.String()) });
