import type { Token } from "./tokens.js";

/** Deeper levels are not moved any further to the right: nobody sees them there. */
const MAX_INDENT = 24;
const CLOSES: Readonly<Record<string, string>> = { "{": "}", "[": "]" };

/** The same tokens with other spaces between them: a member or an item a line. */
export function pretty(tokens: readonly Token[]): Token[] {
  const written: Token[] = [];
  const significant = tokens.filter(({ kind }) => kind !== "space");
  let depth = 0;
  const newLine = (): void => {
    written.push({ kind: "space", text: `\n${"  ".repeat(Math.min(Math.max(depth, 0), MAX_INDENT))}` });
  };
  for (const [index, token] of significant.entries()) {
    const mark = token.kind === "punctuation" ? token.text : "";
    const before = significant[index - 1];
    const after = significant[index + 1];
    if (mark === "}" || mark === "]") {
      depth -= 1;
      if (before === undefined || CLOSES[before.text] !== mark) newLine();
    }
    written.push(token);
    if (mark === "{" || mark === "[") {
      depth += 1;
      if (after?.text !== CLOSES[mark]) newLine();
    }
    if (mark === ",") newLine();
    if (mark === ":") written.push({ kind: "space", text: " " });
  }
  return written;
}
