import { termsOf } from "../../filter/filter-text.js";
import { filterValue } from "../../shell/routes.js";

/** What `queue:` takes. */
const NAME = /^[A-Za-z0-9._:-]+$/;

/** The filter, when it is one word without a qualifier: such a word is looked for in names only. */
export function bareWordOf(filter: string): string | null {
  const [term, ...more] = termsOf(filter).map(({ text }) => text);
  if (term === undefined || more.length > 0 || term.startsWith("-")) return null;
  const isQuoted = term.startsWith('"');
  if (!isQuoted && /[:=<>~]/.test(term)) return null;
  const word = isQuoted
    ? term
        .slice(1)
        .replace(/"$/, "")
        .replaceAll(/\\(["\\])/g, "$1")
    : term;
  return word.trim() === "" ? null : word;
}

/** Filters that look for the word elsewhere. */
export function wordSearches(word: string): readonly string[] {
  const value = filterValue(word);
  return [...(NAME.test(word) ? [`queue:*${word}*`] : []), `tag:${value}`, `key:${value}`, `error~${value}`];
}

/** How one looks for the word in payloads: `FIELD` is for the reader to name. */
export function payloadSearch(word: string): string {
  return `payload.FIELD=${filterValue(word)}`;
}
