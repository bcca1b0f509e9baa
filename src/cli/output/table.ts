import { harmless } from "./harmless.js";
import { styled, type Style, type Terminal } from "./terminal.js";
import { cutText, textWidth } from "./text-width.js";

export interface Column<Row> {
  readonly title: string;
  readonly text: (row: Row) => string;
  readonly align?: "right";
  /** Down to how many characters it may be cut where the terminal is narrow. Default: never. */
  readonly least?: number;
  readonly style?: (row: Row) => Style | null;
}

const GAP = "  ";

/** Lines of a table with a head, cut to the width of the terminal. */
export function tableOf<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  { columns: available, colours }: Pick<Terminal, "columns" | "colours">,
): string {
  const cells = rows.map((row) => columns.map(({ text }) => harmless(text(row))));
  const widths = columns.map(({ title }, at) =>
    Math.max(title.length, ...cells.map((line) => textWidth(line[at] ?? ""))),
  );
  fit(widths, columns, available);
  const line = (texts: readonly string[], style: (at: number) => Style | null): string =>
    columns
      .map(({ align }, at) => {
        const cell = cutText(texts[at] ?? "", widths[at] ?? 0);
        const blank = " ".repeat((widths[at] ?? 0) - textWidth(cell));
        const shown = colours && cell !== "" ? styled(cell, style(at)) : cell;
        return align === "right" ? blank + shown : shown + blank;
      })
      .join(GAP)
      .trimEnd();
  const head = line(
    columns.map(({ title }) => title),
    () => "bold",
  );
  const body = cells.map((texts, row) => line(texts, (at) => columns[at]?.style?.(rows[row] as Row) ?? null));
  return [head, ...body].map((text) => `${text}\n`).join("");
}

/** Takes from the widest column that may be cut, until the line fits. */
function fit(widths: number[], columns: readonly { readonly least?: number }[], available: number): void {
  let excess = widths.reduce((sum, width) => sum + width, (widths.length - 1) * GAP.length) - available;
  for (; excess > 0; excess -= 1) {
    let widest = -1;
    for (const [at, { least }] of columns.entries()) {
      const width = widths[at] ?? 0;
      if (least === undefined || width <= least) continue;
      if (widest === -1 || width > (widths[widest] ?? 0)) widest = at;
    }
    if (widest === -1) return;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
}

/** A thing as lines of `name  value`. Values are not cut: who looks at one thing wants all of it. */
export function fieldsOf(
  fields: readonly (readonly [string, string | null])[],
  { colours }: Pick<Terminal, "colours">,
): string {
  const given = fields.filter((field): field is readonly [string, string] => field[1] !== null);
  const width = Math.max(...given.map(([name]) => name.length));
  return given
    .map(([name, value]) => {
      const title = colours ? styled(name, "bold") : name;
      return `${title}${" ".repeat(width - name.length)}${GAP}${harmless(value)}\n`;
    })
    .join("");
}
