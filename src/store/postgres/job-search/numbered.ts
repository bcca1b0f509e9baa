/** Gives the places of a statement's values their numbers: `$1`, `$2` and so on, in the order of the `?`. */
export function numbered(sql: string): string {
  let count = 0;
  return sql.replaceAll("?", () => {
    count += 1;
    return `$${String(count)}`;
  });
}
