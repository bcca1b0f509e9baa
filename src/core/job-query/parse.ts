import type { KonveierError } from "../errors.js";
import { nearestName } from "../nearest-name.js";
import { badFilter } from "./fault.js";
import { MAX_FILTER_LENGTH, MAX_FILTER_TERMS } from "./limits.js";
import { adviceOnLogic } from "./logic.js";
import { readPath } from "./path.js";
import { LISTING, OPERATORS_OF, QUALIFIERS, type Qualifier } from "./qualifiers.js";
import type { JobQuery, JobTerm, JsonTerm, NumberTerm, TimeTerm } from "./query.js";
import { TextReader, type Operator, type Written } from "./text-reader.js";
import { TermList } from "./term-list.js";
import {
  isGlob,
  isJobId,
  oneStar,
  readMoment,
  readNumber,
  readPart,
  readScalar,
  readState,
  readText,
  readWholeNumber,
} from "./values.js";

/** Of a word that somebody made up. */
const LONGEST_SHOWN = 40;

/**
 * Reads a filter such as `state:dead queue:email* -tag:test error~timeout`; docs/filter.md has the language.
 * Terms that repeat a qualifier with `:`, `=` or `~` become one term with all values.
 *
 * @throws KonveierError `bad_filter`, whose fault has the position in the text
 */
export function parseJobQuery(text: string): JobQuery {
  return readQuery(text, () => undefined);
}

/**
 * Reads a filter that leaves the states to somebody else.
 *
 * @throws KonveierError `bad_filter`, also for `state:`
 */
export function parseStatelessQuery(text: string): JobQuery {
  return readQuery(text, ({ kind }, position) => {
    if (kind !== "state") return;
    throw badFilter(
      "conflict",
      position,
      "every state is counted by itself, so the filter must not choose any",
    );
  });
}

function readQuery(text: string, check: (term: JobTerm, position: number) => void): JobQuery {
  if (text.length > MAX_FILTER_LENGTH) {
    const detail = `a filter has at most ${MAX_FILTER_LENGTH} characters, this one has ${text.length}`;
    throw badFilter("too_long", MAX_FILTER_LENGTH, detail);
  }
  // Stores read it in ways of their own: it might mean other jobs than those that were meant.
  const lone = /\p{Cs}/u.exec(text);
  if (lone !== null) {
    throw badFilter("bad_value", lone.index, "half of a surrogate pair is no character");
  }
  const reader = new TextReader(text);
  const terms = new TermList();
  for (let count = 1; ; count += 1) {
    reader.skipSpace();
    if (reader.ended) return { terms: terms.all };
    const { position } = reader;
    if (count > MAX_FILTER_TERMS) {
      throw badFilter("too_many_terms", position, `a filter has at most ${MAX_FILTER_TERMS} terms`);
    }
    const term = readTerm(reader);
    check(term, position);
    terms.add(term, position);
  }
}

function readTerm(reader: TextReader): JobTerm {
  const start = reader.position;
  const negated = reader.take("-");
  if (negated && reader.atSpace) {
    throw badFilter("missing_term", start, 'a "-" stands right before the term that it negates');
  }
  const position = reader.position;
  const head = reader.readHead();
  if (head === "" && !reader.atSpace) {
    const operator = reader.readOperator();
    if (operator !== null) {
      throw badFilter("missing_qualifier", position, `a qualifier is missing before "${operator}"`);
    }
  }
  if (head !== "") {
    refuseLogic(reader.atSpace ? head : qualifierIn(head), position);
    reader.refuseQuote();
    if (reader.atSpace) return wordTerm(head, negated);
    return qualifiedTerm(reader, negated, head, position);
  }
  return { kind: "word", negated, value: quotedWord(reader) };
}

function refuseLogic(word: string, position: number): void {
  const advice = adviceOnLogic(word);
  if (advice !== null) throw badFilter("boolean_operator", position, advice);
}

function quotedWord(reader: TextReader): string {
  const { position } = reader;
  // Only a lone "!" is neither an operator nor a quote.
  if (reader.take("!")) throw badFilter("bad_operator", position, '"!" is followed by "="');
  const written = reader.readValue();
  refuseMore(reader);
  return readPart(written);
}

/** A word without a qualifier: an id, a pattern of names, or a part of a name. */
function wordTerm(word: string, negated: boolean): JobTerm {
  if (isJobId(word)) return { kind: "text", field: "id", negated, values: [word] };
  if (word.includes("*") && isGlob(word)) {
    return { kind: "text", field: "name", negated, values: [oneStar(word)] };
  }
  return { kind: "word", negated, value: word };
}

function qualifiedTerm(reader: TextReader, negated: boolean, head: string, position: number): JobTerm {
  const word = qualifierIn(head);
  const qualifier = Object.hasOwn(QUALIFIERS, word) ? QUALIFIERS[word] : undefined;
  if (qualifier === undefined || (qualifier.kind !== "json" && word !== head)) {
    throw unknownQualifier(head, position);
  }
  const path = readPath(head.slice(word.length), position + word.length);
  const operator = readOperatorOf(reader, qualifier, head);
  return termOf(qualifier, negated, path, operator, readValues(reader, operator));
}

/** A payload's path stands behind a point or bracket. */
function qualifierIn(head: string): string {
  return head.split(/[.[]/, 1)[0] ?? "";
}

function unknownQualifier(head: string, position: number): KonveierError {
  const nearest = nearestName(head, Object.keys(QUALIFIERS));
  const word = head.length > LONGEST_SHOWN ? `${head.slice(0, LONGEST_SHOWN)}…` : head;
  const advice =
    nearest === null ? "put text that is searched for into quotes" : `did you mean "${nearest}"?`;
  return badFilter("unknown_qualifier", position, `there is no qualifier "${word}"; ${advice}`);
}

function readOperatorOf(reader: TextReader, { kind }: Qualifier, head: string): Operator {
  const { position } = reader;
  const operator = reader.readOperator();
  const allowed = OPERATORS_OF[kind];
  if (operator !== null && allowed.includes(operator)) return operator;
  const list = allowed.map((each) => `"${each}"`).join(", ");
  throw badFilter("bad_operator", position, `"${head.slice(0, LONGEST_SHOWN)}" is followed by ${list}`);
}

function readValues(reader: TextReader, operator: Operator): readonly Written[] {
  const values = [reader.readValue()];
  for (;;) {
    const { position } = reader;
    if (!reader.take(",")) break;
    if (!LISTING.includes(operator)) {
      throw badFilter("too_many_values", position, `"${operator}" takes one value; put a comma into quotes`);
    }
    values.push(reader.readValue());
  }
  refuseMore(reader);
  return values;
}

function refuseMore(reader: TextReader): void {
  if (!reader.atSpace) throw badFilter("missing_space", reader.position, "a space is missing here");
}

function termOf(
  qualifier: Qualifier,
  negated: boolean,
  path: readonly (string | number)[],
  operator: Operator,
  written: readonly Written[],
): JobTerm {
  switch (qualifier.kind) {
    case "state":
      return { kind: "state", negated, values: written.map(readState) };
    case "error":
      return { kind: "error", negated, values: written.map(readPart) };
    case "text": {
      const { field } = qualifier;
      return { kind: "text", field, negated, values: written.map((value) => readText(field, value)) };
    }
    case "number":
      return {
        kind: "number",
        field: qualifier.field,
        operator: operator as NumberTerm["operator"],
        negated,
        values: written.map(readWholeNumber),
      };
    case "time":
      return {
        kind: "time",
        field: qualifier.field,
        operator: operator as TimeTerm["operator"],
        negated,
        value: written.map(readMoment)[0] ?? { fromNowMs: 0 },
      };
    case "json": {
      const { document } = qualifier;
      const values = written.map(readerOf(operator));
      return { kind: "json", document, path, operator: operator as JsonTerm["operator"], negated, values };
    }
  }
}

/** How a value of a payload is read. */
function readerOf(operator: Operator): (written: Written) => JsonTerm["values"][number] {
  if (operator === "~") return readPart;
  return operator === "=" || operator === "!=" ? readScalar : readNumber;
}
