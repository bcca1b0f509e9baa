/** A part of an expression, and where it begins in the text, counted from 0. */
export interface Word {
  readonly text: string;
  readonly start: number;
}

/** The parts between spaces and tabs. Other white space is no separator, and faults where it stands. */
export function wordsOf(text: string): Word[] {
  return Array.from(text.matchAll(/[^ \t]+/g), (match) => ({ text: match[0], start: match.index }));
}
