import { CronError, type CronField } from "./cron-error.js";
import type { Word } from "./words.js";

const SHOWN_LENGTH = 20;

/** Reads one field from left to right, and says where in the whole expression a fault is. */
export class FieldText {
  #at = 0;

  constructor(
    readonly field: CronField,
    readonly word: Word,
  ) {}

  /** Counted from 0 within the field. */
  get at(): number {
    return this.#at;
  }

  /** The character to read next; `undefined` at the end. */
  peek(): string | undefined {
    return this.word.text[this.#at];
  }

  peeksDigit(): boolean {
    return isDigit(this.peek());
  }

  /** Takes the character if it is the next one. */
  take(character: string): boolean {
    if (this.peek() !== character) return false;
    this.#at += 1;
    return true;
  }

  /** Takes a letter in either case, unless it begins a longer word. */
  takeLetter(letter: string): boolean {
    if (this.peek()?.toUpperCase() !== letter || isLetter(this.word.text[this.#at + 1])) return false;
    this.#at += 1;
    return true;
  }

  /** The digits ahead, maybe none. */
  takeDigits(): string {
    return this.#takeWhile(isDigit);
  }

  /** The letters ahead in capitals, maybe none. */
  takeLetters(): string {
    return this.#takeWhile(isLetter).toUpperCase();
  }

  /** Goes back to a place that has been passed. */
  rewind(to: number): void {
    this.#at = to;
  }

  fault(detail: string, at = this.#at): CronError {
    return new CronError(this.field, this.word.start + at + 1, detail);
  }

  /** The next character, for a message: never one that a terminal or a page could act on. */
  shown(): string {
    return shownCharacter(this.word.text, this.#at);
  }

  /** What has been read since a place, for a message. */
  readSince(from: number): string {
    return this.word.text.slice(from, Math.min(this.#at, from + SHOWN_LENGTH));
  }

  #takeWhile(belongs: (character: string | undefined) => boolean): string {
    const from = this.#at;
    while (belongs(this.peek())) this.#at += 1;
    return this.word.text.slice(from, this.#at);
  }
}

function isDigit(character: string | undefined): boolean {
  return character !== undefined && character >= "0" && character <= "9";
}

function isLetter(character: string | undefined): boolean {
  return character !== undefined && /^[A-Za-z]$/.test(character);
}

function shownCharacter(text: string, at: number): string {
  const code = text.codePointAt(at);
  if (code === undefined) return "the end";
  if (code > 0x20 && code < 0x7f) return `"${String.fromCodePoint(code)}"`;
  return `the character U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
}
