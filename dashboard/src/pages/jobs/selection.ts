/** Which jobs an action is for: rows of the page, or all that the filter matches, on the screen or not. */
export interface Selection {
  /** The page that it was made on. On another one it is over. */
  readonly list: string;
  readonly all: boolean;
  readonly ids: ReadonlySet<string>;
  /** Where a range begins. */
  readonly anchor: string | null;
}

export function noSelection(list: string): Selection {
  return { list, all: false, ids: new Set(), anchor: null };
}

/** Ticks or unticks one row; with `range`, all rows from the one before do the same. */
export function toggled(
  selection: Selection,
  id: string,
  rows: readonly string[],
  range: boolean,
): Selection {
  const ids = new Set(selection.ids);
  const ticked = !ids.has(id);
  for (const each of range ? between(rows, selection.anchor ?? id, id) : [id]) {
    if (ticked) ids.add(each);
    else ids.delete(each);
  }
  return { ...selection, all: false, ids, anchor: id };
}

export function allToggled(selection: Selection, rows: readonly string[]): Selection {
  const complete = rows.every((id) => selection.ids.has(id));
  return { ...noSelection(selection.list), ids: new Set(complete ? [] : rows) };
}

function between(rows: readonly string[], from: string, to: string): readonly string[] {
  const [a, b] = [rows.indexOf(from), rows.indexOf(to)];
  return a < 0 || b < 0 ? [to] : rows.slice(Math.min(a, b), Math.max(a, b) + 1);
}
