/**
 * The indexes of values that have no neighbour: no line goes through them, so a dot is all that shows them.
 * `null` when there are none.
 */
export function lonePoints(values: ArrayLike<number | null | undefined>): number[] | null {
  const isThere = (index: number): boolean => values[index] !== null && values[index] !== undefined;
  const lone = Array.from({ length: values.length }, (_, index) => index).filter(
    (index) => isThere(index) && !isThere(index - 1) && !isThere(index + 1),
  );
  return lone.length === 0 ? null : lone;
}
