/** Where in a text somebody looks: both from 1. */
export interface TextPosition {
  readonly line: number;
  readonly column: number;
}

const SPACE = /[ \t\n\r]*/y;
const LITERAL = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4}))*"/y;
const PUNCTUATION = /[[\]{},:]/y;

/** The first place at which a text stops being JSON; `null` when it is JSON. Browsers tell it in words of their own. */
export function jsonFaultAt(text: string): TextPosition | null {
  try {
    JSON.parse(text);
    return null;
  } catch {
    const before = text.slice(0, faultOffset(text)).split("\n");
    return { line: before.length, column: (before.at(-1) ?? "").length + 1 };
  }
}

type Wanted = "value" | "valueOrEnd" | "key" | "keyOrEnd" | "colon" | "commaOrEnd" | "nothing";

function faultOffset(text: string): number {
  const open: ("{" | "[")[] = [];
  let wanted: Wanted = "value";
  let at = 0;
  const take = (pattern: RegExp): string | null => {
    pattern.lastIndex = at;
    return pattern.exec(text)?.[0] ?? null;
  };
  for (;;) {
    at += take(SPACE)?.length ?? 0;
    const token = take(STRING) ?? take(LITERAL) ?? take(PUNCTUATION);
    const next: Wanted | null = token === null ? null : after(token, wanted, open);
    if (token === null || next === null) return at;
    at += token.length;
    wanted = next;
  }
}

/** What is wanted after the token; `null` where it may not stand. */
function after(token: string, wanted: Wanted, open: ("{" | "[")[]): Wanted | null {
  const isValue = wanted === "value" || wanted === "valueOrEnd";
  switch (token) {
    case "{":
    case "[":
      if (!isValue) return null;
      open.push(token);
      return token === "{" ? "keyOrEnd" : "valueOrEnd";
    case "}":
    case "]": {
      const isEnd = wanted === "commaOrEnd" || wanted === (token === "}" ? "keyOrEnd" : "valueOrEnd");
      if (!isEnd || open.pop() !== (token === "}" ? "{" : "[")) return null;
      return open.length === 0 ? "nothing" : "commaOrEnd";
    }
    case ",":
      if (wanted !== "commaOrEnd") return null;
      return open.at(-1) === "{" ? "key" : "value";
    case ":":
      return wanted === "colon" ? "value" : null;
    default:
      if (token.startsWith('"') && (wanted === "key" || wanted === "keyOrEnd")) return "colon";
      if (!isValue) return null;
      return open.length === 0 ? "nothing" : "commaOrEnd";
  }
}
