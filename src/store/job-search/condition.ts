/** A list is one value, where the database has lists. */
type Value = string | number | readonly string[] | readonly number[];

/** A condition of a statement, with a `?` for each value. Whatever a user wrote is among the values, never in the text. */
export interface Condition {
  readonly sql: string;
  readonly values: readonly Value[];
}

export function condition(sql: string, ...values: Value[]): Condition {
  return { sql, values };
}

/** True when all are; also when there are none. */
export function allOf(conditions: readonly Condition[]): Condition {
  if (conditions.length === 0) return condition("TRUE");
  return condition(
    conditions.map(({ sql }) => `(${sql})`).join(" AND "),
    ...conditions.flatMap(({ values }) => values),
  );
}

export function anyOf(conditions: readonly Condition[]): Condition {
  return condition(
    conditions.map(({ sql }) => `(${sql})`).join(" OR "),
    ...conditions.flatMap(({ values }) => values),
  );
}

/** True where the condition is false or unknown. */
export function not({ sql, values }: Condition): Condition {
  return { sql: `(${sql}) IS NOT TRUE`, values };
}
