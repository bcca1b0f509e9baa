import { endOfString } from "../core/payload.js";

interface CutBody {
  /** The body with `null` for every result. */
  readonly rest: string;
  /** The texts of the results, by the index of their acknowledgement; the one of a completion has index 0. */
  readonly results: ReadonlyMap<number, string>;
}

const SPACE = /[\t\n\r ]*/y;
const SCALAR = /[^,\]}\t\n\r ]*/y;

/**
 * Takes the results out of the body of a completion (`result`) or of acknowledgements (`results[…].result`), unparsed.
 * `null` when the text is none.
 */
export function cutResults(text: string): CutBody | null {
  const results = new Map<number, string>();
  let rest = "";
  let kept = 0;
  let depth = 0;
  let index = 0;
  let isInList = false;
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charAt(at)) {
      case "[":
      case "{":
        depth += 1;
        break;
      case "]":
      case "}":
        depth -= 1;
        break;
      case ",":
        if (isInList && depth === 2) index += 1;
        break;
      case '"': {
        const end = endOfString(text, at);
        const colon = endOf(SPACE, text, end + 1);
        const key = text.charAt(colon) === ":" ? keyOf(text.slice(at, end + 1)) : null;
        at = end;
        if (key === null) break;
        if (depth === 1) {
          isInList = key === "results";
          // The last one of several lists counts.
          if (isInList) results.clear();
          index = 0;
        }
        if (key !== "result" || (depth !== 1 && !(isInList && depth === 3))) break;
        const begin = endOf(SPACE, text, colon + 1);
        const after = endOfValue(text, begin);
        if (after === null) return null;
        results.set(index, text.slice(begin, after));
        rest += `${text.slice(kept, begin)}null`;
        kept = after;
        at = after - 1;
      }
    }
  }
  return { rest: rest + text.slice(kept), results };
}

function keyOf(json: string): string | null {
  if (!json.includes("\\")) return json.slice(1, -1);
  try {
    return JSON.parse(json) as string;
  } catch {
    return null;
  }
}

function endOfValue(text: string, begin: number): number | null {
  let depth = 0;
  for (let at = begin; at < text.length; at += 1) {
    switch (text.charAt(at)) {
      case '"':
        at = endOfString(text, at);
        if (depth === 0) return at + 1;
        break;
      case "[":
      case "{":
        depth += 1;
        break;
      case "]":
      case "}":
        depth -= 1;
        if (depth === 0) return at + 1;
        break;
      default:
        if (depth === 0) {
          const end = endOf(SCALAR, text, at);
          return end === begin ? null : end;
        }
    }
    if (depth < 0) return null;
  }
  return null;
}

function endOf(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  pattern.exec(text);
  return pattern.lastIndex;
}
