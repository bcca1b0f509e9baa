import type { FieldText } from "./field-text.js";

/** Reads the items of a field, one after the other, each with `readItem`. */
export function readList(text: FieldText, readItem: () => void): void {
  do {
    if (text.peek() === undefined || text.peek() === ",") {
      throw text.fault("a value is missing beside a comma; remove the comma or write the value");
    }
    readItem();
    if (text.peek() !== undefined && text.peek() !== ",") throw unexpected(text);
  } while (text.take(","));
}

function unexpected(text: FieldText) {
  if (text.peek() === "-") return text.fault("a range has two ends; separate several ranges by commas");
  if (text.peek() === "/") return text.fault("there is nothing here that a step can apply to; remove it");
  return text.fault(`${text.shown()} cannot stand here; remove it, or separate values by commas`);
}
