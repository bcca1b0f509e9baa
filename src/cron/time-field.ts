import { readList } from "./field-list.js";
import type { FieldSpec } from "./field-spec.js";
import { FieldText } from "./field-text.js";
import { readSpan } from "./field-values.js";
import { nextTable, type NextTable } from "./next-table.js";
import type { Word } from "./words.js";

/**
 * A field whose values are all that it says: second, minute, hour or month.
 *
 * @throws CronError
 */
export function readTimeField(word: Word, spec: FieldSpec): NextTable {
  const text = new FieldText(spec.field, word);
  const allowed = new Set<number>();
  readList(text, () => {
    for (const value of readSpan(text, spec)) allowed.add(value);
  });
  return nextTable(allowed, spec.largest);
}
