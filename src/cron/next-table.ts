/** For every value of a field, and one beyond its largest: the smallest allowed value from there on, or `NONE`. */
export type NextTable = readonly number[];

export const NONE = -1;

export function nextTable(allowed: ReadonlySet<number>, largest: number): NextTable {
  const table: number[] = [];
  let next = NONE;
  for (let value = largest + 1; value >= 0; value -= 1) {
    if (allowed.has(value)) next = value;
    table[value] = next;
  }
  return Object.freeze(table);
}

/** The smallest allowed value that is at least `from`; `NONE` when there is none. */
export function nextAllowed(table: NextTable, from: number): number {
  return table[from] ?? NONE;
}
