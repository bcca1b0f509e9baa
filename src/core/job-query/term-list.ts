import { badFilter } from "./fault.js";
import { MAX_FILTER_VALUES } from "./limits.js";
import { headOf } from "./print.js";
import type { JobTerm } from "./query.js";

type ListTerm = Extract<JobTerm, { values: readonly unknown[] }>;

/** The terms read so far, where one that says more of the same joins the earlier one. */
export class TermList {
  readonly #terms: JobTerm[] = [];
  /** Places of the terms that more values may join. */
  readonly #places = new Map<string, number>();

  get all(): readonly JobTerm[] {
    return this.#terms;
  }

  /** @throws KonveierError `bad_filter` with this position when there are too many values */
  add(term: JobTerm, position: number): void {
    if (!isList(term)) {
      this.#terms.push(term);
      return;
    }
    const head = headOf(term);
    const place = this.#places.get(head) ?? this.#terms.length;
    const earlier = (this.#terms[place] as ListTerm | undefined)?.values ?? [];
    const values = [...new Set<unknown>([...earlier, ...term.values])];
    if (values.length > MAX_FILTER_VALUES) {
      throw badFilter("too_many_values", position, `a term has at most ${MAX_FILTER_VALUES} values`);
    }
    this.#places.set(head, place);
    this.#terms[place] = { ...term, values } as JobTerm;
  }
}

/** Whether several values say "or": then terms with the same head do so too. */
function isList(term: JobTerm): term is ListTerm {
  switch (term.kind) {
    case "state":
    case "text":
    case "error":
      return true;
    case "number":
      return term.operator === "=";
    case "json":
      return term.operator === "=" || term.operator === "~";
    case "word":
    case "time":
      return false;
  }
}
