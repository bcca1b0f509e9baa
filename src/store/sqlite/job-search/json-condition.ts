import type { JsonScalar, JsonTerm } from "../../../core/job-query/query.js";
import { anyOf, condition, type Condition } from "../../job-search/condition.js";
import { lowerAscii } from "../../job-search/lower-ascii.js";

/** Where each document lies: table and column. */
const DOCUMENTS = {
  payload: { table: "job_specs", column: "payload" },
  result: { table: "job_results", column: "result" },
} as const;

/**
 * A comparison within a payload or result. Text that SQLite cannot read as JSON matches nothing; read
 * without the check it would fail the statement, and with it the whole page.
 */
export function jsonCondition(term: JsonTerm): Condition {
  const { table, column } = DOCUMENTS[term.document];
  const path = pathOf(term.path);
  const { sql, values } = anyOf(term.values.map((value) => comparison(column, path, term.operator, value)));
  return condition(
    `EXISTS (SELECT 1 FROM ${table}
             WHERE job_id = jobs.id AND CASE WHEN json_valid(${column}) THEN ${sql} END)`,
    ...values,
  );
}

/** SQLite's own path text, a bound value too. Keys hold neither quotes nor backslashes. */
function pathOf(path: JsonTerm["path"]): string {
  return `$${path.map((step) => (typeof step === "number" ? `[${step}]` : `."${step}"`)).join("")}`;
}

function comparison(
  column: string,
  path: string,
  operator: JsonTerm["operator"],
  value: JsonScalar,
): Condition {
  const type = `json_type(${column}, ?)`;
  const found = `json_extract(${column}, ?)`;
  const isNumber = `${type} IN ('integer', 'real')`;
  switch (operator) {
    case "~":
      return condition(
        `${type} = 'text' AND instr(lower(${found}), ?) > 0`,
        path,
        path,
        lowerAscii(String(value)),
      );
    case "=":
      return equality(column, path, value);
    case "!=": {
      const same = equality(column, path, value);
      return condition(`${type} IS NOT NULL AND NOT (${same.sql})`, path, ...same.values);
    }
    case ">":
      return condition(`${isNumber} AND ${found} > ?`, path, path, Number(value));
    case ">=":
      return condition(`${isNumber} AND ${found} >= ?`, path, path, Number(value));
    case "<":
      return condition(`${isNumber} AND ${found} < ?`, path, path, Number(value));
    case "<=":
      return condition(`${isNumber} AND ${found} <= ?`, path, path, Number(value));
  }
}

/** The type is compared too: SQLite reads `true` as 1, and a list as its text. */
function equality(column: string, path: string, value: JsonScalar): Condition {
  const type = `json_type(${column}, ?)`;
  const found = `json_extract(${column}, ?)`;
  if (typeof value === "string") return condition(`${type} = 'text' AND ${found} = ?`, path, path, value);
  if (typeof value === "number") {
    return condition(`${type} IN ('integer', 'real') AND ${found} = ?`, path, path, value);
  }
  return condition(`${type} = ?`, path, JSON.stringify(value));
}
