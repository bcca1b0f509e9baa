import { instantOf, type JobQuery, type JobTerm, type TextTerm } from "../../../core/job-query/query.js";
import type { Instant } from "../../../core/job.js";
import { JOB_STATES } from "../../../core/states.js";
import { anyOf, condition, not, type Condition } from "../../job-search/condition.js";
import { lowerAscii } from "../../job-search/lower-ascii.js";
import { isLaneTerm, OPERATORS, TIME_COLUMNS } from "../../job-search/terms.js";
import { jsonCondition } from "./json-condition.js";
import { oneOf } from "./one-of.js";

/**
 * `jobs`, or `counts`, which has a row for each queue, name and state, or `dead_groups`, which has one for each
 * queue, name and kind of error.
 */
type Table = "jobs" | "counts" | "dead_groups";

export function laneConditions(
  query: JobQuery,
  queueGlobs: readonly string[] | null,
  table: Table,
): Condition[] {
  const own = query.terms.filter(isLaneTerm).map((term) => termCondition(term, 0, table));
  return queueGlobs === null ? own : [...own, globs(`${table}.queue`, queueGlobs)];
}

export function termCondition(term: JobTerm, now: Instant, table: Table): Condition {
  const plain = plainCondition(term, now, table);
  return term.negated ? not(plain) : plain;
}

function plainCondition(term: JobTerm, now: Instant, table: Table): Condition {
  switch (term.kind) {
    case "state": {
      // Literals of our own, since only then SQLite takes the partial index of a state.
      const states = JOB_STATES.filter((state) => term.values.includes(state)).map((state) => `'${state}'`);
      return condition(`${table}.state IN (${states.join(", ")})`);
    }
    case "word":
      return contains(`${table}.name`, [term.value]);
    case "text":
      return textCondition(term, table);
    case "error":
      return lastErrorContains(term.values);
    case "number":
      if (term.operator === "=") return oneOf(`jobs.${term.field}`, term.values);
      return condition(`jobs.${term.field} ${OPERATORS[term.operator]} ?`, ...term.values);
    case "time":
      return condition(
        `jobs.${TIME_COLUMNS[term.field]} ${OPERATORS[term.operator]} ?`,
        instantOf(term.value, now),
      );
    case "json":
      return jsonCondition(term);
  }
}

function textCondition({ field, values }: TextTerm, table: Table): Condition {
  switch (field) {
    case "queue":
    case "name":
      return globs(`${table}.${field}`, values);
    case "id":
      return oneOf("jobs.id", values.map(Number));
    case "flow":
      return oneOf("jobs.flow_id", values.map(Number));
    case "worker":
      return oneOf("jobs.worker_id", values);
    case "tag":
      return exists("job_tags", oneOf("tag", values));
    case "key":
      return exists("job_specs", oneOf("idempotency_key", values));
    case "schedule":
      return exists("job_specs", oneOf("schedule_key", values));
    case "fingerprint": {
      const { sql } = oneOf("fingerprint", values);
      return condition(
        `EXISTS (SELECT 1 FROM dead_jobs JOIN dead_groups ON dead_groups.id = group_id
                 WHERE job_id = jobs.id AND ${sql})`,
        ...values,
      );
    }
  }
}

function exists(table: "job_tags" | "job_specs", { sql, values }: Condition): Condition {
  return condition(`EXISTS (SELECT 1 FROM ${table} WHERE ${sql} AND job_id = jobs.id)`, ...values);
}

/** Names hold none of the other characters that GLOB gives a meaning to. */
export function globs(column: string, patterns: readonly string[]): Condition {
  const exact = patterns.filter((pattern) => !pattern.includes("*"));
  const conditions = patterns
    .filter((pattern) => pattern.includes("*"))
    .map((pattern) => condition(`${column} GLOB ?`, pattern));
  if (exact.length > 0 || conditions.length === 0) conditions.push(oneOf(column, exact));
  return conditions.length === 1 && conditions[0] !== undefined ? conditions[0] : anyOf(conditions);
}

function contains(expression: string, parts: readonly string[]): Condition {
  return anyOf(parts.map((part) => condition(`instr(lower(${expression}), ?) > 0`, lowerAscii(part))));
}

function lastErrorContains(parts: readonly string[]): Condition {
  const found = anyOf([contains("error ->> '$.message'", parts), contains("error ->> '$.type'", parts)]);
  return condition(
    `(SELECT CASE WHEN json_valid(error) THEN ${found.sql} END
      FROM (SELECT error FROM attempts
            WHERE job_id = jobs.id AND error IS NOT NULL ORDER BY token DESC LIMIT 1))`,
    ...found.values,
  );
}
