const QUOTES = "in quotes it is text that names are searched for";

/** How to say what other languages say so. */
const ADVICE: Readonly<Record<string, string>> = {
  AND: "every term must be true anyway, so leave AND out",
  OR: "terms are not joined by OR; one term may have several values, such as state:pending,running",
  NOT: 'a term is negated by a "-" right before it, such as -tag:test',
};

const PARENTHESES =
  "terms are not grouped by parentheses: every term must be true, and one term may have several values, such as state:pending,running";

/**
 * What to write instead of a bare word by which other languages join, negate or group terms; `null` for all other words.
 * Searched for in names, such words would match next to nothing, or everything where they are negated.
 */
export function adviceOnLogic(word: string): string | null {
  const advice = /[()]/.test(word) ? PARENTHESES : Object.hasOwn(ADVICE, word) ? ADVICE[word] : undefined;
  return advice === undefined ? null : `${advice}; ${QUOTES}`;
}
