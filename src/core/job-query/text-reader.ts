import { badFilter } from "./fault.js";

const SPACE = /\s/;

export const OPERATORS = [">=", "<=", "!=", ">", "<", "=", ":", "~"] as const;
export type Operator = (typeof OPERATORS)[number];

/** A value as it was written. */
export interface Written {
  readonly text: string;
  readonly quoted: boolean;
  readonly position: number;
}

/** Reads the text of a filter from left to right; it never goes back, so it takes linear time. */
export class TextReader {
  #at = 0;

  constructor(private readonly text: string) {}

  get position(): number {
    return this.#at;
  }

  /** Whether the reader is behind the last character. */
  get ended(): boolean {
    return this.#at >= this.text.length;
  }

  get #next(): string {
    return this.text.charAt(this.#at);
  }

  skipSpace(): void {
    while (SPACE.test(this.#next)) this.#at += 1;
  }

  /** Whether a term or value ends here. */
  get atSpace(): boolean {
    return this.ended || SPACE.test(this.#next);
  }

  /** Reads the character if it comes next. */
  take(character: string): boolean {
    if (this.#next !== character) return false;
    this.#at += 1;
    return true;
  }

  /** What comes before an operator, a quote or a space. */
  readHead(): string {
    return this.#readUntil((character) => ':=!<>~"'.includes(character));
  }

  /** `null`: none comes next. */
  readOperator(): Operator | null {
    const operator = OPERATORS.find((known) => this.text.startsWith(known, this.#at));
    if (operator === undefined) return null;
    this.#at += operator.length;
    return operator;
  }

  /** One value, quoted or bare. */
  readValue(): Written {
    const position = this.#at;
    if (this.#next === '"') return { text: this.readQuoted(), quoted: true, position };
    const text = this.#readUntil((character) => character === "," || character === '"');
    if (text === "") throw badFilter("missing_value", position, "a value is missing here");
    this.refuseQuote();
    return { text, quoted: false, position };
  }

  /** The text between quotes, where `\` makes the next character an ordinary one. */
  readQuoted(): string {
    const start = this.#at;
    this.#at += 1;
    const parts: string[] = [];
    for (;;) {
      if (this.ended) {
        throw badFilter("open_quote", start, 'this quote is not closed; write \\" for a quote inside');
      }
      if (this.take('"')) return parts.join("");
      // What stands behind a backslash is read with it, also at the end, where there is nothing.
      this.take("\\");
      parts.push(this.#next);
      this.#at += 1;
    }
  }

  /** A quote opens a value; in the middle of one it would be taken for something else than it was meant. */
  refuseQuote(): void {
    if (this.#next === '"') {
      throw badFilter(
        "misplaced_quote",
        this.#at,
        "a quote stands in the middle; put the whole value into quotes",
      );
    }
  }

  #readUntil(stops: (character: string) => boolean): string {
    const start = this.#at;
    while (!this.atSpace && !stops(this.#next)) this.#at += 1;
    return this.text.slice(start, this.#at);
  }
}

/** Whether text is read as one value when it stands without quotes. */
export function isBare(text: string): boolean {
  return text !== "" && !/[\s,"]/.test(text);
}
