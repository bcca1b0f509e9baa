import { OPERATORS_OF, QUALIFIERS, type Qualifier } from "../../../src/core/job-query/qualifiers.js";
import { JOB_STATES } from "../../../src/core/states.js";
import { filterValue } from "../shell/routes.js";
import { termsOf } from "./filter-text.js";

/** Fields whose values the server can suggest. */
export const SUGGESTED_FIELDS = ["queue", "name", "tag", "schedule", "worker"] as const;
export type SuggestedField = (typeof SUGGESTED_FIELDS)[number];

/** What is being written in front of the caret: the part from `start` to `end` is what a suggestion replaces. */
export interface Completion {
  readonly start: number;
  readonly end: number;
  /** `null`: the qualifier itself is being written. */
  readonly qualifier: string | null;
  readonly typed: string;
}

/** One thing that could be written instead. */
export interface Suggestion {
  readonly text: string;
  /** Whether the term is complete with it. */
  readonly completes: boolean;
}

const QUALIFIED = /^-?([a-z]+)(?::|!=|>=|<=|=|>|<|~)/;
const RELATIVE_TIMES = ["15m", "1h", "24h", "7d"];

export function completionAt(text: string, caret: number): Completion {
  const written = text.slice(0, caret);
  const last = termsOf(written).at(-1);
  if (last?.end !== written.length) return { start: caret, end: caret, qualifier: null, typed: "" };
  const [head, qualifier] = QUALIFIED.exec(last.text) ?? [];
  if (head === undefined || qualifier === undefined) {
    const typed = last.text.replace(/^-/, "");
    return { start: caret - typed.length, end: caret, qualifier: null, typed };
  }
  const value = lastValue(last.text.slice(head.length));
  return { start: caret - value.length, end: caret, qualifier, typed: value.replace(/^"/, "") };
}

/** What stands behind the last comma that is not in quotes. */
function lastValue(values: string): string {
  return /(?:"(?:\\[^]|[^"\\])*"?|[^",])*$/.exec(values)?.[0] ?? "";
}

export function fieldOf({ qualifier }: Completion): SuggestedField | null {
  return SUGGESTED_FIELDS.find((field) => field === qualifier) ?? null;
}

/** What to offer. `values` are what the server knows of the field. */
export function suggestionsFor(completion: Completion, values: readonly string[]): readonly Suggestion[] {
  const { qualifier, typed } = completion;
  if (qualifier === null) {
    return Object.entries(QUALIFIERS)
      .filter(([name]) => name.startsWith(typed) && name !== typed)
      .map(([name, { kind }]) => ({ text: name + openingOf(kind), completes: false }));
  }
  return valuesOf(qualifier, values)
    .filter((value) => value.startsWith(typed))
    .map((value) => ({ text: filterValue(value), completes: true }));
}

function valuesOf(qualifier: string, values: readonly string[]): readonly string[] {
  const kind = Object.hasOwn(QUALIFIERS, qualifier) ? QUALIFIERS[qualifier]?.kind : undefined;
  if (kind === "state") return JOB_STATES;
  if (kind === "time") return RELATIVE_TIMES;
  return values;
}

/** What most often stands behind a qualifier of this kind. */
function openingOf(kind: Qualifier["kind"]): string {
  if (kind === "json") return ".";
  if (kind === "number") return ">=";
  return OPERATORS_OF[kind][0] ?? ":";
}

export function completed(text: string, { start, end }: Completion, suggestion: Suggestion): string {
  return text.slice(0, start) + suggestion.text + text.slice(end);
}
