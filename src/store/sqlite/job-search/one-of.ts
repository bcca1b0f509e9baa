import { condition, type Condition } from "../../job-search/condition.js";

export function oneOf(expression: string, values: readonly (string | number)[]): Condition {
  return condition(`${expression} IN (${values.map(() => "?").join(", ")})`, ...values);
}
