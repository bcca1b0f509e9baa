/**
 * JSON as text. A payload is shown, copied and sent as it is written: `JSON.parse` would make 9007199254740992 of
 * 9007199254740993, and 1 of 1.0.
 */

/** A string, a bracket, a comma, a colon, or a number or word. Sound JSON is taken for granted. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[[\]{},:]|[^\s[\]{},:"]+/g;

/** The text of a member of the outermost object, as it is written; `null` when there is none. */
export function memberText(json: string, name: string): string | null {
  const wanted = JSON.stringify(name);
  let depth = 0;
  let before = "";
  let begins = false;
  let from: number | null = null;
  let end = 0;
  for (const { 0: token, index } of json.matchAll(TOKEN)) {
    const closes = token === "}" || token === "]";
    if (closes) depth -= 1;
    const isEnd = (depth === 1 && token === ",") || (depth === 0 && closes);
    if (isEnd && from !== null) return json.slice(from, end);
    if (begins) from = index;
    begins = depth === 1 && token === ":" && before === wanted;
    if (token === "{" || token === "[") depth += 1;
    before = token;
    end = index + token.length;
  }
  return null;
}

/** The same values on lines of their own. Only space changes. */
export function indented(json: string): string {
  let text = "";
  let depth = 0;
  let before = "";
  for (const [token] of json.matchAll(TOKEN)) {
    const closes = token === "}" || token === "]";
    if (closes) depth -= 1;
    const isEmpty = closes && (before === "{" || before === "[");
    const begins = before === "{" || before === "[" || before === ",";
    if ((begins || closes) && !isEmpty) text += `\n${"  ".repeat(depth)}`;
    text += token === ":" ? ": " : token;
    if (token === "{" || token === "[") depth += 1;
    before = token;
  }
  return text;
}

/** Whether it is the text of one JSON value. */
export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
