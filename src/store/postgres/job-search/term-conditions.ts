import {
  instantOf,
  type JobQuery,
  type JobTerm,
  type JsonScalar,
  type JsonTerm,
  type TextTerm,
} from "../../../core/job-query/query.js";
import type { Instant } from "../../../core/job.js";
import { JOB_STATES } from "../../../core/states.js";
import { anyOf, condition, not, type Condition } from "../../job-search/condition.js";
import { lowerAscii } from "../../job-search/lower-ascii.js";
import { isLaneTerm, OPERATORS, TIME_COLUMNS } from "../../job-search/terms.js";
import { likePatterns } from "../like-patterns.js";

/**
 * `jobs`, or `counts` and `lanes`, which have rows for each queue and name, or `dead_groups`, which has one for each
 * queue, name and kind of error.
 */
type Table = "jobs" | "counts" | "lanes" | "dead_groups";

/** Where each document lies: table and column. */
const DOCUMENTS = {
  payload: { table: "job_specs", column: "payload" },
  result: { table: "job_results", column: "result" },
} as const;

/**
 * What the terms of queries mean in statements. Whatever is read beside the row of a job is a subquery that gives one
 * value: PostgreSQL then looks it up for each candidate, and never reads the other table whole to join it.
 */
export class TermConditions {
  constructor(private readonly s: string) {}

  lanes(query: JobQuery, queueGlobs: readonly string[] | null, table: Table): Condition[] {
    const own = query.terms.filter(isLaneTerm).map((term) => this.of(term, 0, table));
    return queueGlobs === null ? own : [...own, globs(`${table}.queue`, queueGlobs)];
  }

  of(term: JobTerm, now: Instant, table: Table): Condition {
    const plain = this.#plain(term, now, table);
    return term.negated ? not(plain) : plain;
  }

  #plain(term: JobTerm, now: Instant, table: Table): Condition {
    switch (term.kind) {
      case "state": {
        // Literals of our own, since only then PostgreSQL takes the partial index of a state.
        const states = JOB_STATES.filter((state) => term.values.includes(state)).map((state) => `'${state}'`);
        return condition(`${table}.state IN (${states.join(", ")})`);
      }
      case "word":
        return contains(`${table}.name`, [term.value]);
      case "text":
        return this.#text(term, table);
      case "error":
        return this.#lastErrorContains(term.values);
      case "number":
        if (term.operator === "=") return condition(`jobs.${term.field} = ANY (?::bigint[])`, term.values);
        return condition(`jobs.${term.field} ${OPERATORS[term.operator]} ALL (?::bigint[])`, term.values);
      case "time":
        return condition(
          `jobs.${TIME_COLUMNS[term.field]} ${OPERATORS[term.operator]} ?::bigint`,
          instantOf(term.value, now),
        );
      case "json":
        return this.#json(term);
    }
  }

  #text({ field, values }: TextTerm, table: Table): Condition {
    switch (field) {
      case "queue":
      case "name":
        return globs(`${table}.${field}`, values);
      case "id":
        return condition("jobs.id = ANY (?::bigint[])", values.map(Number));
      case "flow":
        return condition("jobs.flow_id = ANY (?::bigint[])", values.map(Number));
      case "worker":
        return oneOf("jobs.worker_id", values);
      case "tag":
        return this.#found("job_tags", oneOf("tag", values));
      case "key":
        return this.#found("job_specs", oneOf("idempotency_key", values));
      case "schedule":
        return this.#found("job_specs", oneOf("schedule_key", values));
      case "fingerprint": {
        const { s } = this;
        const group = `${s}.dead_jobs JOIN ${s}.dead_groups ON dead_groups.id = group_id`;
        return condition(
          `(SELECT true FROM ${group} WHERE job_id = jobs.id AND fingerprint = ANY (?::text[]) LIMIT 1)`,
          values.map(storedText),
        );
      }
    }
  }

  #found(table: "job_tags" | "job_specs", { sql, values }: Condition): Condition {
    return condition(
      `(SELECT true FROM ${this.s}.${table} WHERE ${sql} AND job_id = jobs.id LIMIT 1)`,
      ...values,
    );
  }

  #lastErrorContains(parts: readonly string[]): Condition {
    const { s } = this;
    const found = anyOf([contains("message.value", parts), contains("type.value", parts)]);
    return condition(
      `(SELECT ${found.sql} FROM (
          SELECT error FROM ${s}.attempts WHERE job_id = jobs.id AND error IS NOT NULL ORDER BY token DESC LIMIT 1
        ) AS latest
        CROSS JOIN LATERAL ${s}.json_at(error, '{.message}') AS message
        CROSS JOIN LATERAL ${s}.json_at(error, '{.type}') AS type)`,
      ...found.values,
    );
  }

  #json({ document, path, operator, values }: JsonTerm): Condition {
    const { table, column } = DOCUMENTS[document];
    const { sql, values: compared } = anyOf(values.map((value) => comparison(operator, value)));
    return condition(
      `(SELECT ${sql} FROM ${this.s}.${table} CROSS JOIN LATERAL ${this.s}.json_at(${column}, ?::text[]) AS found
        WHERE job_id = jobs.id)`,
      ...compared,
      path.map((step) => (typeof step === "number" ? `[${String(step)}` : `.${storedText(step)}`)),
    );
  }
}

export function oneOf(expression: string, values: readonly string[]): Condition {
  return condition(`${expression} = ANY (?::text[])`, values.map(storedText));
}

function globs(column: string, patterns: readonly string[]): Condition {
  return patterns.some((pattern) => pattern.includes("*"))
    ? condition(`${column} LIKE ANY (?::text[])`, likePatterns(patterns).map(storedText))
    : oneOf(column, patterns);
}

/** Compared by the rules of `C`, `lower` knows only ASCII. */
function contains(expression: string, parts: readonly string[]): Condition {
  return anyOf(
    parts.map((part) =>
      condition(`position(?::text IN lower(${expression} COLLATE "C")) > 0`, lowerAscii(storedText(part))),
    ),
  );
}

/** The type is compared too: the text `1` is not the number. */
function comparison(operator: JsonTerm["operator"], value: JsonScalar): Condition {
  switch (operator) {
    case "~": {
      const { sql, values } = contains("found.value", [String(value)]);
      return condition(`found.type = 'string' AND ${sql}`, ...values);
    }
    case "=":
      return equality(value);
    case "!=": {
      const { sql, values } = equality(value);
      return condition(`found.type IS NOT NULL AND NOT (${sql})`, ...values);
    }
    case ">":
    case ">=":
    case "<":
    case "<=":
      return condition(`found.number ${OPERATORS[operator]} ?::double precision`, Number(value));
  }
}

function equality(value: JsonScalar): Condition {
  if (value === null) return condition("found.type = 'null'");
  if (typeof value === "number") {
    return condition("found.type = 'number' AND found.number = ?::double precision", value);
  }
  if (typeof value === "boolean")
    return condition(`found.type = 'boolean' AND found.value = '${String(value)}'`);
  return condition(`found.type = 'string' AND found.value COLLATE "C" = ?::text`, storedText(value));
}

/** A text of PostgreSQL has no NUL. `json_at` reads it as this, and no other text has it. */
export function storedText(text: string): string {
  return text.replaceAll("\0", "\uFDD0");
}
