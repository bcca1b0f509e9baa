/** As SQLite's `lower`, which knows only ASCII. */
export function lowerAscii(text: string): string {
  return text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
