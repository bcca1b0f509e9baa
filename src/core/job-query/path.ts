import { badFilter } from "./fault.js";
import { MAX_FILTER_INDEX, MAX_FILTER_PATH } from "./limits.js";

/** Without control characters: SQLite takes NUL for the end of a path. */
const STEP = /\.([^.[\]\\\p{Cc}]+)|\[(0|[1-9]\d*)\]/uy;

/** The steps behind `payload`: `.key` and `[index]`. `position` is where `text` begins in the filter. */
export function readPath(text: string, position: number): (string | number)[] {
  const path: (string | number)[] = [];
  STEP.lastIndex = 0;
  for (let at = 0; at < text.length; at = STEP.lastIndex) {
    STEP.lastIndex = at;
    const [, key, index] = STEP.exec(text) ?? [];
    if (path.length === MAX_FILTER_PATH) {
      throw badFilter("bad_path", position + at, `a path has at most ${MAX_FILTER_PATH} steps`);
    }
    if (key !== undefined) path.push(key);
    else if (index !== undefined && Number(index) <= MAX_FILTER_INDEX) path.push(Number(index));
    else
      throw badFilter("bad_path", position + at, "a path goes on with .key or [index], such as .to or [0]");
  }
  return path;
}

export function printPath(path: readonly (string | number)[]): string {
  return path.map((step) => (typeof step === "number" ? `[${step}]` : `.${step}`)).join("");
}
