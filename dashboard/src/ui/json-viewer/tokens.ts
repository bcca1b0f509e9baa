/**
 * - `key`: a string with a colon behind it
 * - `word`: `true`, `false`, `null`, and any other letters
 * - `other`: what JSON does not have; a text that was cut may end so
 */
export type TokenKind = "space" | "punctuation" | "key" | "string" | "number" | "word" | "other";

export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
}

/** One group for each kind, in the order of `KINDS`. A string may lack its end, where the text was cut. */
const TOKEN = /(\s+)|("[^"\\]*(?:\\[^][^"\\]*)*"?)|(-?\d[\d.eE+-]*)|([{}[\],:])|([A-Za-z]+)|([^])/gu;
const KINDS = ["space", "string", "number", "punctuation", "word", "other"] as const;

/**
 * The parts of a JSON text as they are written: put together again they are the text. Numbers in particular stay what
 * they are, whatever JavaScript can hold. Takes any text.
 */
export function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  let lastString = -1;
  for (const match of text.matchAll(TOKEN)) {
    const kind = KINDS[[1, 2, 3, 4, 5, 6].findIndex((group) => match[group] !== undefined)] ?? "other";
    if (kind === "punctuation" && match[0] === ":" && lastString >= 0) {
      tokens[lastString] = { kind: "key", text: tokens[lastString]?.text ?? "" };
    }
    if (kind === "string") lastString = tokens.length;
    else if (kind !== "space") lastString = -1;
    tokens.push({ kind, text: match[0] });
  }
  return tokens;
}
