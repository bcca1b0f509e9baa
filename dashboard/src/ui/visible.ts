/**
 * Characters that nobody sees and that can make a text look like another one: control characters but tab and line
 * break, and those that turn the direction of writing around or join nothing.
 */
const HIDDEN = /(?![\t\n])[\p{Cc}\p{Bidi_Control}\u00ad\u200b\u2028\u2029\u2060\ufeff]/gu;

/** The text with a mark where such a character stands: `␛` for an escape, `⟨U+202E⟩` for one that turns the line. */
export function visible(text: string): string {
  return text.replaceAll("\r\n", "\n").replace(HIDDEN, markOf);
}

function markOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  if (code === 0x7f) return "␡";
  return `⟨U+${code.toString(16).toUpperCase().padStart(4, "0")}⟩`;
}
