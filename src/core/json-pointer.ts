/** A key as one part of a JSON pointer (RFC 6901). */
export function pointerPart(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}
