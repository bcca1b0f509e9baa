/**
 * Makes text that every store keeps as it is: without lone surrogates, which UTF-8 cannot hold, and
 * without NUL, which PostgreSQL cannot. Both become U+FFFD. Longer text is cut and ends in an ellipsis.
 */
export function storableText(text: string, maxLength: number): string {
  const clean = text.toWellFormed().replaceAll("\0", "\ufffd");
  if (clean.length <= maxLength) return clean;
  // The cut itself may part a surrogate pair.
  return `${clean.slice(0, maxLength - 1).toWellFormed()}…`;
}
