import type { Instant } from "../job.js";
import type { JobState } from "../states.js";

/** Which jobs are meant: those that every term is true of. No terms: all jobs. */
export interface JobQuery {
  readonly terms: readonly JobTerm[];
}

/**
 * One condition. Of several `values` one must hold.
 *
 * A negated term is true of every job that the plain one is not true of, also where there is nothing to
 * compare: `-tag:vip` holds for jobs without tags.
 */
export type JobTerm = StateTerm | TextTerm | WordTerm | ErrorTerm | NumberTerm | TimeTerm | JsonTerm;

interface Negatable {
  readonly negated: boolean;
}

export interface StateTerm extends Negatable {
  readonly kind: "state";
  readonly values: readonly JobState[];
}

/** Compares the whole text. In `queue` and `name`, `*` stands for any number of characters. */
export interface TextTerm extends Negatable {
  readonly kind: "text";
  readonly field: TextField;
  readonly values: readonly string[];
}
export type TextField =
  "queue" | "name" | "tag" | "key" | "id" | "worker" | "schedule" | "flow" | "fingerprint";

/** The name of the job contains the text, whatever the case of ASCII letters. */
export interface WordTerm extends Negatable {
  readonly kind: "word";
  readonly value: string;
}

/** Type or message of the last error contains the text, whatever the case of ASCII letters. */
export interface ErrorTerm extends Negatable {
  readonly kind: "error";
  readonly values: readonly string[];
}

export type Order = ">" | ">=" | "<" | "<=";

/** Several values only with `=`. */
export interface NumberTerm extends Negatable {
  readonly kind: "number";
  readonly field: NumberField;
  readonly operator: Order | "=" | "!=";
  readonly values: readonly number[];
}
export type NumberField = "attempt" | "priority";

export interface TimeTerm extends Negatable {
  readonly kind: "time";
  readonly field: TimeField;
  readonly operator: Order;
  readonly value: Moment;
}
export type TimeField = "created" | "run" | "started" | "finished";

/** A point in time, or one that is this far ahead of the present; behind it when negative. */
export type Moment = { readonly instant: Instant } | { readonly fromNowMs: number };

/**
 * Compares what is at a place of the payload or result. Where there is nothing, or something of another
 * type, the term is not true; with `!=` another type differs, but nothing does not. `~`: a text that
 * contains the value, whatever the case of ASCII letters. Several values only with `=` and `~`.
 */
export interface JsonTerm extends Negatable {
  readonly kind: "json";
  readonly document: JsonDocument;
  /** Keys of objects and indexes of lists, from the outside. */
  readonly path: readonly (string | number)[];
  readonly operator: Order | "=" | "!=" | "~";
  readonly values: readonly JsonScalar[];
}
export type JsonDocument = "payload" | "result";
export type JsonScalar = string | number | boolean | null;

export const EVERY_JOB: JobQuery = { terms: [] };

/** Jobs that match both. */
export function bothQueries(a: JobQuery, b: JobQuery): JobQuery {
  return { terms: [...a.terms, ...b.terms] };
}

/** The same query with every relative time replaced by the instant that it means at `now`. */
export function resolveTimes(query: JobQuery, now: Instant): JobQuery {
  return {
    terms: query.terms.map((term) =>
      term.kind === "time" ? { ...term, value: { instant: instantOf(term.value, now) } } : term,
    ),
  };
}

export function instantOf(moment: Moment, now: Instant): Instant {
  return "instant" in moment ? moment.instant : now + moment.fromNowMs;
}
