import type { JobState } from "../api/types.js";
import { JOB_STATES } from "../../../src/core/states.js";

/** One condition of a filter, and where it stands in the text. */
export interface Term {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** Parted by spaces, except those in quotes. A quote that is not closed goes to the end. */
const TERM = /(?:"(?:\\[^]|[^"\\])*\\?(?:"|$)|[^\s"])+/g;

/** Parts a filter into its terms, without judging them: that is the server's. */
export function termsOf(filter: string): readonly Term[] {
  return [...filter.matchAll(TERM)].map(({ 0: text, index }) => ({
    text,
    start: index,
    end: index + text.length,
  }));
}

export function textOf(terms: readonly string[]): string {
  return terms
    .map((term) => term.trim())
    .filter((term) => term !== "")
    .join(" ");
}

/** The filter without the term at this place. */
export function withoutTerm(filter: string, index: number): string {
  return textOf(
    termsOf(filter)
      .filter((_, each) => each !== index)
      .map(({ text }) => text),
  );
}

/** What a filter says beside the states that it asks for. `-state:dead` is no such state. */
export function withoutStates(filter: string): string {
  return textOf(
    termsOf(filter)
      .map(({ text }) => text)
      .filter((text) => !asksForStates(text)),
  );
}

/** The states that a filter asks for; none: any. */
export function statesOf(filter: string): readonly string[] {
  return termsOf(filter)
    .filter(({ text }) => asksForStates(text))
    .flatMap(({ text }) => text.slice("state:".length).replaceAll('"', "").split(","));
}

function asksForStates(term: string): boolean {
  return term.startsWith("state:");
}

export function asState(text: string | null): JobState | null {
  return JOB_STATES.find((state) => state === text) ?? null;
}

/** So many ids fit into a filter, however long they are. */
const IDS_OF_A_FILTER = 50;

/** Filters that together match the jobs of these ids. */
export function idFilters(ids: readonly string[]): readonly string[] {
  const count = Math.ceil(ids.length / IDS_OF_A_FILTER);
  return Array.from({ length: count }, (_, part) => {
    const from = part * IDS_OF_A_FILTER;
    return `id:${ids.slice(from, from + IDS_OF_A_FILTER).join(",")}`;
  });
}
