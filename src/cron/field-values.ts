import { valuesOf, type FieldSpec } from "./field-spec.js";
import type { FieldText } from "./field-text.js";

const MOST_DIGITS = 2;
/** `FRIL`: the L is no part of the name. */
const LAST_OF_NAME = /^[A-Z]{3}L$/;

/** One value as written: a number or a name. */
export interface WrittenValue {
  readonly value: number;
  readonly text: string;
  readonly named: boolean;
}

/** @throws CronError when no value of the field comes next */
export function readValue(text: FieldText, spec: FieldSpec): WrittenValue {
  const from = text.at;
  if (text.peeksDigit()) {
    const value = readNumber(text, spec.smallest, spec.largestWritten, valuesOf(spec));
    return { value, text: text.readSince(from), named: false };
  }
  if (text.peek() === "?") {
    throw text.fault('"?" stands alone, as the whole day of month or day of week; write *');
  }
  const letters = spec.names.length > 0 ? text.takeLetters() : "";
  if (letters === "") {
    const what = text.peek() === undefined ? "a value is missing at the end" : `${text.shown()} is no value`;
    throw text.fault(`${what}; write ${valuesOf(spec)}`);
  }
  const name = LAST_OF_NAME.test(letters) ? letters.slice(0, -1) : letters;
  const index = spec.names.indexOf(name);
  if (index === -1) {
    throw text.fault(`the name ${text.readSince(from)} is not known; write ${valuesOf(spec)}`, from);
  }
  text.rewind(from + name.length);
  return { value: spec.smallest + index, text: name, named: true };
}

/** A number between two bounds. `wanted` tells them in the message of the fault. */
export function readNumber(text: FieldText, smallest: number, largest: number, wanted: string): number {
  const from = text.at;
  const digits = text.takeDigits();
  if (digits === "") {
    const what =
      text.peek() === undefined ? "a number is missing at the end" : `${text.shown()} is no number`;
    throw text.fault(`${what}; write ${wanted}`);
  }
  if (digits.length > MOST_DIGITS) {
    throw text.fault(`${digits.length} digits are too many; write ${wanted}`, from);
  }
  const value = Number(digits);
  if (value < smallest || value > largest) {
    throw text.fault(`${digits} is out of range; write ${wanted}`, from);
  }
  return value;
}

/** The values of `*`, `5` or `10-50`, each with or without a step such as `/5`. */
export function readSpan(text: FieldText, spec: FieldSpec): readonly number[] {
  if (text.take("*")) return every(spec.smallest, spec.largest, readStep(text, spec) ?? 1);
  return readSpanFrom(text, spec, text.at, readValue(text, spec));
}

/** What may follow a first value: nothing, the end of a range, a step. */
export function readSpanFrom(
  text: FieldText,
  spec: FieldSpec,
  from: number,
  first: WrittenValue,
): readonly number[] {
  if (text.take("-")) {
    const last = rangeEnd(text, spec, from, first);
    return every(first.value, last, readStep(text, spec) ?? 1);
  }
  const step = readStep(text, spec);
  if (step === null) return [first.value];
  if (first.value > spec.largest) {
    throw text.fault(`a step from ${first.text} is not clear; write ${spec.smallest}/${step}`, from);
  }
  return every(first.value, spec.largest, step);
}

function rangeEnd(text: FieldText, spec: FieldSpec, from: number, first: WrittenValue): number {
  const last = readValue(text, spec);
  const sunday = spec.largestWritten > spec.largest && last.named && last.value === 0;
  if (sunday && first.value === 0) {
    throw text.fault(`${first.text}-${last.text} is one day or all; write ${first.text} or *`, from);
  }
  const end = sunday ? spec.largestWritten : last.value;
  if (end < first.value) {
    throw text.fault(
      `the range ${first.text}-${last.text} runs backwards; write two: ${twoRanges(spec, first, last)}`,
      from,
    );
  }
  return end;
}

function twoRanges(spec: FieldSpec, first: WrittenValue, last: WrittenValue): string {
  const name = (value: number, named: boolean) =>
    (named ? spec.names[value - spec.smallest] : undefined) ?? String(value);
  const upper = range(first.text, name(Math.max(spec.largest, first.value), first.named));
  return `${upper},${range(name(spec.smallest, last.named), last.text)}`;
}

function range(from: string, to: string): string {
  return from === to ? from : `${from}-${to}`;
}

/** The number after a `/`; `null` when there is no `/`. */
function readStep(text: FieldText, spec: FieldSpec): number | null {
  if (!text.take("/")) return null;
  return readNumber(text, 1, spec.largestWritten, `a step of 1 to ${spec.largestWritten}`);
}

function every(from: number, to: number, step: number): readonly number[] {
  const values: number[] = [];
  for (let value = from; value <= to; value += step) values.push(value);
  return values;
}
