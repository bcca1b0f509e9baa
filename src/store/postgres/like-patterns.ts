/** For `LIKE ANY`: the same as these globs, in which `*` stands for any characters and all else for itself. */
export function likePatterns(globs: readonly string[]): string[] {
  return globs.map((glob) => glob.replace(/[\\%_]/g, "\\$&").replaceAll("*", "%"));
}
