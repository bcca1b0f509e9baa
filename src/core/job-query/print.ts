import { formatInstant } from "../instant.js";
import { adviceOnLogic } from "./logic.js";
import { printPath } from "./path.js";
import type { JobQuery, JobTerm, JsonScalar, Moment } from "./query.js";
import { isBare } from "./text-reader.js";
import { isJsonWord, UNIT_MS } from "./values.js";

/**
 * The canonical text of a query. Reading it again gives an equal query, as long as no two terms differ in
 * nothing but their values: `parseJobQuery` makes one term of those, `bothQueries` does not.
 */
export function printJobQuery(query: JobQuery): string {
  return query.terms.map((term) => headOf(term) + valuesOf(term).join(",")).join(" ");
}

/** What a term says before its values. */
export function headOf(term: JobTerm): string {
  const sign = term.negated ? "-" : "";
  switch (term.kind) {
    case "state":
      return `${sign}state:`;
    case "text":
      return `${sign}${term.field}:`;
    case "error":
      return `${sign}error~`;
    case "number":
    case "time":
      return `${sign}${term.field}${term.operator}`;
    case "json":
      return `${sign}${term.document}${printPath(term.path)}${term.operator}`;
    case "word":
      return sign;
  }
}

function valuesOf(term: JobTerm): readonly string[] {
  switch (term.kind) {
    case "word":
      return [isBareWord(term.value) ? term.value : quote(term.value)];
    case "time":
      return [printMoment(term.value)];
    case "number":
      return term.values.map(String);
    case "json":
      return term.values.map(printScalar);
    case "state":
    case "text":
    case "error":
      return term.values.map(printText);
  }
}

function isBareWord(word: string): boolean {
  return /^[^-\d\s":=!<>~*][^\s":=!<>~*]*$/.test(word) && adviceOnLogic(word) === null;
}

function printText(text: string): string {
  return isBare(text) ? text : quote(text);
}

function printScalar(value: JsonScalar): string {
  if (typeof value !== "string") return JSON.stringify(value);
  return isJsonWord(value) ? quote(value) : printText(value);
}

function quote(text: string): string {
  return `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}

function printMoment(moment: Moment): string {
  if ("instant" in moment) return formatInstant(moment.instant);
  const { fromNowMs } = moment;
  const ms = Math.abs(fromNowMs);
  const units = Object.entries(UNIT_MS).toReversed();
  const [unit, size] = units.find((each) => ms % each[1] === 0 && ms >= each[1]) ?? ["s", UNIT_MS.s];
  return `${fromNowMs > 0 ? "+" : ""}${ms / size}${unit}`;
}
