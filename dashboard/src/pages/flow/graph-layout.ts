/** A job as far as its place in the picture depends on it. */
export interface GraphJob<Link extends { readonly id: string }> {
  readonly id: string;
  readonly dependsOn: readonly Link[];
}

/** Where a job stands: the left edge and the middle of its height. */
export interface Place {
  readonly x: number;
  readonly y: number;
}

export interface DrawnEdge<Link> {
  readonly from: string;
  readonly to: string;
  readonly link: Link;
  readonly path: string;
}

export interface Layout<Link> {
  readonly places: ReadonlyMap<string, Place>;
  readonly edges: readonly DrawnEdge<Link>[];
  readonly width: number;
  readonly height: number;
}

export const NODE = { width: 200, height: 46 } as const;

/** Above these a picture tells nothing, and takes long to draw. */
export const MOST_JOBS = 300;
const MOST_BENDS = 3_000;

const COLUMN = NODE.width + 56;
const ROW_GAP = 14;
const BEND_HEIGHT = 6;
const EDGE_OF_PICTURE = 8;
const SWEEPS = 4;

/** What stands in a column: a job, or the bend of an edge that passes it. */
interface Cell {
  readonly column: number;
  readonly height: number;
  readonly before: Cell[];
  readonly after: Cell[];
  /** Its place in the column, from the top. */
  at: number;
  y: number;
}

/**
 * Puts jobs into columns, each right of those that it depends on, and orders them so that few edges cross.
 *
 * @returns `null`: there is nothing to be drawn, or too much
 */
export function layoutOf<Link extends { readonly id: string }>(
  jobs: readonly GraphJob<Link>[],
): Layout<Link> | null {
  if (jobs.length === 0 || jobs.length > MOST_JOBS) return null;
  const columnOf = columnsOf(jobs);
  const cells = new Map(jobs.map(({ id }) => [id, cellIn(columnOf.get(id) ?? 0, NODE.height)]));
  const all = [...cells.values()];
  const ways: { from: string; to: string; link: Link; way: readonly Cell[] }[] = [];
  for (const { id, dependsOn } of jobs) {
    for (const link of dependsOn) {
      const [first, last] = [cells.get(link.id), cells.get(id)];
      if (first === undefined || last === undefined || first.column >= last.column) continue;
      const bends = bendsBetween(first, last);
      all.push(...bends);
      if (all.length > MOST_JOBS + MOST_BENDS) return null;
      ways.push({ from: link.id, to: id, link, way: [first, ...bends, last] });
    }
  }
  const height = arrange(all);
  return {
    places: new Map([...cells].map(([id, { column, y }]) => [id, { x: leftOf(column), y }])),
    edges: ways.map(({ way, ...edge }) => ({ ...edge, path: pathOf(way) })),
    width: leftOf(Math.max(0, ...columnOf.values())) + NODE.width + EDGE_OF_PICTURE,
    height,
  };
}

/** By the longest way to each job. Read while it changes, a flow may seem to have a cycle: that ends a way. */
function columnsOf(jobs: readonly GraphJob<{ readonly id: string }>[]): Map<string, number> {
  const byId = new Map(jobs.map((job) => [job.id, job]));
  const columns = new Map<string, number>();
  const find = (id: string): number => {
    const known = columns.get(id);
    if (known !== undefined) return known;
    columns.set(id, 0);
    const before = byId.get(id)?.dependsOn.filter((link) => byId.has(link.id)) ?? [];
    const column = Math.max(-1, ...before.map((link) => find(link.id))) + 1;
    columns.set(id, column);
    return column;
  };
  for (const { id } of jobs) find(id);
  return columns;
}

function cellIn(column: number, height: number): Cell {
  return { column, height, before: [], after: [], at: 0, y: 0 };
}

/** @returns a cell in each column between the two, all of them joined */
function bendsBetween(first: Cell, last: Cell): Cell[] {
  const count = last.column - first.column - 1;
  const bends = Array.from({ length: count }, (_, index) => cellIn(first.column + 1 + index, BEND_HEIGHT));
  let left = first;
  for (const right of [...bends, last]) {
    left.after.push(right);
    right.before.push(left);
    left = right;
  }
  return bends;
}

/** Gives every cell its height in the picture. @returns how high that is */
function arrange(cells: readonly Cell[]): number {
  const all: Cell[][] = [];
  for (const cell of cells) (all[cell.column] ??= []).push(cell);
  // What was taken for a cycle may leave a column empty.
  const columns = all.filter((column) => column.length > 0);
  for (const column of columns) number(column);
  const back = columns.toReversed();
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    for (const column of columns) orderBy(column, "before");
    for (const column of back) orderBy(column, "after");
  }
  for (const column of columns) place(column, "before");
  for (const column of back) place(column, "after");
  for (const column of columns) place(column, "before");
  const top = Math.min(...cells.map(({ y, height }) => y - height / 2)) - EDGE_OF_PICTURE;
  for (const cell of cells) cell.y = Math.round(cell.y - top);
  return Math.max(...cells.map(({ y, height }) => y + height / 2)) + EDGE_OF_PICTURE;
}

function number(column: readonly Cell[]): void {
  for (const [at, cell] of column.entries()) cell.at = at;
}

/** Sorts by the middle of the neighbours on one side; whoever has none stays about where it is. */
function orderBy(column: Cell[], side: "before" | "after"): void {
  const wanted = new Map(column.map((cell) => [cell, mean(cell[side].map(({ at }) => at)) ?? cell.at]));
  column.sort((a, b) => (wanted.get(a) ?? 0) - (wanted.get(b) ?? 0));
  number(column);
}

/** Puts each at the height of its neighbours on one side, as far as those above leave room. */
function place(column: readonly Cell[], side: "before" | "after"): void {
  let above: Cell | null = null;
  let shift = 0;
  for (const cell of column) {
    const wanted = mean(cell[side].map(({ y }) => y)) ?? cell.y;
    const least = above === null ? -Infinity : above.y + (above.height + cell.height) / 2 + ROW_GAP;
    cell.y = Math.max(wanted, least);
    shift += wanted - cell.y;
    above = cell;
  }
  for (const cell of column) cell.y += shift / column.length;
}

function mean(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}

function leftOf(column: number): number {
  return EDGE_OF_PICTURE + column * COLUMN;
}

/** From the right edge of the first to the left edge of the last, straight through the columns between. */
function pathOf([first, ...others]: readonly Cell[]): string {
  if (first === undefined) return "";
  let x = leftOf(first.column) + NODE.width;
  let text = `M${x} ${first.y}`;
  for (const [index, { column, y }] of others.entries()) {
    const left = leftOf(column);
    const middle = (x + left) / 2;
    text += `C${middle} ${(index === 0 ? first : others[index - 1])?.y ?? y} ${middle} ${y} ${left} ${y}`;
    x = left + NODE.width;
    if (index < others.length - 1) text += `H${x}`;
  }
  return text;
}
