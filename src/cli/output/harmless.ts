const HARMFUL = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;
const CONTROL_PICTURES = 0x2400;

/**
 * Text that cannot move the cursor, change colours or turn the direction of what stands around it. Line ends and
 * tabs become spaces, other control characters the pictures that Unicode has for them.
 */
export function harmless(text: string): string {
  return text.toWellFormed().replaceAll(HARMFUL, (character) => {
    const code = character.charCodeAt(0);
    if (/\s/.test(character)) return " ";
    if (code < 0x20) return String.fromCharCode(CONTROL_PICTURES + code);
    return code === 0x7f ? "\u2421" : "\ufffd";
  });
}

/** The same JSON with what a terminal would obey written as escapes. It can only stand in texts, so the value is the same. */
export function harmlessJson(json: string): string {
  return json.replaceAll(/[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}
