import { useMemo, type ReactNode } from "react";
import { visible } from "../visible.js";
import { pretty } from "./pretty.js";
import { tokensOf, type Token } from "./tokens.js";

/** So many parts have a colour; a page with more elements becomes slow, and nobody reads that far. */
const MAX_COLOURED = 6_000;

const COLOURED: ReadonlySet<string> = new Set(["key", "string", "number", "word"]);

/** A JSON text in lines, its parts in colours. What is written stays what it is. */
export function JsonText({ text }: { readonly text: string }): ReactNode {
  const parts = useMemo(() => partsOf(pretty(tokensOf(text))), [text]);
  return parts.map(({ kind, text: part }, index) =>
    COLOURED.has(kind) ? (
      <span key={index} className={`json-${kind}`}>
        {visible(part)}
      </span>
    ) : (
      visible(part)
    ),
  );
}

/** Neighbours without a colour become one part. */
function partsOf(tokens: readonly Token[]): Token[] {
  const parts: Token[] = [];
  let plain = "";
  for (const token of tokens) {
    if (!COLOURED.has(token.kind) || parts.length >= MAX_COLOURED) {
      plain += token.text;
      continue;
    }
    if (plain !== "") parts.push({ kind: "space", text: plain });
    plain = "";
    parts.push(token);
  }
  if (plain !== "") parts.push({ kind: "space", text: plain });
  return parts;
}
