import { termsOf } from "../../filter/filter-text.js";

/** Whether all jobs of a filter are jobs of a wider one, as far as their terms tell. Order means nothing. */
export function covers(wider: string, filter: string): boolean {
  const terms = new Set(termsOf(filter).map(({ text }) => text));
  return termsOf(wider).every(({ text }) => terms.has(text));
}

export function isSame(one: string, other: string): boolean {
  return covers(one, other) && covers(other, one);
}
